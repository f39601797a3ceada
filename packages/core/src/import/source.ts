/** Where rows come from, and what a row is. */
import type { SubscriptionRequest } from '../schema/types.ts';

/** A row of a reader that knows more about it than its content, for example that of a CSV file. */
export interface SourceRow {
  /** The number people find it by, at least 1. */
  readonly row: number;
  /** What to send; checked by the import. */
  readonly subscription?: unknown;
  /** Why the reader can't make a subscription of it. Holds no value of the row. */
  readonly problem?: string | undefined;
  /** The row as the source has it, for whoever takes rejected rows. Default: `subscription`. */
  readonly original?: unknown;
}

/**
 * A subscription as the API takes it, numbered by its place; or a {@link SourceRow}. What fits neither comes out as
 * rejected.
 */
export type ImportRow = SubscriptionRequest | SourceRow;

/** Rows, in the same order at every run. Pulled one by one, only as batches go out. */
export type Rows = AsyncIterable<ImportRow> | Iterable<ImportRow>;

/** Rows with what is known of the whole. */
export interface ImportSource {
  readonly rows: Rows;
  /** Changes where the content does; kept in the journal, so that another file is refused at once. */
  readonly fingerprint?: string | undefined;
  /** How many rows there are, or a function that estimates it; for the time left. */
  readonly total?: number | (() => number | undefined) | undefined;
}

/** A row that does not reach the service, or that the service refused. */
export interface Rejection {
  /** The row's number. */
  readonly row: number;
  /**
   * - `invalid` – it can't be sent: no address, a value of the wrong kind
   * - `duplicate` – an earlier row has the same address; the first wins
   * - `refused` – the service refused it
   */
  readonly kind: 'invalid' | 'duplicate' | 'refused';
  /** What is wrong, without any value of the row. */
  readonly reason: string;
  /** The row as the source has it. Holds an address: for the reject file, not for a log. */
  readonly original: unknown;
}

/** A row with its number, whichever way it was given. */
export function numbered(given: unknown, ordinal: number): SourceRow {
  return isSourceRow(given) ? given : { row: ordinal, subscription: given };
}

function isSourceRow(given: unknown): given is SourceRow {
  if (typeof given !== 'object' || given === null || !('row' in given)) return false;
  return Number.isSafeInteger(given.row) && ('subscription' in given || 'problem' in given);
}
