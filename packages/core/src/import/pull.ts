/** Pulls rows one by one from any iterable, and lets go of it at any time. */
import type { Signal } from '../engine/host.ts';

/** A source being read. */
export interface Pull<T> {
  /** The next value, or undefined where there is none, or where the signal has aborted. */
  next(): Promise<{ readonly value: T } | undefined>;
  /** Lets the source clean up. Does not wait for one that is still busy with a value. */
  close(): Promise<void>;
}

/** Starts reading. A value that comes after the signal has aborted is dropped. */
export function pull<T>(rows: AsyncIterable<T> | Iterable<T>, signal: Signal | undefined): Pull<T> {
  const iterator = Symbol.asyncIterator in rows ? rows[Symbol.asyncIterator]() : rows[Symbol.iterator]();
  let busy = false;
  let ended = false;
  return {
    async next() {
      if (signal?.aborted || ended) return undefined;
      busy = true;
      const result = await unlessAborted(iterator.next(), signal);
      if (result === undefined) return undefined;
      busy = false;
      ended = result.done === true;
      return ended ? undefined : { value: result.value as T };
    },
    async close() {
      if (ended) return;
      ended = true;
      const closing = Promise.resolve(iterator.return?.());
      // A generator that hangs in a wait answers `return` only after it.
      if (busy) closing.catch(() => undefined);
      else await closing;
    },
  };
}

/** The value, or undefined as soon as the signal aborts. */
function unlessAborted<T>(value: T | Promise<T>, signal: Signal | undefined): Promise<T | undefined> {
  if (!signal) return Promise.resolve(value);
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(undefined);
    signal.addEventListener('abort', stop);
    Promise.resolve(value)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', stop));
  });
}
