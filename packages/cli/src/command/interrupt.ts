/** Ctrl-C and SIGTERM: the first asks to finish what is under way, the second ends at once. */
import process from 'node:process';
import { exitCodes } from './exit-codes.ts';

/** @param onFirst - tells the person that it was heard */
export function watchSignals(onFirst: () => void): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(exitCodes.interrupted);
      controller.abort();
      onFirst();
    });
  }
  return controller.signal;
}
