/** What an import writes down, so that it can be killed at any point: the records, and the port they go through. */
import type { Digest } from '../hash.ts';
import type { Range } from './ranges.ts';

/** One call for one kind of import: many rows in each, or one. */
export type ImportMode = 'bulk' | 'single';

/**
 * A record of the journal. Ranges count rows by their place in the source, from 1, and cover the rows in between that
 * were not sent. No record holds an address.
 */
export type JournalRecord =
  | {
      readonly type: 'started';
      readonly version: 1;
      readonly mode: ImportMode;
      /** Seeds the hashes of this import. */
      readonly seed: Digest;
      readonly fingerprint?: string;
    }
  /** About to be sent. `digest` is that of every row up to `last`. */
  | (Range & { readonly type: 'sending'; readonly rows: number; readonly digest: string })
  /** The service took it; `id` is that of the import or of the subscription. */
  | (Range & { readonly type: 'accepted'; readonly rows: number; readonly id?: string })
  /** Nothing of it was taken: it is divided, or waits for the next run. */
  | (Range & { readonly type: 'released' })
  /** The service refused the one row of it. */
  | (Range & { readonly type: 'refused'; readonly reason: string });

/** Keeps records. One import at a time may use it. */
export interface Journal {
  /** Every record, oldest first. What was cut off while it was written is no record. */
  read(): AsyncIterable<unknown> | Iterable<unknown>;
  /** Resolves when the record is durable. Records are kept in the order of the calls, even where those overlap. */
  append(record: JournalRecord): Promise<void>;
}

/** The import and its journal don't fit together, or the journal can't be used. Nothing was sent for it. */
export class JournalError extends Error {
  override readonly name = 'JournalError';
}

/** The source is not the one the journal was begun with. What no longer fits was not sent. */
export class SourceChangedError extends Error {
  override readonly name = 'SourceChangedError';

  constructor(what: string) {
    super(
      `${what}. To go on, give back the source and the mapping of the first run; to import the new one, start with a new journal ` +
        '(rows that were sent are sent again then, which only updates them).',
    );
  }
}

/** A journal for as long as this object lives: repeats nothing within it, survives no crash. */
export function memoryJournal(): Journal {
  const records: JournalRecord[] = [];
  return {
    read: () => [...records],
    append: async (record) => void records.push(record),
  };
}

/** The record, where it is one. @throws JournalError */
export function readRecord(value: unknown, number: number): JournalRecord {
  const problem = 'is none of this version';
  if (typeof value !== 'object' || value === null || !('type' in value)) throw damaged(number, problem);
  const record = value as Readonly<Record<string, unknown>>;
  if (record['type'] === 'started') {
    if (
      record['version'] !== 1 ||
      !isDigest(record['seed']) ||
      (record['mode'] !== 'bulk' && record['mode'] !== 'single')
    )
      throw damaged(number, problem);
    const fingerprint = record['fingerprint'];
    return {
      type: 'started',
      version: 1,
      mode: record['mode'],
      seed: record['seed'],
      ...(typeof fingerprint === 'string' && { fingerprint }),
    };
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
