/** Converts a value from a table or a form to the type that the field's kind has on the wire. Pure. */
import { isRecord } from '../is-record.ts';
import { yesOrNo } from '../facts/yes-no.ts';

/** What the API takes as the value of a custom field. */
export type FieldValue = string | number | boolean | readonly string[];

/** The conversion for one kind. */
export interface FieldValueReader {
  /** What the value has to be, to complete "must be" or "must hold". */
  readonly expected: string;
  /** The value to send, or undefined where it does not fit. */
  read(value: unknown): FieldValue | undefined;
}

/** By kind; the kinds are those of custom fields. */
const readers: Readonly<Partial<Record<string, FieldValueReader>>> = {
  string: { expected: 'a text', read: toText },
  integer: { expected: 'a whole number', read: (value) => wholeOnly(toNumber(value)) },
  double: { expected: 'a number such as 1.5', read: toNumber },
  boolean: { expected: 'true or false', read: yesOrNo },
};

/** Order of day and month in a date such as 01/02/2026. */
export type DateOrder = 'dmy' | 'mdy';

/** How texts are read. */
export interface FieldValueOptions {
  /** What stands between the members of a list. Default `,`. */
  readonly separator?: string | undefined;
  /** Default: only dates whose order shows are read. */
  readonly dateOrder?: DateOrder | undefined;
}

/**
 * The conversion for a kind. A kind that is not known is read as a text.
 *
 * - `string`: texts, numbers and booleans
 * - `integer`, `double`: numbers, and texts in decimal notation (`12`, `-1.5`, `2e3`)
 * - `boolean`: true and false, 1 and 0, and texts such as true, yes, on, x, no and off in any case
 * - `date`, `datetime`: texts that begin with a day of the calendar, and as a time go on after `T` or a space; a date
 *   is the day as it is written, whatever the time zone. Days are written `2026-01-31`, `2026/1/31`, `31.1.2026`,
 *   `31/1/2026` or `1/31/2026`, or counted from 1900 as a spreadsheet does (`46053`)
 * - `list`: lists of texts, numbers and booleans, texts with the separator between the members, JSON lists
 */
export function fieldValueReader(
  kind: string,
  { separator = ',', dateOrder }: FieldValueOptions = {},
): FieldValueReader {
  if (kind === 'date' || kind === 'datetime') {
    return {
      expected: kind === 'date' ? 'a day such as 2026-01-31' : 'a time such as 2026-01-31T12:00:00Z',
      read:
        kind === 'date' ? (value) => toMoment(value, dateOrder)?.slice(0, 10) : (value) => toMoment(value, dateOrder),
    };
  }
  if (kind !== 'list') return (Object.hasOwn(readers, kind) ? readers[kind] : undefined) ?? text;
  return {
    expected:
      separator === ',' ? 'a list, or texts with commas between them' : `texts with "${separator}" between them`,
    read: (value) => toList(value, separator),
  };
}

const text: FieldValueReader = { expected: 'a text', read: toText };

function toText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))
    ? String(value)
    : undefined;
}

function toNumber(value: unknown): number | undefined {
  const number =
    typeof value === 'string' && /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value.trim()) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

function wholeOnly(number: number | undefined): number | undefined {
  return Number.isSafeInteger(number) ? number : undefined;
}

/** A text that begins with a day of the calendar, with that day as in ISO 8601. */
function toMoment(value: unknown, order: DateOrder | undefined): string | undefined {
  const text = typeof value === 'string' ? value.trim() : '';
  const moment = fromSpreadsheet(text) ?? inIsoForm(text, order);
  return isDay(moment.slice(0, 10)) && /^.{10}(?:$|[T ]\d)/.test(moment) && !Number.isNaN(Date.parse(moment))
    ? moment
    : undefined;
}

const written = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?:,?[ T]+(.+))?$/;

/** The order that a date shows: by a number above 12, or by dots, which only languages with the day first write. */
export function dateOrderOf(text: string): DateOrder | undefined {
  const [, first, mark, second] = written.exec(text.trim()) ?? [];
  if (mark === '.' || Number(first) > 12) return 'dmy';
  return Number(second) > 12 ? 'mdy' : undefined;
}

/** Whether it can be two days: 01/02/2026. */
export const isAmbiguousDate = (text: string): boolean => written.test(text.trim()) && dateOrderOf(text) === undefined;

/** A day in another order as in ISO 8601; any other text as it is. */
function inIsoForm(text: string, order: DateOrder | undefined): string {
  const [, year, month, day, rest] = /^(\d{4})[./](\d{1,2})[./](\d{1,2})(?:,?[ T]+(.+))?$/.exec(text) ?? [];
  if (year !== undefined) return isoOf(year, month, day, rest);
  const [whole, first, , second, lastYear, time] = written.exec(text) ?? [];
  const known = dateOrderOf(text) ?? order;
  if (whole === undefined || known === undefined) return text;
  return known === 'dmy' ? isoOf(lastYear, second, first, time) : isoOf(lastYear, first, second, time);
}

function isoOf(year = '', month = '', day = '', time: string | undefined): string {
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  if (time === undefined) return date;
  const [, hours, rest, half] = /^(\d{1,2})(:\d{2}(?::\d{2})?)(?:\s*([ap])\.?m\.?)?$/i.exec(time) ?? [];
  if (hours === undefined) return `${date}T${time}`;
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  return `${date}T${String(hour).padStart(2, '0')}${rest}`;
}

/** A day counted from 30 December 1899, with the time as its fraction. */
function fromSpreadsheet(text: string): string | undefined {
  if (!/^[2-7]\d{4}(?:\.\d+)?$/.test(text)) return undefined;
  const moment = new Date(Date.UTC(1899, 11, 30) + Math.round(Number(text) * 86_400) * 1000).toISOString();
  return text.includes('.') ? moment.slice(0, 19) : moment.slice(0, 10);
}

function isDay(day: string): boolean {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(day) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}

/** Undefined where a member is no text, for a text without members, and for one in brackets that is no JSON list. */
function toList(value: unknown, separator: string): readonly string[] | undefined {
  const members =
    typeof value === 'string' ? membersOf(value.trim(), separator) : Array.isArray(value) ? value : [value];
  const texts = members?.map(toText);
  if (!texts?.every((member) => member !== undefined)) return undefined;
  const filled = texts.map((member) => member.trim()).filter(Boolean);
  return filled.length > 0 || Array.isArray(value) ? filled : undefined;
}

function membersOf(list: string, separator: string): readonly unknown[] | undefined {
  if (!(list.startsWith('[') && list.endsWith(']'))) return list.split(separator);
  // n8n takes a list with the quotation marks of JavaScript too.
  const members = parse(list) ?? parse(list.replaceAll("'", '"'));
  return Array.isArray(members) && !members.some(isRecord) ? members : undefined;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined;
  }
}
