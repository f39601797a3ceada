/**
 * The journal of an import, so that an import can be killed at any point and resumed: its records, the port that stores
 * them, and the state that earlier runs left.
 */
import { type Digest, hex } from '../hash.ts';
import { lowerBound } from '../lower-bound.ts';

/**
 * A record of the journal. Ranges count rows by their position in the source, from 1, and cover the rows in between
 * that were not sent. No record holds an address.
 */
export type JournalRecord =
  | {
      readonly type: 'started';
      readonly version: 1;
      /** Seeds the hashes of this import. */
      readonly seed: Digest;
      readonly fingerprint?: string;
    }
  /** The rows are about to be sent. `digest` is that of every row up to `last`. */
  | (Range & { readonly type: 'sending'; readonly rows: number; readonly digest: string })
  /** The service took it; `id` is that of the import. */
  | (Range & { readonly type: 'accepted'; readonly rows: number; readonly id?: string })
  /** The service took none of the rows: the batch is divided, or waits for the next run. */
  | (Range & { readonly type: 'released' })
  /** The service refused the only row of the batch. */
  | (Range & { readonly type: 'refused'; readonly reason: string });

/** Stores the records. One import at a time may use it. */
export interface Journal {
  /** Every record, oldest first; without a last record that was cut off while it was written. */
  read(): AsyncIterable<unknown> | Iterable<unknown>;
  /** Resolves when the record is durable. Records are kept in the order of the calls, even where those overlap. */
  append(record: JournalRecord): Promise<void>;
}

/** The journal can't be used, or belongs to another import. Nothing was sent. */
export class JournalError extends Error {
  override readonly name = 'JournalError';
}

/** The source differs from the one the journal was started with. Rows that differ were not sent. */
export class SourceChangedError extends Error {
  override readonly name = 'SourceChangedError';

  constructor(what: string) {
    super(
      `${what}. To go on, give back the source and the mapping of the first run; to import the new one, start with a new journal ` +
        '(rows that were sent are sent again then, which only updates them).',
    );
  }
}

/** A journal in memory: an import with it can be interrupted and resumed, but not after a crash. */
export function memoryJournal(): Journal {
  const records: JournalRecord[] = [];
  return {
    read: () => [...records],
    append: async (record) => void records.push(record),
  };
}

/** Reads one record. @throws JournalError */
export function readRecord(value: unknown, number: number): JournalRecord {
  const problem = 'is not a record of this version';
  if (typeof value !== 'object' || value === null || !('type' in value)) throw damaged(number, problem);
  const record = value as Readonly<Record<string, unknown>>;
  if (record['type'] === 'started') {
    const { version, seed, fingerprint } = record;
    if (version !== 1 || !isDigest(seed)) throw damaged(number, problem);
    return { type: 'started', version, seed, ...(typeof fingerprint === 'string' && { fingerprint }) };
  }
  const { type, first, last, rows, digest, id, reason } = record;
  if (!isOrdinal(first) || !isOrdinal(last) || first > last) throw damaged(number, 'names no rows');
  if (type === 'released') return { type, first, last };
  if (type === 'refused' && typeof reason === 'string') return { type, first, last, reason };
  if (type === 'sending' && isOrdinal(rows) && typeof digest === 'string') return { type, first, last, rows, digest };
  if (type === 'accepted' && isOrdinal(rows)) return { type, first, last, rows, ...(typeof id === 'string' && { id }) };
  throw damaged(number, problem);
}

function isDigest(value: unknown): value is Digest {
  return Array.isArray(value) && value.length === 4 && value.every((word) => Number.isInteger(word));
}

function isOrdinal(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 1;
}

function damaged(number: number, problem: string): JournalError {
  return new JournalError(
    `Record ${number} of the journal ${problem}. Start with a new journal: rows that were sent are sent again then, which only updates them.`,
  );
}

/** From `first` to `last`, both included. */
export interface Range {
  readonly first: number;
  readonly last: number;
}

/** A set of whole numbers, kept as ranges that neither touch nor overlap. */
export class RangeSet {
  /** Ascending. */
  readonly #ranges: Range[] = [];

  get ranges(): readonly Range[] {
    return this.#ranges;
  }

  add({ first, last }: Range): void {
    const from = this.#position(first - 1);
    let to = from;
    let merged = { first, last };
    for (let next = this.#ranges[to]; next && next.first <= last + 1; next = this.#ranges[(to += 1)]) {
      merged = { first: Math.min(merged.first, next.first), last: Math.max(merged.last, next.last) };
    }
    this.#ranges.splice(from, to - from, merged);
  }

  has(value: number): boolean {
    const range = this.#ranges[this.#position(value)];
    return range !== undefined && range.first <= value;
  }

  /** Index of the first range that ends at or after `value`. */
  #position(value: number): number {
    return lowerBound(this.#ranges.length, (index) => (this.#ranges[index]?.last ?? 0) >= value);
  }
}

type StartedRecord = Extract<JournalRecord, { type: 'started' }>;

/** The state that earlier runs left: which rows are settled, and digests that must come out again. */
export class ResumeState {
  readonly seed: Digest;
  /** Calls the service took. */
  batches = 0;
  /** Ids the service gave. */
  readonly importIds: string[] = [];
  readonly #started: StartedRecord;
  /** Rows the service took or refused, and those in between that were not sent. */
  readonly #settled = new RangeSet();
  /** Batches that were sent and whose response was lost, by their last row. */
  readonly #lost = new Map<number, Range>();
  /** Digests that must come out again, by the row they are of. */
  readonly #digests = new Map<number, string>();
  readonly #refused = new Map<number, string>();
  #latest: { readonly last: number; readonly digest: string } | undefined;

  constructor(started: StartedRecord) {
    this.#started = started;
    this.seed = started.seed;
  }

  /** Applies one record. */
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
        if (record.id !== undefined) this.importIds.push(record.id);
        break;
      case 'refused':
        this.#settle(record);
        this.#refused.set(record.last, record.reason);
        break;
    }
  }

  /** @throws SourceChangedError */
  checkStart(fingerprint: string | undefined): void {
    const { fingerprint: before } = this.#started;
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

  /** Checks that the source still holds every row that was sent. @param rows - number of its rows */
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

  /** Whether a batch of an earlier run ended with this row and must be sent as it was. */
  endsBatch(ordinal: number): boolean {
    return this.#digests.has(ordinal);
  }

  /** The batch around this row whose response was lost; it is sent again unchanged. */
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

/** Reads the state that earlier runs left; undefined for an empty journal. @throws JournalError */
export async function readResumeState(journal: Journal): Promise<ResumeState | undefined> {
  let state: ResumeState | undefined;
  let number = 0;
  for await (const value of journal.read()) {
    const record = readRecord(value, (number += 1));
    if (state) state.apply(record);
    else if (record.type === 'started') state = new ResumeState(record);
    else
      throw new JournalError(
        'The journal does not begin with the start of an import: it is not one, or its beginning is missing.',
      );
  }
  return state;
}
