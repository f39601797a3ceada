/** A batch: the rows of one call, and how a refused one is divided. */
import type { SubscriptionRequest } from '../schema/types.ts';
import type { Digest } from '../hash.ts';
import type { Range } from './ranges.ts';

/** A row that is ready to be sent. */
export interface Entry {
  /** Its place in the source, from 1. */
  readonly ordinal: number;
  /** The number people know it by. */
  readonly row: number;
  readonly request: SubscriptionRequest;
  readonly original: unknown;
  /** Of every row up to this one. */
  readonly digest: Digest;
}

/**
 * Entries that go out together. `last` is the place of the last entry; rows without one may stand before or between.
 */
export interface Batch extends Range {
  readonly entries: readonly Entry[];
  /** Whether an earlier run sent these rows and never learned what became of them. */
  readonly resent: boolean;
}

/**
 * Divides a refused batch. Where the service named entries (`subscriptions[3]`), each of those goes alone and what lies
 * between them together; otherwise the batch is halved. Either way the parts keep the order, and every entry is in one
 * of them.
 *
 * @param said - the service's messages
 */
export function divide(batch: Batch, said: readonly string[]): Batch[] {
  const { entries } = batch;
  const named = new Set(
    said.flatMap((message) => [...message.matchAll(/\bsubscriptions\[(\d+)\]/g)].map(([, index]) => Number(index))),
  );
  const cuts = new Set([...named].filter((index) => index < entries.length).flatMap((index) => [index, index + 1]));
  if (cuts.size === 0) cuts.add(entries.length >> 1);
  const ends = [...cuts].filter((end) => end > 0 && end < entries.length).sort((a, b) => a - b);

  let from = 0;
  let { first } = batch;
  return [...ends, entries.length].map((end) => {
    const part = entries.slice(from, end);
    const last = part.at(-1)?.ordinal ?? batch.last;
    const divided = { entries: part, first, last, resent: false };
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
