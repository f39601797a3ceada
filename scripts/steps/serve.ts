/** Runs servers until Ctrl-C and stops all of them, however the command ends. */
import { UserError } from '../setup/user-error.mjs';

/** A server that runs until it is stopped. */
export interface Served {
  /** Its name in messages. */
  readonly name: string;
  /** Resolves when it has ended, with a phrase that says how. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
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

/** Sets the exit code of the process. */
export async function serveUntilStopped({ command, farewell, start }: Serving): Promise<void> {
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
      process.exitCode = 1;
    }
  } finally {
    // In reverse order: the last deliveries of the relay still reach the API.
    for (const served of running.toReversed()) await served.stop();
    if (stopping.aborted) console.log(`\n${farewell}`);
  }
}
