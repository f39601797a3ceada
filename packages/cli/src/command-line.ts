/** The command line of `newsletter`: its commands as a table, each loaded when it is called, and how they are run. */
import { enableCompileCache } from 'node:module';
import process from 'node:process';
import { endWithReader, runCommandLine, useProxies, type Candidate, type CommandLine } from '#command-line';
import { exitCodes, InterruptedError, isAbort, Session, watchSignals, type Context, type ExitCode } from './context.ts';
import { createReporter } from './output.ts';
import { exitCodeOf, reportOf } from './user-facing-errors.ts';

const commands: CommandLine<Context>['commands'] = {
  login: { about: 'sign in with a browser, or save an API key', load: () => import('./commands/login/command.ts') },
  logout: {
    about: 'revoke the login of a profile and delete its credential',
    load: () => import('./commands/logout.ts'),
  },
  whoami: {
    about: 'check the key or login in use and its access to the publication',
    load: () => import('./commands/whoami.ts'),
  },
  probe: {
    about: 'compare the answers of a service with the contract; reads only',
    load: () => import('./commands/probe/command.ts'),
  },
  profiles: { about: 'list, select and remove saved connections', load: () => import('./commands/profiles.ts') },
  api: { about: 'call any operation or path of the API', load: () => import('./commands/api/command.ts') },
  export: {
    about: 'write all subscriptions to a file, or to stdout',
    load: () => import('./commands/export/command.ts'),
  },
  import: { about: 'import subscriptions from a CSV file', load: () => import('./commands/import/command.ts') },
  person: { about: 'show what the service knows of an address', load: () => import('./commands/person.ts') },
  unsubscribe: { about: 'end the subscription of an address', load: () => import('./commands/person.ts') },
  watch: {
    about: 'report new and changed subscriptions, until Ctrl-C',
    load: () => import('./commands/watch/command.ts'),
  },
  report: {
    about: 'report which sources bring readers who stay',
    load: () => import('./commands/report/command.ts'),
  },
  sync: {
    about: 'synchronize subscriptions with contacts in PostgreSQL',
    load: () => import('./commands/sync/command.ts'),
  },
};

export const newsletter: CommandLine<Context> = {
  name: 'newsletter',
  about: 'Manages the subscriptions of a newsletter from the command line.',
  manifest: new URL('../package.json', import.meta.url),
  commands,
  notes: [
    'newsletter COMMAND --help prints the options of a command.',
    'Exit codes: 0 done · 1 failed · 2 done except for rejected rows or findings · 3 interrupted; the same command continues · 64 wrong usage · 65 refused · 66 not found · 75 try again later · 77 key or login',
  ],
  completeValue,
};

/** Operations and profiles. */
async function completeValue(name: string, { env }: Context): Promise<readonly Candidate[]> {
  if (name === 'operation') {
    const { operations } = await import('@newsletter-kit/core/contract');
    return operations.map(({ id, doc }) => ({ value: id, about: doc }));
  }
  if (name !== '--profile' && name !== 'name') return [];
  const { readProfiles, sandboxName } = await import('./profiles.ts');
  const { profiles } = await readProfiles(env);
  const all: Readonly<Record<string, { readonly apiUrl: string } | null>> = { [sandboxName]: null, ...profiles };
  return Object.entries(all).map(([value, profile]) => ({ value, about: profile?.apiUrl ?? 'built in' }));
}

/** Runs the command line of this process and sets its exit code. */
export async function run(): Promise<void> {
  // Saves a quarter of the time from the second start on.
  enableCompileCache();
  endWithReader('newsletter');
  process.exitCode = await runCommands(process.argv.slice(2), watchSignals());
}

/**
 * Runs a command line with the environment and the streams of this process.
 *
 * @param interrupted - aborts with the first Ctrl-C or SIGTERM
 * @returns the exit code
 */
export async function runCommands(argv: readonly string[], interrupted: AbortSignal): Promise<number> {
  // Read before parsing, so that a program can read usage errors too.
  const report = createReporter({ json: argv.includes('--json'), env: process.env });
  let exitCode: ExitCode = exitCodes.done;
  const { env } = process;
  const session = new Session({ env, report, interrupted });
  const context: Context = {
    argv,
    env,
    async run(work, options) {
      exitCode = await work(options, session);
    },
  };
  const code = await runCommandLine(newsletter, {
    argv,
    context,
    prepare: () => useProxies(() => import('undici')),
    noCommandExitCode: exitCodes.usage,
    onError(error) {
      if (error instanceof InterruptedError || (interrupted.aborted && isAbort(error))) {
        const text = error instanceof InterruptedError ? error.message : 'Interrupted.';
        report.notice({ type: 'interrupted', text, data: { message: text } });
        return exitCodes.interrupted;
      }
      const problem = reportOf(error);
      if (problem === null) throw error;
      report.failure(problem);
      return exitCodeOf(error);
    },
  });
  return code ?? exitCode;
}
