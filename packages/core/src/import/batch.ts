/** A batch of rows for one call: how a refused batch is divided, and what an error of the call means for its rows. */
import {
  AbortedError,
  ApiError,
  ForeignAnswerError,
  InvalidAnswerError,
  InvalidRequestError,
  NetworkError,
  TimeoutError,
} from '../engine/errors.ts';
import type { Digest } from '../hash.ts';
import type { SubscriptionRequest } from '../schema/types.ts';
import type { Range } from './journal.ts';

/** A row that is ready to be sent. */
export interface BatchRow {
  /** Its position in the source, from 1. */
  readonly ordinal: number;
  /** The number people know it by. */
  readonly row: number;
  readonly request: SubscriptionRequest;
  readonly original: unknown;
  /** Of every row up to this one. */
  readonly digest: Digest;
}

/**
 * Rows that are sent in one call. `first` and `last` are positions in the source; the range also covers rows that are
 * left out, before and between the rows of the batch.
 */
export interface Batch extends Range {
  readonly rows: readonly BatchRow[];
  /** Whether an earlier run sent these rows and its response was lost. */
  readonly resent: boolean;
}

/** Positions of the rows that the service names in its messages: `subscriptions[3]`. */
export function namedRows({ rows }: Batch, messages: readonly string[]): readonly number[] {
  const named = messages.flatMap((message) => [...message.matchAll(/\bsubscriptions\[(\d+)\]/g)]);
  return named.map(([, index]) => Number(index)).filter((index) => index < rows.length);
}

/** Positions of three rows from different parts of a batch; none where it has fewer. */
export const samplesOf = ({ rows: { length } }: Batch): readonly number[] =>
  length >= 3 ? [1, 3, 5].map((part) => Math.floor((length * part) / 6)) : [];

/**
 * Divides a refused batch: each of these rows is a part of its own, and the rows between them form parts together;
 * without any, the batch is halved. The parts keep the order and hold every row once.
 *
 * @param singles - positions of rows
 */
export function divide(batch: Batch, singles: readonly number[]): Batch[] {
  const { rows } = batch;
  const cuts = new Set(singles.flatMap((index) => [index, index + 1]));
  if (cuts.size === 0) cuts.add(rows.length >> 1);
  const ends = [...cuts].filter((end) => end > 0 && end < rows.length).sort((a, b) => a - b);

  let from = 0;
  let { first } = batch;
  return [...ends, rows.length].map((end) => {
    const part = rows.slice(from, end);
    const last = part.at(-1)?.ordinal ?? batch.last;
    const divided = { rows: part, first, last, resent: false };
    from = end;
    first = last + 1;
    return divided;
  });
}

/** Bytes a text takes in UTF-8. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    // Either half of a surrogate pair: two of the pair's four bytes.
    bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}

/**
 * What an error of a call means for its rows:
 * - `refused` – the service refused the content: divide the batch, then reject single rows
 * - `failed` – a later call may succeed. Whether the rows were taken is unknown: the engine repeated the call, and the
 *   error is that of the last attempt
 * - `fatal` – every further call would fail in the same way
 */
export type BatchFailure =
  | { readonly kind: 'refused'; readonly messages: readonly string[]; readonly reason: string }
  | { readonly kind: 'failed' | 'fatal' };

/** No answer of the service that says what became of the rows. */
const unanswered = [NetworkError, TimeoutError, AbortedError, InvalidAnswerError];

/** Key, scope or publication are wrong. */
const fatalStatuses: ReadonlySet<number> = new Set([401, 403, 404]);

/** The service asks for a retry. */
const transientStatuses: ReadonlySet<number> = new Set([408, 429]);

export function classifyError(error: unknown): BatchFailure {
  if (error instanceof InvalidRequestError) return refused(error.problems);
  if (unanswered.some((Class) => error instanceof Class)) return { kind: 'failed' };
  if (error instanceof ForeignAnswerError)
    return error.about === 'record'
      ? refused([error.message])
      : { kind: error.about === 'outage' ? 'failed' : 'fatal' };
  if (!(error instanceof ApiError) || fatalStatuses.has(error.status)) return { kind: 'fatal' };
  if (error.status >= 500 || transientStatuses.has(error.status)) return { kind: 'failed' };
  return refused(error.errors.length > 0 ? error.errors.map(({ message }) => message) : [`status ${error.status}`]);
}

function refused(messages: readonly string[]): BatchFailure {
  return {
    kind: 'refused',
    messages,
    reason: `the service refused it: ${messages.map((message) => message.replace(/\.$/, '')).join('; ')}`,
  };
}
