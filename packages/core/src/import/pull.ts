/** Pulls rows one by one from any iterable, and lets go of it at any time. */
import type { Signal } from '../engine/host.ts';

/** A source being read. */
export interface Pull<T> {
  /** The next result, or undefined where the signal has aborted. */
  next(): Promise<IteratorResult<T> | undefined> | IteratorResult<T> | undefined;
  /** Lets the source clean up. Does not wait for one that is still busy with a value. */
  close(): Promise<void>;
}

/** Starts reading. A value that comes after the signal has aborted is dropped. */
export function pull<T>(rows: AsyncIterable<T> | Iterable<T>, signal: Signal | undefined): Pull<T> {
  const iterator = Symbol.asyncIterator in rows ? rows[Symbol.asyncIterator]() : rows[Symbol.iterator]();
  let abandoned = false;
  return {
    next() {
      if (signal?.aborted) return undefined;
      const result = iterator.next();
      // A row that is there already needs no wait, and most rows are read without a signal.
      if (!signal || !('then' in result)) return result;
      return unlessAborted(result, signal, () => {
        abandoned = true;
      });
    },
    async close() {
      const closing = Promise.resolve(iterator.return?.());
      // A generator that hangs in a wait answers `return` only after it.
      if (abandoned) closing.catch(() => undefined);
      else await closing;
    },
  };
}

/** The value, or undefined as soon as the signal aborts. */
function unlessAborted<T>(value: Promise<T>, signal: Signal, abandon: () => void): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      abandon();
      resolve(undefined);
    };
    const settled = (): void => signal.removeEventListener('abort', stop);
    signal.addEventListener('abort', stop);
    value.then(
      (result) => {
        settled();
        resolve(result);
      },
      (error: unknown) => {
        settled();
        reject(error);
      },
    );
  });
}
