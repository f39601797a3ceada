/**
 * The values of mapped fields in one canonical text per kind, so that two spellings of one value count as equal. Pure.
 */
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

const absent: Reading = { state: 'absent' };
const invalid: Reading = { state: 'invalid' };
const empty: Reading = { state: 'value', text: '' };

/** Separates the members of a list in its canonical text; no text of a CRM holds it. */
const memberSeparator = '\u001f';

/**
 * Reads a value into its canonical text: trimmed and composed (NFC) text, the shortest form of a number, `true` or
 * `false`, `YYYY-MM-DD`, UTC seconds, the sorted members of a list without repetition.
 *
 * @param separator - where lists come as one text: what stands memberSeparator their members
 */
export function readValue(kind: ValueKind, value: unknown, separator = ';'): Reading {
  if (value === undefined) return absent;
  if (value === null) return empty;
  const text = canonicalText(kind, value, separator);
  return text === undefined ? invalid : { state: 'value', text };
}

function canonicalText(kind: ValueKind, value: unknown, separator: string): string | undefined {
  switch (kind) {
    case 'string':
      return plainText(value);
    case 'integer':
    case 'double':
      return numberText(value, kind);
    case 'boolean':
      return booleanText(value);
    case 'date':
    case 'datetime':
      return timeText(value, kind);
    case 'list':
      return listText(value, separator);
    default:
      return plainText(value satisfies unknown);
  }
}

function plainText(value: unknown): string | undefined {
  if (typeof value === 'string') return value.normalize('NFC').trim();
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

function numberText(value: unknown, kind: 'integer' | 'double'): string | undefined {
  const text = typeof value === 'string' ? value.trim() : value;
  if (text === '') return '';
  if (typeof text !== 'string' && typeof text !== 'number') return undefined;
  const number = Number(text);
  return Number.isFinite(number) && (kind === 'double' || Number.isInteger(number)) ? String(number) : undefined;
}

const booleanTexts: Readonly<Record<string, 'true' | 'false' | ''>> = {
  true: 'true',
  yes: 'true',
  on: 'true',
  1: 'true',
  false: 'false',
  no: 'false',
  off: 'false',
  0: 'false',
  '': '',
};

function booleanText(value: unknown): string | undefined {
  if (typeof value !== 'boolean' && typeof value !== 'string' && typeof value !== 'number') return undefined;
  const word = String(value).trim().toLowerCase();
  return Object.hasOwn(booleanTexts, word) ? booleanTexts[word] : undefined;
}

const day = /^(\d{4})-(\d{2})-(\d{2})$/;
const instant = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?$/i;

/** A day alone stands for its midnight in UTC, and so does a time without a zone for UTC. Numbers are Unix seconds. */
function timeText(value: unknown, kind: 'date' | 'datetime'): string | undefined {
  if (value instanceof Date) return isoText(value.getTime(), kind);
  if (typeof value === 'number') return isoText(value * 1000, kind);
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  if (text === '') return '';
  if (day.test(text)) return isoText(Date.parse(`${text}T00:00:00Z`), kind, text);
  if (!instant.test(text)) return undefined;
  const zoned = /(?:Z|[+-]\d{2}:?\d{2})$/i.test(text) ? text : `${text}Z`;
  return isoText(Date.parse(zoned.replace(' ', 'T')), kind);
}

/** The first and the last moment whose year has four digits; other years would not fit the canonical text. */
const firstYear = Date.parse('0000-01-01T00:00:00Z');
const lastYear = Date.parse('9999-12-31T23:59:59.999Z');

/** @param written - the day as it was written: `Date.parse` takes 31 April for 1 May */
function isoText(milliseconds: number, kind: 'date' | 'datetime', written?: string): string | undefined {
  if (!(milliseconds >= firstYear && milliseconds <= lastYear)) return undefined;
  const iso = new Date(milliseconds).toISOString();
  if (written !== undefined && iso.slice(0, 10) !== written) return undefined;
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

/** A yes/no field; undefined where it was not delivered or is neither. */
export function yesNo(value: unknown): boolean | undefined {
  const reading = readValue('boolean', value);
  return reading.state === 'value' ? reading.text === 'true' : undefined;
}

/** A canonical text as a value of its kind; null where it is empty. */
export function valueOf(kind: ValueKind, text: string): string | number | boolean | string[] | null {
  if (text === '') return null;
  if (kind === 'integer' || kind === 'double') return Number(text);
  if (kind === 'boolean') return text === 'true';
  return kind === 'list' ? text.split(memberSeparator) : text;
}
