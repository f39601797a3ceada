/** Ctrl-C and SIGTERM: the first one cancels the command, the second ends the process at once. */
import process from 'node:process';
import { exitCodes } from './context.ts';

/** Ctrl-C or SIGTERM stopped the command. The message says what is kept, and how to go on. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
}

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
