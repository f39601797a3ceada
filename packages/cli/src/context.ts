/** What commands are given: a context to define them, a session to do their work; and the exit codes. */
import process from 'node:process';
import type { Host } from '@newsletter-kit/core';
import type { Reporter } from './output.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What a command's definition is given; `command-line.ts` creates it. */
export interface Context {
  /** The arguments behind the program's name. */
  readonly argv: readonly string[];
  readonly env: Environment;
  /** Does the work of the command and sets its exit code. Tests of flags read the options instead. */
  run<Options>(work: Work<Options>, options: Options): Promise<void>;
}

/** The work of a command: everything behind the reading of its flags. */
export type Work<Options> = (options: Options, session: Session) => Promise<ExitCode>;

/** The exit codes of every command. */
export const exitCodes = {
  /** The command did all of its work. */
  done: 0,
  /** It failed for a reason that no other code names, such as a full disk. */
  failed: 1,
  /** It did its work except for rejected rows, which are in a file, or for findings that need a decision. */
  needsAttention: 2,
  /** Ctrl-C or SIGTERM stopped it; the same command continues where it stopped. */
  interrupted: 3,
  /** Wrong options, or a connection that is not set up. */
  usage: 64,
  /** The service refused the data, or the file cannot be read. */
  refused: 65,
  /** There is no such file, publication or record. */
  notFound: 66,
  /** The same command may succeed later: no network, a rate limit, a service that fails. */
  tryAgain: 75,
  /** Key or login are missing, refused, or belong to another service. */
  credentials: 77,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Ctrl-C or SIGTERM stopped the command. The message says what is kept, and how to go on. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
}

/** Ctrl-C and SIGTERM: the first one cancels the command, the second ends the process at once. */
export function watchSignals(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(exitCodes.interrupted);
      controller.abort();
    });
  }
  return controller.signal;
}

/** How long calls that write may still take after an interruption, in milliseconds. */
const graceMs = 2000;

/** What the work of a command uses beside its options. */
export class Session {
  readonly env: Environment;
  readonly report: Reporter;
  /** Aborts with the first Ctrl-C or SIGTERM. */
  readonly interrupted: AbortSignal;

  constructor({ env, report, interrupted }: Pick<Session, 'env' | 'report' | 'interrupted'>) {
    this.env = env;
    this.report = report;
    this.interrupted = interrupted;
  }

  /**
   * Does work that ends at once where the command is interrupted.
   *
   * @param kept - says what is kept then, and how to go on
   * @throws InterruptedError with that sentence
   */
  async reading<T>(work: () => Promise<T>, kept: () => string): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.interrupted.aborted && isAbort(error) ? new InterruptedError(kept()) : error;
    }
  }

  /** Like {@link reading}, for work that writes. @param work - is given the signal for its calls */
  async writing<T>(work: (signal: AbortSignal) => Promise<T>, kept: () => string): Promise<T> {
    return await this.reading(() => work(this.abortAfterGrace()), kept);
  }

  /** @returns false where the command is interrupted before or meanwhile */
  async pause(host: Pick<Host, 'sleep'>, ms: number): Promise<boolean> {
    if (!this.interrupted.aborted)
      await host.sleep(ms, this.interrupted).catch((error: unknown) => {
        if (!this.interrupted.aborted) throw error;
      });
    return !this.interrupted.aborted;
  }

  /**
   * A signal for calls that write: it aborts two seconds after an interruption, so that a call that is about to be
   * answered is not sent again by the next run.
   */
  abortAfterGrace(): AbortSignal {
    const controller = new AbortController();
    this.interrupted.addEventListener('abort', () => {
      this.report.notice({
        type: 'stopping',
        text: 'Stopping: running requests have two seconds to finish. Press Ctrl-C again to stop at once.',
      });
      setTimeout(() => controller.abort(), graceMs).unref();
    });
    return controller.signal;
  }
}

/** Whether an error says that a signal aborted the work. By name: core is loaded by the commands that need it. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && /^(InterruptedError|AbortedError|AbortError)$/.test(error.name);
}
