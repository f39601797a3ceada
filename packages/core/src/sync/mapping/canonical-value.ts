/**
 * The values of mapped fields in one canonical text per kind, so that two spellings of one value count as equal. Pure.
 */
import { dateIn, utcOf } from '../../facts/dates.ts';
import { numberIn } from '../../signup/numbers.ts';
import { yesOrNo } from '../../facts/yes-no.ts';
import type { customFieldKinds } from '../../contract/values.ts';

/** The kind of a mapped field, as the API names it (specification, CustomField). */
export type ValueKind = (typeof customFieldKinds)[number];

/**
 * The value of a field on one side: its canonical text, which is empty where the field has no value; null where the
 * value does not fit the kind of the field; undefined where the side did not deliver the field, and says nothing.
 */
export type Reading = string | null | undefined;

/** Separates the members of a list in its canonical text; no text of a CRM holds it. */
export const memberSeparator = '\u001f';

/**
 * Reads a value into its canonical text: trimmed and composed (NFC) text with line feeds, the shortest form of a
 * number, `true` or `false`, `YYYY-MM-DD`, UTC seconds, the sorted members of a list without repetition.
 *
 * @param separator - where lists come as one text: what stands between their members
 */
export function readValue(kind: ValueKind, value: unknown, separator = ';'): Reading {
  if (value === undefined) return undefined;
  const isEmpty = value === null || (typeof value === 'string' && value.trim() === '');
  return isEmpty ? '' : (readers[kind](value, separator) ?? null);
}

const readers: Readonly<Record<ValueKind, (value: unknown, separator: string) => string | undefined>> = {
  string: plainText,
  integer: integerText,
  // CRMs write decimals with a point, as programs do; only people write a comma.
  double: (value) => numberIn(value, String(value).includes(',') ? undefined : '.')?.toString(),
  boolean: (value) => yesOrNo(value)?.toString(),
  // The day as it was written, whatever its zone: midnight in Berlin is the day before in UTC.
  date: (value) => dateIn(value)?.slice(0, 10),
  datetime: timeText,
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

/** All digits, also those of a number beyond 2^53; a number with an exponent has lost some. */
function integerText(value: unknown): string | undefined {
  if (typeof value === 'bigint' || Number.isInteger(value)) return BigInt(value as bigint | number).toString();
  const text = typeof value === 'string' && !/e/i.test(value) ? value.trim() : '';
  if (/^[+-]?\d+$/.test(text)) return BigInt(text).toString();
  const number = numberIn(text);
  return Number.isSafeInteger(number) ? String(number) : undefined;
}

function timeText(value: unknown): string | undefined {
  const iso = dateIn(value);
  return iso && utcOf(iso);
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

/** A value of a field; null where there is none. */
export type FieldValue = string | number | boolean | string[] | null;

/** A canonical text as a value of its kind. An integer beyond 2^53 stays text. */
export function valueOf(kind: ValueKind, text: string): FieldValue {
  if (text === '') return null;
  if (kind === 'integer') return Number.isSafeInteger(Number(text)) ? Number(text) : text;
  if (kind === 'double') return Number(text);
  if (kind === 'boolean') return text === 'true';
  return kind === 'list' ? text.split(memberSeparator) : text;
}
