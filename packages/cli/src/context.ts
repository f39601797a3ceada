/** The context of a command: its arguments, environment, output and interruption, and the exit codes it may set. */
import process from 'node:process';
import type { Reporter } from './output.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The context of a command; `command-line.ts` creates it. */
export interface Context {
  /** The arguments behind the command's name. */
  readonly argv: readonly string[];
  readonly env: Environment;
  readonly report: Reporter;
  /** Aborts with the first Ctrl-C or SIGTERM. */
  readonly interrupted: AbortSignal;
  /** Sets the exit code; 0 where a command sets none. */
  readonly end: (code: ExitCode) => void;
}

/** The exit codes of every command. */
export const exitCodes = {
  /** The command did all of its work. */
  done: 0,
  /** It failed: wrong usage, a refusal of the service, a full disk. */
  failed: 1,
  /** It did its work except for rejected rows, which are in a file, or for findings that need a decision. */
  needsAttention: 2,
  /** Ctrl-C or SIGTERM stopped it; the same command continues where it stopped. */
  interrupted: 3,
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

/**
 * A signal for calls that write: it aborts two seconds after `interrupted`, so that a call that is about to be answered
 * is not sent again by the next run.
 *
 * @param onInterrupted - called with the interruption, to tell the user
 */
export function abortAfterGrace(interrupted: AbortSignal, onInterrupted: () => void): AbortSignal {
  const controller = new AbortController();
  interrupted.addEventListener('abort', () => {
    onInterrupted();
    setTimeout(() => controller.abort(), graceMs).unref();
  });
  return controller.signal;
}
