/**
 * The values of mapped fields in one canonical text per kind, so that two spellings of one value count as equal. Pure.
 */
import { yesOrNo } from '../facts/yes-no.ts';
import type { customFieldKinds } from '../contract/values.ts';

/** The kind of a mapped field, as the API names it (specification, CustomField). */
export type ValueKind = (typeof customFieldKinds)[number];

/** The value of a field on one side. */
export type Reading =
  /** The side did not deliver the field: it says nothing about its value. */
  | { readonly state: 'absent' }
  /** The value does not fit the kind of the field. */
  | { readonly state: 'invalid' }
  /** The canonical text; empty where the field has no value. */
  | { readonly state: 'value'; readonly text: string };

/** Separates the members of a list in its canonical text; no text of a CRM holds it. */
export const memberSeparator = '\u001f';

/**
 * Reads a value into its canonical text: trimmed and composed (NFC) text with line feeds, the shortest form of a
 * number, `true` or `false`, `YYYY-MM-DD`, UTC seconds, the sorted members of a list without repetition.
 *
 * @param separator - where lists come as one text: what stands between their members
 */
export function readValue(kind: ValueKind, value: unknown, separator = ';'): Reading {
  if (value === undefined) return { state: 'absent' };
  const text = canonicalText(kind, value, separator);
  return text === undefined ? { state: 'invalid' } : { state: 'value', text };
}

/** The canonical text of a value that was delivered; undefined where it does not fit the kind. */
export function canonicalText(kind: ValueKind, value: unknown, separator = ';'): string | undefined {
  return value === null ? '' : readers[kind](value, separator);
}

const readers: Readonly<Record<ValueKind, (value: unknown, separator: string) => string | undefined>> = {
  string: plainText,
  integer: integerText,
  double: doubleText,
  boolean: booleanText,
  date: (value) => timeText(value, 'date'),
  datetime: (value) => timeText(value, 'datetime'),
  list: listText,
};

export function plainText(value: unknown): string | undefined {
  if (typeof value === 'string') {
    // Most values: at a fraction of the time.
    if (/^[ -~]*$/.test(value)) return value.trim();
    return value.normalize('NFC').replaceAll(/\r\n?/g, '\n').trim();
  }
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint'
    ? String(value)
    : undefined;
}

const integer = /^[+-]?\d+(?:\.0+)?$/;
/** `1.000` is one thousand in half of Europe, and one elsewhere: a person decides. */
const grouped = /^[+-]?\d{1,3}(?:\.\d{3})+$/;

/** All digits, also those of a number beyond 2^53. */
function integerText(value: unknown): string | undefined {
  if (Number.isSafeInteger(value)) return String(value);
  if (typeof value === 'bigint' || Number.isInteger(value)) return BigInt(value as bigint | number).toString();
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  if (text === '') return '';
  if (!integer.test(text) || grouped.test(text)) return undefined;
  const number = Number(text);
  return Number.isSafeInteger(number) ? String(number) : BigInt(text.replace(/^\+|\.0+$/g, '')).toString();
}

const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

function doubleText(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.trim() : value;
  if (text === '') return '';
  if (typeof text === 'string' ? !decimal.test(text) : typeof text !== 'number') return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? String(number) : undefined;
}

function booleanText(value: unknown): string | undefined {
  const said = yesOrNo(value);
  return said === undefined ? (typeof value === 'string' && value.trim() === '' ? '' : undefined) : String(said);
}

const time = /^(\d{4}-\d{2}-\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/i;
/** Seconds or milliseconds since 1970, and days of a spreadsheet; `2026` and `20260131` are neither. */
const numeric = /^(?:-?\d{10,13}|\d{5}(?:\.\d+)?)$/;

/**
 * A date is the day as it was written, whatever its zone: midnight in Berlin is the day before in UTC. A day alone
 * stands for its midnight in UTC, and so does a time without a zone for UTC.
 */
function timeText(value: unknown, kind: 'date' | 'datetime'): string | undefined {
  if (value instanceof Date) return isoText(value.getTime(), kind);
  if (typeof value === 'number') return isoText(millisecondsOf(value), kind);
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  if (text === '') return '';
  if (numeric.test(text)) return isoText(millisecondsOf(Number(text)), kind);
  const [, day] = time.exec(text) ?? [];
  // `Date.parse` takes 31 April for 1 May.
  if (day === undefined || isoText(Date.parse(day), 'date') !== day) return undefined;
  if (kind === 'date' || text === day) return isoText(Date.parse(day), kind);
  const zoned = /(?:Z|[+-]\d{2}:?\d{2})$/i.test(text) ? text : `${text}Z`;
  return isoText(Date.parse(zoned.replace(' ', 'T')), kind);
}

/** Days from 30 December 1899, where spreadsheets begin, to 1970. */
const daysTo1970 = 25_569;

/**
 * The time that a number stands for, by its size: days of a spreadsheet (1927 to 2173), Unix seconds (to 2286), or
 * milliseconds (from April 1970). Smaller numbers stand for no time that anybody keeps of a person.
 */
function millisecondsOf(value: number): number {
  const size = Math.abs(value);
  if (size >= 1e10) return value;
  if (size >= 100_000) return value * 1000;
  return value >= 10_000 ? Math.round((value - daysTo1970) * 86_400) * 1000 : Number.NaN;
}

/** The first and the last moment whose year has four digits; other years would not fit the canonical text. */
const firstYear = Date.parse('0000-01-01T00:00:00Z');
const lastYear = Date.parse('9999-12-31T23:59:59.999Z');

function isoText(milliseconds: number, kind: 'date' | 'datetime'): string | undefined {
  if (!(milliseconds >= firstYear && milliseconds <= lastYear)) return undefined;
  const iso = new Date(milliseconds).toISOString();
  return kind === 'date' ? iso.slice(0, 10) : `${iso.slice(0, 19)}Z`;
}

function listText(value: unknown, separator: string): string | undefined {
  const members: readonly unknown[] = Array.isArray(value)
    ? value
    : typeof value === 'string'
      ? value.split(separator)
      : [value];
  const texts = members.map(plainText);
  if (!texts.every((text) => text !== undefined)) return undefined;
  return [...new Set(texts.filter((text) => text !== ''))].sort().join(memberSeparator);
}

/** A canonical text as a value of its kind; null where it is empty. An integer beyond 2^53 stays text. */
export function valueOf(kind: ValueKind, text: string): string | number | boolean | string[] | null {
  if (text === '') return null;
  if (kind === 'integer') return Number.isSafeInteger(Number(text)) ? Number(text) : text;
  if (kind === 'double') return Number(text);
  if (kind === 'boolean') return text === 'true';
  return kind === 'list' ? text.split(memberSeparator) : text;
}
