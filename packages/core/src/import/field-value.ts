/** Converts a value from a table or a form to the type that the field's kind has on the wire. Pure. */
import { dateIn, type DateOrder } from '../facts/dates.ts';
import { numberIn, type DecimalMark } from '../signup/numbers.ts';
import { yesOrNo } from '../facts/yes-no.ts';
import { parseJson } from '../parse-json.ts';
import type { YesNoMeanings } from './headings.ts';
import { valueKey } from './services.ts';

/** What the API takes as the value of a custom field. */
export type FieldValue = string | number | boolean | readonly string[];

/** The conversion for one kind. */
export interface FieldValueReader {
  /** What the value has to be, to complete "must be" or "must hold". */
  readonly expected: string;
  /** The value to send, or undefined where it does not fit. */
  read(value: unknown): FieldValue | undefined;
}

/** How texts are read. */
export interface FieldValueOptions {
  /** What stands between the members of a list. Default `,`. */
  readonly separator?: string | undefined;
  /** Default: only dates whose order shows are read. */
  readonly dateOrder?: DateOrder | undefined;
  /** Default: only numbers that show their decimal mark are read. */
  readonly decimalMark?: DecimalMark | undefined;
  /** Values of a boolean beside those that everybody knows. */
  readonly yesNo?: YesNoMeanings | undefined;
}

/** By kind; the kinds are those of custom fields. */
const readers: Readonly<Partial<Record<string, (options: FieldValueOptions) => FieldValueReader>>> = {
  integer: ({ decimalMark }) => ({
    expected: 'a whole number',
    read: (value) => wholeOnly(numberIn(value, decimalMark)),
  }),
  double: ({ decimalMark }) => ({
    expected: 'a number such as 1.5',
    read: (value) => numberIn(value, decimalMark),
  }),
  boolean: ({ yesNo = {} }) => {
    const said = new Map(Object.entries(yesNo).map(([value, meaning]) => [valueKey(value), meaning === 'yes']));
    return { expected: 'true or false', read: (value) => yesOrNo(value) ?? said.get(valueKey(String(value))) };
  },
  date: ({ dateOrder }) => ({
    expected: 'a day such as 2026-01-31',
    read: (value) => dateIn(value, dateOrder)?.slice(0, 10),
  }),
  datetime: ({ dateOrder }) => ({
    expected: 'a time such as 2026-01-31T12:00:00Z',
    read: (value) => dateIn(value, dateOrder),
  }),
  list: ({ separator = ',' }) => ({
    expected:
      separator === ',' ? 'a list, or texts with commas between them' : `texts with "${separator}" between them`,
    read: (value) => toList(value, separator),
  }),
};

/**
 * The conversion for a kind. A kind that is not known is read as a text.
 *
 * - `string`: texts, numbers and booleans
 * - `integer`, `double`: numbers, and texts such as `12`, `-1.5`, `2e3` and `1.234,5`; `1.234` by the decimal mark
 * - `boolean`: true and false, 1 and 0, and texts such as true, yes, on, x, no and off in any case
 * - `date`, `datetime`: what people keep of a day or time. Days are written `2026-01-31`, `2026/1/31`, `31.1.2026`,
 *   `31/1/2026` or `1/31/2026`, counted from 1900 as a spreadsheet does (`46053`), or stand for a time since 1970 in
 *   seconds or milliseconds; a date is the day as it is written, whatever the time zone
 * - `list`: lists of texts, numbers and booleans, texts with the separator between the members, JSON lists
 */
export function fieldValueReader(kind: string, options: FieldValueOptions = {}): FieldValueReader {
  const reader = Object.hasOwn(readers, kind) ? readers[kind] : undefined;
  return reader?.(options) ?? { expected: 'a text', read: toText };
}

function toText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))
    ? String(value)
    : undefined;
}

function wholeOnly(number: number | undefined): number | undefined {
  return Number.isSafeInteger(number) ? number : undefined;
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
  const members = parseJson(list) ?? parseJson(list.replaceAll("'", '"'));
  return Array.isArray(members) ? members : undefined;
}
