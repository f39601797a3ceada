/** Deviations: parts of a request or an answer that are not as the specification has them, and did not end the call. */
import { secondsOf } from '../facts/moment.ts';
import { isUnknownStatus } from '../facts/subscriber-status.ts';
import { isRecord } from '../is-record.ts';
import type { CallName, ServiceMessage } from './errors.ts';

/** A part of a call that is not as the specification has it. The call went on; `problem` says how. */
export interface Deviation {
  /** The operation; for `client.request` the method and path, addresses removed. */
  readonly operation: CallName;
  /** `request`: sent so. `answer`: came so, and is given as it came unless `problem` says otherwise. */
  readonly part: 'request' | 'answer';
  /** Path of the field, without the indexes of lists, for example `data[].stats.open_rate`. */
  readonly field: string;
  /** What is odd, and what was made of it; never a value. */
  readonly problem: string;
  /** Records of this answer that have it; 1 outside of lists. */
  readonly records: number;
}

/** A deviation of an operation that is known from elsewhere. */
export type FieldDeviation = Pick<Deviation, 'field' | 'problem'> & { readonly records?: number };

/** `subscriptions.list: answered "data[].created": expected number (3 records).` */
export function deviationText(deviation: Deviation): string {
  const { operation, part } = deviation;
  return `${operation}: ${part === 'request' ? 'sent' : 'answered'} ${deviationWarning(deviation).message}.`;
}

/** As a warning of the response. */
export function deviationWarning({ field, problem, records }: Deviation): ServiceMessage {
  return { code: 'deviation', message: `"${field}": ${problem}${records > 1 ? ` (${records} records)` : ''}` };
}

/** Most fields that are remembered as told: a caller may make up names of fields without end. */
const mostTold = 10_000;

/** Tells each deviation once per operation, part and field. */
export function tellOnce(listener: ((deviation: Deviation) => unknown) | undefined): (found: Deviation) => void {
  const told = new Set<string>();
  return (found) => {
    const key = `${found.operation} ${found.part} ${found.field}`;
    if (!listener || told.has(key) || told.size >= mostTold) return;
    told.add(key);
    listener(found);
  };
}

/** What a needed field must hold. `text`: a text, or a whole number, read as one. `time`: see {@link secondsOf}. */
type NeededKind = 'text' | 'time';

/**
 * The fields of a record that a program of this package cannot do without. Where one cannot be used, that record is
 * left out, named and counted. Every other field is given as it came.
 */
export const neededFields = {
  /** Lists of any kind. */
  client: { id: 'text' },
  watch: { id: 'text', status: 'text', created: 'time' },
  sync: { id: 'text', email: 'text', status: 'text', created: 'time' },
  /** The relay, which looks for what it sent in bulk. */
  relay: { id: 'text', email: 'text', created: 'time' },
  /** The import, the sync, the export and the editor of n8n, which read the custom fields of a publication. */
  customFields: { id: 'text', display: 'text' },
} as const satisfies Record<string, Readonly<Record<string, NeededKind>>>;

/** A program that reads lists. */
export type ListReader = keyof typeof neededFields;

/** Messages of the service, whatever they came in: objects with `message` and `code`, or texts. */
export function messagesIn(value: unknown): ServiceMessage[] {
  return (Array.isArray(value) ? (value as unknown[]) : []).flatMap((each) => {
    if (typeof each === 'string') return [{ message: each, code: '' }];
    return isRecord(each) ? [{ message: textOrEmpty(each['message']), code: textOrEmpty(each['code']) }] : [];
  });
}

export const textOrEmpty = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The records of an answer that can be used, the others, and what was odd. */
export interface ReadRecords {
  readonly items: readonly unknown[];
  readonly leftOut: readonly unknown[];
  readonly deviations: readonly FieldDeviation[];
}

/**
 * Separates the records that a program can use. A needed field in another form is replaced by the usual one.
 *
 * @param latest - the last moment that can stand in them, in milliseconds since the Unix epoch
 */
export function readRecords(records: readonly unknown[], reader: ListReader, latest?: number): ReadRecords {
  const needed = Object.entries<NeededKind>(neededFields[reader]);
  const items: unknown[] = [];
  const leftOut: unknown[] = [];
  const counts = new Map<string, FieldDeviation & { records: number }>();
  const count = (field: string, problem: string): void => {
    const known = counts.get(field + problem);
    if (known) known.records += 1;
    else counts.set(field + problem, { field, problem, records: 1 });
  };
  for (const record of records) {
    if (!isRecord(record)) {
      count('data[]', 'is no object; left out');
      leftOut.push(record);
      continue;
    }
    let changes: Record<string, unknown> | undefined;
    let unusable: string | undefined;
    for (const [name, kind] of needed) {
      const value = record[name];
      const read = kind === 'time' ? secondsOf(value, latest) : textOf(value);
      if (read === undefined && kind === 'time' && isEarly(value)) count(`data[].${name}`, 'lies before 1995');
      else if (read === undefined) unusable ??= name;
      else if (read !== value) (changes ??= {})[name] = read;
    }
    if (unusable !== undefined) {
      count(`data[].${unusable}`, 'missing or of no use; a program that needs it leaves the record out');
      leftOut.push(record);
      continue;
    }
    for (const name of Object.keys(changes ?? {})) count(`data[].${name}`, 'came in another form, and was read');
    items.push(changes ? { ...record, ...changes } : record);
  }
  return { items, leftOut, deviations: [...counts.values()] };
}

/** What a status may be called: a longer one, or one with other signs, may be anything. */
const statusWord = /^[\w -]{1,40}$/;

/** The statuses of subscriptions that the specification lacks, each once. @param data - a record, or a list of them */
export function unknownStatuses(data: unknown): readonly FieldDeviation[] {
  const counts = new Map<string, number>();
  for (const record of [data].flat()) {
    const status = isRecord(record) ? record['status'] : undefined;
    if (!isUnknownStatus(status)) continue;
    const word = statusWord.test(status) ? `=${status}` : '';
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return Array.from(counts, ([word, records]) => ({
    field: `data${Array.isArray(data) ? '[]' : ''}.status${word}`,
    problem: 'no status of the specification; counts as having left: nobody with it is reactivated',
    records,
  }));
}

/** Whether a number of seconds lies before any time that a service stamps. Nothing goes wrong by one. */
const isEarly = (value: unknown): boolean => typeof value === 'number' && value >= 0 && value < 1e8;

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  return Number.isSafeInteger(value) ? String(value) : undefined;
}
