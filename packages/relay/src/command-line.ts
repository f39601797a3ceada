/**
 * The command line of `newsletter-relay`: the table of its commands, whose modules are loaded when they are called, and
 * the exit code.
 */
import { type Candidate, type CommandLine, endWithReader, printError, runCommandLine, useProxies } from '#command-line';
import { Option } from '@commander-js/extra-typings';
import type * as operatorCommands from './commands/operator-commands.ts';
import { keepSmall } from './commands/young-generation.ts';
import process from 'node:process';

/** Loads one of the operator's commands. */
const operatorCommand = (name: keyof typeof operatorCommands) => async () => ({
  define: (await import('./commands/operator-commands.ts'))[name],
});

const commands: CommandLine<null>['commands'] = {
  serve: {
    about: 'accept signups, store and deliver them, until Ctrl-C or SIGTERM',
    // The server is loaded when it starts, not for help or completion.
    load: async () => ({
      define: (command) =>
        command.action(async () => {
          keepSmall();
          return (await import('./commands/serve.ts')).serve(command);
        }),
    }),
  },
  init: {
    about: 'write a folder with everything that runs the relay on Node or, with --worker, on Cloudflare Workers',
    load: () => import('./commands/init.ts'),
  },
  status: { about: 'print how many signups wait, since when, and why', load: operatorCommand('status') },
  pause: {
    about: 'stop delivery until resume, also over restarts; signups are still accepted and stored',
    load: operatorCommand('pause'),
  },
  resume: { about: 'continue delivery', load: operatorCommand('resume') },
  dead: {
    about:
      'list dead letters, which the API refused for good, with the reasons; or another state, such as --state review',
    load: operatorCommand('dead'),
  },
  redrive: {
    about: 'queue dead letters or reviewed signups for delivery again; select them, or --all',
    load: operatorCommand('redrive'),
  },
  discard: {
    about: 'delete dead letters for good, or with --state those in review or unconfirmed; select them, or --all',
    load: operatorCommand('discard'),
  },
  export: {
    about: 'write signups and consent ledger to stdout, one JSON object a line; with a filter only signups',
    load: operatorCommand('exportSignups'),
  },
  import: {
    about: 'read an export into the store; records that exist stay unchanged, so a repetition adds nothing',
    load: () => import('./commands/import.ts'),
  },
  restore: {
    about: 'mark what waits in a store that was restored from a backup as possibly sent: it is looked up first',
    load: () => import('./commands/restore.ts'),
  },
  suppressions: {
    about: 'write the hashes of erased people to a file, for newsletter import --suppress',
    load: operatorCommand('suppressions'),
  },
  person: {
    about: 'print everything that is held about a person; --json exports it',
    load: operatorCommand('person'),
  },
  erase: {
    about: 'delete everything held about a person, at once, but for a hash of the address',
    load: operatorCommand('erase'),
  },
  webhooks: {
    about: 'print what waits for each destination of webhooks; resume, redrive or test one; make a secret',
    load: () => import('./commands/webhooks.ts'),
  },
  check: {
    about:
      'check settings, origins, store, API key, publications, clock, mail server and DNS; fails where signups would not arrive',
    load: () => import('./commands/check.ts'),
  },
};

export const newsletterRelay: CommandLine<null> = {
  name: 'newsletter-relay',
  about: 'Accepts signups from a website, stores them and delivers them to the newsletter API.',
  manifest: new URL('../package.json', import.meta.url),
  commands,
  globalOptions: () => [
    new Option('--remote <url>', 'act on the running relay at this address, with the token in RELAY_OPERATOR_TOKEN'),
  ],
  notes: [
    'newsletter-relay COMMAND --help prints the options of a command.',
    'Exit codes: 0 done · 1 failed · 2 wrong usage',
  ],
  loadNotes: settingsNotes,
  completeValue,
};

async function settingsNotes(): Promise<readonly string[]> {
  const { settings } = await import('./config/settings.ts');
  const lines = settings.map(
    ({ name, about, default: fallback }) => `  ${name}\n      ${about}${fallback ? ` (${fallback})` : ''}`,
  );
  return [`All commands read the same environment:\n${lines.join('\n')}`];
}

async function completeValue(name: string): Promise<readonly Candidate[]> {
  if (name !== '--state') return [];
  const { signupStates } = await import('./store/signup-store.ts');
  return signupStates.map((value) => ({ value, about: '' }));
}

/** Errors whose message tells the operator what to do. Any other is a bug and shows its stack. */
const expectedErrors = new Set(['UsageError', 'StartupError', 'OperatorError']);

const exitCodes = { failed: 1, wrongUsage: 2 } as const;

/** Runs the command of the process's arguments. */
export async function run(): Promise<void> {
  const argv = process.argv.slice(2);
  // `serve` outlives the reader of its log.
  if (argv[0] !== 'serve') endWithReader(newsletterRelay.name);
  const exitCode = await runCommands(argv);
  if (exitCode !== undefined) process.exitCode = exitCode;
}

/** @returns the exit code; undefined where the command ended well, or has set that of the process */
export function runCommands(argv: readonly string[]): Promise<number | undefined> {
  return runCommandLine(newsletterRelay, {
    argv,
    context: null,
    prepare: () => useProxies(() => import('undici')),
    noCommandExitCode: exitCodes.wrongUsage,
    onError(error, command) {
      if (!(error instanceof Error) || !expectedErrors.has(error.name)) throw error;
      printError(newsletterRelay.name, error, command);
      return error.name === 'UsageError' ? exitCodes.wrongUsage : exitCodes.failed;
    },
  });
}
