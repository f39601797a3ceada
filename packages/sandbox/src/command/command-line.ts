/**
 * The command line of `newsletter-sandbox`: its commands as a table, its errors and its exit codes. A command's module
 * is loaded when it is called.
 */
import { InvalidArgumentError, type CommandUnknownOpts } from '@commander-js/extra-typings';
import {
  collect,
  UsageError,
  type Candidate,
  type CommandEntry,
  type CommandLine,
  printError,
  runCommandLine,
} from '#command-line';
import { profiles } from '../control/rate-limit.ts';
import { readServerOptions, serverOptions } from './options.ts';
import type { EventEmitter } from 'node:events';
import { enableCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';

export interface CommandContext {
  /** The arguments behind the program's name. */
  readonly argv: readonly string[];
  /** Emits `SIGINT` and `SIGTERM`, which stop a server. */
  readonly signals: EventEmitter;
  /** Sets the exit code. */
  readonly end: (code: number) => void;
}

const serve: CommandEntry<CommandContext> = {
  about: 'serve the API until Ctrl-C; this is the default command',
  load: async () => ({
    define: (command, { end, signals }) =>
      command.allowExcessArguments(true).action(async (_options, self) => {
        if (self.args.length > 0)
          throw new UsageError(
            'To run a command, write "exec" or "certify" before " -- ": newsletter-sandbox exec -- npm test.',
          );
        const { serveUntilStopped } = await import('./serve.ts');
        end(await serveUntilStopped(readServerOptions(rootOf(self), { runsCommand: false }), signals));
      }),
  }),
};

const exec: CommandEntry<CommandContext> = {
  about: 'start a fresh sandbox on a free port, run a command against it and end with its exit code',
  load: async () => ({
    define: (command, { argv, end }) =>
      command
        .argument('<command...>', 'the command and its arguments, after " -- "')
        .usage('[options] -- COMMAND [arguments]')
        .action(async (words, _options, self) => {
          const toRun = commandToRun(self, words, argv);
          const { execute } = await import('./exec.ts');
          end(await execute(readServerOptions(rootOf(self), { runsCommand: true }), toRun));
        }),
  }),
};

const certify: CommandEntry<CommandContext> = {
  about: 'run a command once in every scenario: each value of each assumption, and the main faults',
  load: async () => ({
    define: (command, { argv, end }) =>
      command
        .argument('<command...>', 'the command and its arguments, after " -- "')
        .usage('[options] -- COMMAND [arguments]')
        .option(
          '--only <name>',
          'run only this scenario and the default one, such as lost-response, pagination_fields or pagination_fields=nested; may be repeated',
          collect,
        )
        .option('--except <name>', 'skip this scenario and report it as not claimed; may be repeated', collect)
        .option('--bail', 'stop at the first failure')
        .option(
          '--timeout <seconds>',
          'stop a run that takes longer than this, and count it as failed',
          readSeconds,
          60,
        )
        .option('--json', 'print the result as JSON on stdout, and the table on stderr')
        .action(async (words, { only, except = [], bail = false, json = false, timeout }, self) => {
          const toRun = commandToRun(self, words, argv);
          const { certify: run } = await import('./certify.ts');
          const { scenarioNames } = await import('./scenarios.ts');
          end(
            await run(readServerOptions(rootOf(self), { runsCommand: true }), {
              command: toRun,
              only: only ? only.flatMap(scenarioNames) : null,
              except: except.flatMap(scenarioNames),
              bail,
              json,
              timeout: timeout * 1000,
            }),
          );
        }),
  }),
};

/** Commands, options, variables and scenarios that were removed, and what to use instead. */
const removed: readonly (readonly [RegExp, string])[] = [
  [
    / (?<!--[\w-]+ )replay /,
    'The command replay was removed: take a snapshot of the state (POST /_sandbox/snapshots), and send the requests in a test.',
  ],
  [
    / (?:--record[ =]|SANDBOX_RECORD )/,
    '--record and SANDBOX_RECORD were removed: GET /_sandbox/requests has the last thousand requests with their answers.',
  ],
  [
    /[ =]deviation=/,
    'The scenarios deviation=… were removed: change a field of the answers by a fault (POST /_sandbox/faults), or give certify the shapes of a service (--shape).',
  ],
];

/** @throws UsageError where something is used that was removed */
function refuseRemoved(argv: readonly string[], env: NodeJS.ProcessEnv): void {
  const own = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  const used = ` ${[...own, ...Object.keys(env).filter((name) => env[name])].join(' ')} `;
  const [, instead] = removed.find(([pattern]) => pattern.test(used)) ?? [];
  if (instead !== undefined) throw new UsageError(instead);
}

const newsletterSandbox: CommandLine<CommandContext> = {
  name: 'newsletter-sandbox',
  about: 'The Newsletter Publishing API on this machine.',
  manifest: new URL('../../package.json', import.meta.url),
  commands: { serve, exec, certify },
  defaultCommand: 'serve',
  globalOptions: serverOptions,
  notes: [
    'exec sets NEWSLETTER_API_URL, NEWSLETTER_API_KEY and more in the environment of the command. Where the command fails, the requests it sent are printed with their reasons.',
    'certify: the command survives a scenario where it ends with exit code 0. certify ends with 0 where it survived all of them.',
    'Exit codes: 0 done · 1 failed · 2 wrong usage; exec ends with the exit code of the command',
  ],
  completeValue,
};

const rootOf = (command: CommandUnknownOpts): CommandUnknownOpts => command.parent ?? command;

/** The command behind ` -- `. Without the dashes, its options would be taken for the sandbox's. */
function commandToRun(
  command: CommandUnknownOpts,
  [first, ...rest]: readonly string[],
  argv: readonly string[],
): readonly [string, ...string[]] {
  if (first !== undefined && argv.includes('--')) return [first, ...rest];
  throw new UsageError(`Write the command after " -- ": newsletter-sandbox ${command.name()} -- npm test.`);
}

function readSeconds(text: string): number {
  const seconds = /^\d{1,5}(?:\.\d+)?$/.test(text) ? Number(text) : 0;
  if (seconds > 0) return seconds;
  throw new InvalidArgumentError('It must be a number of seconds.');
}

async function completeValue(name: string): Promise<readonly Candidate[]> {
  const values = { '--profile': profiles, '--seed': ['demo', 'empty'] }[name] ?? [];
  if (name !== '--only' && name !== '--except') return values.map((value) => ({ value, about: '' }));
  const { scenarios } = await import('./scenarios.ts');
  return scenarios.map((scenario) => ({ value: scenario.name, about: scenario.about }));
}

/** Errors whose message tells the user what to do. Any other is a bug and shows its stack. */
const expectedErrors = new Set(['UsageError', 'ServeError', 'SeedError', 'DatabaseError']);

const exitCodes = { done: 0, failed: 1, wrongUsage: 2 } as const;

/**
 * Prepares this process and runs a command line.
 *
 * @param argv - the arguments behind the program's name
 * @returns the exit code
 */
export function main(argv: readonly string[]): Promise<number> {
  // Saves a quarter of the time from the second start on.
  enableCompileCache();
  // V8 lets its heap grow to several times what is in use before it collects; by a third costs no more CPU time.
  setFlagsFromString('--heap-growing-percent=30');
  // A server and a run outlive the reader of their output.
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  return runCommands(argv, process);
}

/** Runs a command line with the environment and the streams of this process. @returns the exit code */
export async function runCommands(argv: readonly string[], signals: EventEmitter): Promise<number> {
  let exitCode: number = exitCodes.done;
  const code = await runCommandLine(newsletterSandbox, {
    argv,
    context: { argv, signals, end: (ended) => (exitCode = ended) },
    prepare: async () => refuseRemoved(argv, process.env),
    noCommandExitCode: exitCodes.wrongUsage,
    onError(error, command) {
      if (!(error instanceof Error) || !expectedErrors.has(error.name)) throw error;
      printError(newsletterSandbox.name, error, command);
      return error.name === 'UsageError' ? exitCodes.wrongUsage : exitCodes.failed;
    },
  });
  return code ?? exitCode;
}
