/** The frame of a command that serves until Ctrl-C: whatever it started is stopped again, however it ends. */
import { Complaint } from '../bring/complaint.mjs';

/** Something that runs until it is stopped. */
export interface Served {
  /** Named in sentences. */
  readonly name: string;
  /** Resolves when it is gone, with how it ended in words. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

/** What a command does between its start and Ctrl-C. */
export interface Serving {
  /** What a person types. */
  readonly command: string;
  /** Said after everything was stopped because a person asked. */
  readonly farewell: string;
  /**
   * Starts everything.
   *
   * @param started - to be told of each thing that runs, in the order in which they started
   * @param stopping - aborted once a person asks to stop, also in the middle of starting
   */
  start(started: (served: Served) => void, stopping: AbortSignal): Promise<void>;
}

/** Sets the exit code of the process. */
export async function serveUntilStopped({ command, farewell, start }: Serving): Promise<void> {
  const asking = new AbortController();
  const stopping = asking.signal;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => asking.abort());
  const asked = new Promise<void>((resolve) => stopping.addEventListener('abort', () => resolve()));
  const running: Served[] = [];
  try {
    await start((served) => running.push(served), stopping);
    const first = await Promise.race([
      asked,
      ...running.map(({ name, ended }) => ended.then((how) => ({ name, how }))),
    ]);
    if (first) {
      // Ctrl-C in a terminal reaches what was started as well, and it may be gone before this process hears of it.
      await Promise.race([asked, new Promise((resolve) => setTimeout(resolve, 300))]);
      if (!stopping.aborted) {
        throw new Complaint(
          `The ${first.name} ${first.how}, so the others stop too.`,
          `Its last lines stand above; run ${command} again.`,
        );
      }
    }
  } catch (error) {
    // What was interrupted in its middle fails, and that is no news.
    if (!stopping.aborted) {
      if (!(error instanceof Complaint)) throw error;
      console.error(`\n${error.message}`);
      process.exitCode = 1;
    }
  } finally {
    // What needs the others goes before them: the last deliveries of the relay still find the API.
    for (const served of running.toReversed()) await served.stop();
    if (stopping.aborted) console.log(`\n${farewell}`);
  }
}
