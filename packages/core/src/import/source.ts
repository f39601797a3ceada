/** The source of an import: types of its rows, and reading them one by one. */
import type { Signal } from '../engine/host.ts';
import type { SubscriptionRequest } from '../schema/types.ts';

/** A row of a reader that knows more about it than its content, for example that of a CSV file. */
export interface SourceRow {
  /** The number people find the row by, at least 1. */
  readonly row: number;
  /** The subscription to send; checked by the import. */
  readonly subscription?: unknown;
  /** Why the row is left out. Holds no value of the row but words of consent. */
  readonly problem?: string | undefined;
  /** What kind of problem it is. Default `invalid`. */
  readonly kind?: Rejection['kind'] | undefined;
  /** The row as the source has it, for a file of rejected rows. Default: `subscription`. */
  readonly original?: unknown;
}

/**
 * A subscription as the API takes it, numbered by its position; or a {@link SourceRow}. What fits neither comes out as
 * rejected.
 */
export type ImportRow = SubscriptionRequest | SourceRow;

/** Rows, in the same order at every run. Pulled one by one, only as batches go out. */
export type Rows = AsyncIterable<ImportRow> | Iterable<ImportRow>;

/** Rows with a fingerprint and the number of rows, where known. */
export interface ImportSource {
  readonly rows: Rows;
  /** Changes where the content does; kept in the journal, so that another file is refused at once. */
  readonly fingerprint?: string | undefined;
  /** How many rows there are, or a function that estimates it; for the time left. */
  readonly total?: number | (() => number | undefined) | undefined;
  /** Releases what the source holds open, also where no row was read. Called when the import ends, however it ends. */
  readonly close?: (() => Promise<void>) | undefined;
}

/** A row that does not reach the service, or that the service refused. */
export interface Rejection {
  /** The row's number. */
  readonly row: number;
  /**
   * - `invalid` – it can't be sent: no address, a value of the wrong kind
   * - `duplicate` – an earlier row has the same address; the first wins
   * - `refused` – the service refused it
   * - `left` – the source, or a list of people to keep out, says that the person has left, bounced, complained or never
   *   asked for mails
   * - `unconfirmed` – the source says that the person signed up and never confirmed
   * - `unclear` – the source should say whether the person wants mails, and does not
   */
  readonly kind: 'invalid' | 'duplicate' | 'refused' | 'left' | 'unconfirmed' | 'unclear';
  /** What is wrong, without any value of the row but words of consent. */
  readonly reason: string;
  /** The row as the source has it. Holds an address: for the reject file, not for a log. */
  readonly original: unknown;
}

/** A row with its number: the source's own, or its position. */
export function numbered(value: unknown, ordinal: number): SourceRow {
  return isSourceRow(value) ? value : { row: ordinal, subscription: value };
}

function isSourceRow(value: unknown): value is SourceRow {
  if (typeof value !== 'object' || value === null || !('row' in value)) return false;
  return Number.isSafeInteger(value.row) && ('subscription' in value || 'problem' in value);
}

/** A source being read. */
export interface Pull<T> {
  /** The next result, or undefined where the signal has aborted. */
  next(): Promise<IteratorResult<T> | undefined> | IteratorResult<T> | undefined;
  /** Closes the source. Does not wait for a source that is still producing a row. */
  close(): Promise<void>;
}

/** Starts to read. A row that arrives after the signal has aborted is dropped. */
export function pull<T>(rows: AsyncIterable<T> | Iterable<T>, signal: Signal | undefined): Pull<T> {
  const iterator = Symbol.asyncIterator in rows ? rows[Symbol.asyncIterator]() : rows[Symbol.iterator]();
  let abandoned = false;
  return {
    next() {
      if (signal?.aborted) return undefined;
      const result = iterator.next();
      // A synchronous source needs no wait, and most imports run without a signal.
      if (!signal || !('then' in result)) return result;
      return unlessAborted(result, signal, () => {
        abandoned = true;
      });
    },
    async close() {
      const closing = Promise.resolve(iterator.return?.());
      // A generator that awaits something handles `return` only after that.
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
