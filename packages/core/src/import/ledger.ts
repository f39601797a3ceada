/**
 * What earlier runs of an import came to, read from its journal: which rows are settled, and what must still be the
 * same.
 */
import { hex, type Digest } from '../hash.ts';
import {
  JournalError,
  readRecord,
  SourceChangedError,
  type ImportMode,
  type Journal,
  type JournalRecord,
} from './journal.ts';
import { RangeSet, type Range } from './ranges.ts';

type Begun = Extract<JournalRecord, { type: 'started' }>;

/** The state of an import at the start of a run. */
export class Ledger {
  readonly seed: Digest;
  /** Calls the service took. */
  batches = 0;
  /** Ids the service gave, in bulk imports. */
  readonly importIds: string[] = [];
  readonly #begun: Begun;
  /** Rows the service took or refused, and those in between that were not sent. */
  readonly #settled = new RangeSet();
  /** Sent, but the answer is not known, by their last row. */
  readonly #lost = new Map<number, Range>();
  /** Digests that must come out again, by the row they are of. */
  readonly #digests = new Map<number, string>();
  readonly #refused = new Map<number, string>();
  #latest: { readonly last: number; readonly digest: string } | undefined;

  constructor(begun: Begun) {
    this.#begun = begun;
    this.seed = begun.seed;
  }

  /** Takes up one record. */
  apply(record: JournalRecord): void {
    switch (record.type) {
      case 'started':
        throw new JournalError('The journal holds two imports. Start with a new one.');
      case 'sending':
        this.#lost.set(record.last, record);
        this.#digests.set(record.last, record.digest);
        if (!this.#latest || record.last > this.#latest.last) this.#latest = record;
        break;
      case 'released':
        this.#lost.delete(record.last);
        break;
      case 'accepted':
        this.#settle(record);
        this.batches += 1;
        if (record.id !== undefined && this.#begun.mode === 'bulk') this.importIds.push(record.id);
        break;
      case 'refused':
        this.#settle(record);
        this.#refused.set(record.last, record.reason);
        break;
    }
  }

  /** @throws SourceChangedError, JournalError where this is the journal of another import */
  checkStart(mode: ImportMode, fingerprint: string | undefined): void {
    if (this.#begun.mode !== mode) {
      throw new JournalError(
        `The journal is that of an import ${how[this.#begun.mode]}, not ${how[mode]}. Start with a new journal, or go on as it began.`,
      );
    }
    const { fingerprint: before } = this.#begun;
    if (before !== undefined && fingerprint !== undefined && before !== fingerprint) {
      throw new SourceChangedError('The source is not the one this import was begun with: its fingerprint differs');
    }
  }

  /** Checks the digest of every row up to this one. @throws SourceChangedError */
  checkRow(ordinal: number, digest: Digest): void {
    const expected = this.#digests.get(ordinal) ?? (this.#latest?.last === ordinal ? this.#latest.digest : undefined);
    if (expected === undefined || expected === hex(digest)) return;
    throw new SourceChangedError(
      `Among the first ${ordinal} rows, some are not what they were when this import was begun: the source, or the mapping of its columns, has changed`,
    );
  }

  /** Checks that the source holds what it held. @param rows - how many it has */
  checkEnd(rows: number): void {
    if (!this.#latest || rows >= this.#latest.last) return;
    throw new SourceChangedError(
      `The source ends after ${rows} rows; an earlier run of this import had already sent row ${this.#latest.last}`,
    );
  }

  isSettled(ordinal: number): boolean {
    return this.#settled.has(ordinal);
  }

  /** Why the service refused this row; undefined where it did not. */
  refusal(ordinal: number): string | undefined {
    return this.#refused.get(ordinal);
  }

  /** Whether a call of an earlier run ended here and must not be joined with the rows that follow. */
  endsBatch(ordinal: number): boolean {
    return this.#digests.has(ordinal);
  }

  /** The rows around this one that were sent together and whose answer was lost: they go out once more as they were. */
  lostAround(ordinal: number): Range | undefined {
    for (const range of this.#lost.values()) if (range.first <= ordinal && ordinal <= range.last) return range;
    return undefined;
  }

  #settle(range: Range): void {
    this.#settled.add(range);
    this.#lost.delete(range.last);
    this.#digests.delete(range.last);
  }
}

const how: Readonly<Record<ImportMode, string>> = { bulk: 'in batches', single: 'one by one' };

/** Reads a journal. Undefined where it is empty: nothing was begun. @throws JournalError */
export async function readLedger(journal: Journal): Promise<Ledger | undefined> {
  let ledger: Ledger | undefined;
  let number = 0;
  for await (const value of journal.read()) {
    const record = readRecord(value, (number += 1));
    if (ledger) ledger.apply(record);
    else if (record.type === 'started') ledger = new Ledger(record);
    else
      throw new JournalError(
        'The journal does not begin with the start of an import: it is not one, or its beginning is missing.',
      );
  }
  return ledger;
}
