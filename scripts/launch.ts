/** Starts servers as processes, waits until they answer, and stops them, with this process at the latest. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { start as startProgram, type RunningProcess } from './program.ts';
import { UserError } from './user-error.mjs';
import { root } from './root.ts';
import { serverUrl, type ServerSettings, type ServerPlan } from './servers.ts';

/** A server that runs until it is stopped. */
export interface Served {
  /** Its name in messages. */
  readonly name: string;
  /** Resolves when it has ended, with a phrase that says how. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

/** A server that has answered. Asked to stop, it gets SIGTERM, and after fifteen seconds SIGKILL. */
export interface RunningServer extends Served {
  readonly url: string;
  /** Sends SIGKILL. */
  kill(): Promise<void>;
}

/** Longest time a server may take until it answers, in milliseconds. */
const startLimit = 60_000;
/** Longest time a server may take to stop when asked, in milliseconds. */
const stopLimit = 15_000;

/** A server's built file, and the Node that runs it. */
export interface BuiltServer {
  readonly node: string;
  readonly file: string;
}

/**
 * @param onLine - gets each line the server prints
 * @param built - what to run in place of the sources
 * @throws UserError where it ends, or does not answer in time
 */
export async function launch(
  plan: ServerPlan,
  settings: ServerSettings,
  onLine: (line: string) => void,
  built?: BuiltServer,
): Promise<RunningServer> {
  const url = serverUrl(settings.ports[plan.name]);
  const program = startProgram(
    built?.node ?? process.execPath,
    [
      ...(built ? [] : ['--conditions=@newsletter-kit/source']),
      '--disable-warning=ExperimentalWarning',
      built?.file ?? join(root, plan.entry),
      ...plan.args(settings),
    ],
    { env: plan.env(settings), inherits: true, group: false, onLine, grace: stopLimit },
  );
  try {
    await untilReady(plan, url + plan.ready, program);
  } catch (error) {
    await program.kill();
    throw error;
  }
  return {
    name: plan.name,
    url,
    ended: program.ended.then(describeEnd),
    stop: () => program.stop(),
    kill: () => program.kill(),
  };
}

const describeEnd = (how: number | string): string =>
  typeof how === 'string' ? `was ended by ${how}` : `stopped with exit code ${how}`;

/**
 * Polls until the server answers 2xx.
 *
 * @throws UserError where it ends, or does not answer in time; at once where it does not have the path: no later answer
 *   would differ
 */
async function untilReady({ name }: ServerPlan, url: string, program: RunningProcess): Promise<void> {
  let end: string | undefined;
  void program.ended.then((how) => (end = describeEnd(how)));
  let lastProblem = 'no connection';
  for (const deadline = Date.now() + startLimit; Date.now() < deadline; await sleep(50)) {
    if (end !== undefined) {
      const lines = program.output().split('\n').filter(Boolean).slice(-5).join('\n  ');
      throw new UserError(`The ${name} ${end} before it answered.`, lines || 'It printed nothing.');
    }
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
      await response.body?.cancel();
      if (response.ok) return;
      if (response.status === 404)
        throw new UserError(
          `The ${name} runs, but answers ${url} with 404: a file that it serves is missing.`,
          'Delete the folders named "dist", which the command builds, and run it again.',
        );
      lastProblem = `status ${response.status}`;
    } catch (error) {
      if (error instanceof UserError) throw error;
      lastProblem = error instanceof Error ? error.message : String(error);
    }
  }
  throw new UserError(
    `The ${name} was not ready within ${startLimit / 1000} s; the last answer of ${url}: ${lastProblem}.`,
    'If this machine is very busy, run the command again.',
  );
}

/** A command that serves until Ctrl-C. */
export interface Serving {
  /** The command as it is typed. */
  readonly command: string;
  /** Printed after Ctrl-C has stopped everything. */
  readonly farewell: string;
  /**
   * Starts everything.
   *
   * @param started - called with each server, in the order of their starts
   * @param stopping - aborts with Ctrl-C, also during the start
   */
  start(started: (served: Served) => void, stopping: AbortSignal): Promise<void>;
}

/**
 * Runs servers until Ctrl-C and stops all of them, however the command ends.
 *
 * @returns true after Ctrl-C; false, with a message, where a server did not start or ended by itself
 */
export async function serveUntilStopped({ command, farewell, start }: Serving): Promise<boolean> {
  const stopRequest = new AbortController();
  const stopping = stopRequest.signal;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopRequest.abort());
  const stopRequested = new Promise<void>((resolve) => stopping.addEventListener('abort', () => resolve()));
  const running: Served[] = [];
  try {
    await start((served) => running.push(served), stopping);
    const first = await Promise.race([
      stopRequested,
      ...running.map(({ name, ended }) => ended.then((how) => ({ name, how }))),
    ]);
    if (first) {
      // Ctrl-C in a terminal also reaches the servers, which may end before this process gets the signal.
      await Promise.race([stopRequested, new Promise((resolve) => setTimeout(resolve, 300))]);
      if (!stopping.aborted) {
        throw new UserError(
          `The ${first.name} ${first.how}, so the others stop too.`,
          `Its last lines are above; run ${command} again.`,
        );
      }
    }
  } catch (error) {
    // An interrupted start fails; that needs no message.
    if (!stopping.aborted) {
      if (!(error instanceof UserError)) throw error;
      console.error(`\n${error.message}`);
      return false;
    }
  } finally {
    // In reverse order: the last deliveries of the relay still reach the API.
    for (const served of running.toReversed()) await served.stop();
    if (stopping.aborted) console.log(`\n${farewell}`);
  }
  return true;
}
