/** What a value entered for a custom field becomes on the wire, by the field's kind. Pure. */

/** What the API takes as the value of a custom field. */
export type SentValue = string | number | boolean | string[];

interface Conversion {
  /** What the value has to be, to complete "The custom field … must be". */
  readonly must: string;
  /** The value to send, or undefined where it does not fit. */
  convert(value: unknown): SentValue | undefined;
}

/** By kind. */
export const conversions: Readonly<Record<string, Conversion>> = {
  string: { must: 'a text', convert: toText },
  integer: { must: 'a whole number', convert: (value) => wholeOnly(toNumber(value)) },
  double: { must: 'a number', convert: toNumber },
  boolean: { must: 'true or false', convert: toBoolean },
  date: { must: 'a date such as 2026-11-20', convert: (value) => toMoment(value)?.day },
  datetime: { must: 'a date and time such as 2026-11-20T09:30:00Z', convert: (value) => toMoment(value)?.moment },
  list: { must: 'a list, or texts separated by commas', convert: toList },
};

function toText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return toMoment(value)?.moment;
}

function toNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

function wholeOnly(number: number | undefined): number | undefined {
  return Number.isSafeInteger(number) ? number : undefined;
}

function toBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  const word = String(value).trim().toLowerCase();
  return word === 'true' ? true : word === 'false' ? false : undefined;
}

/**
 * The day and the moment of a text, a Date, or the DateTime that n8n makes of its date picker (in the workflow's time
 * zone).
 */
function toMoment(value: unknown): { day: string; moment: string } | undefined {
  if (isDateTime(value)) return { day: value.toISODate(), moment: value.toISO() };
  const text = value instanceof Date ? value.toISOString() : value;
  if (typeof text !== 'string' || !/^\d{4}-\d{2}-\d{2}(?:$|[T ])/.test(text) || Number.isNaN(Date.parse(text)))
    return undefined;
  return { day: text.slice(0, 10), moment: text };
}

interface DateTimeLike {
  toISODate(): string;
  toISO(): string;
}

function isDateTime(value: unknown): value is DateTimeLike {
  return typeof value === 'object' && value !== null && 'toISODate' in value && 'toISO' in value;
}

function toList(value: unknown): string[] | undefined {
  const entries: unknown[] = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [value];
  const texts = entries.map(toText);
  return texts.every((text) => text !== undefined) ? texts.map((text) => text.trim()).filter(Boolean) : undefined;
}
