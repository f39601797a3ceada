/** Converts an entered value of a custom field to the API's form, by the field's kind. Pure. */
import { fieldValueReader, type FieldValue } from '@newsletter-kit/core/import';
import { tryToParseDateTime } from 'n8n-workflow';

/** The value to send, or the expected form, which completes "must be". */
export type Converted = { readonly sent: FieldValue } | { readonly expected: string };

/**
 * Converts a value from any input in the same way: n8n validates some values by the type of the editor's input, and
 * others not at all.
 *
 * @param timezone - of the workflow, for times without an offset, as in n8n's own nodes
 */
export function convert(kind: string, value: unknown, timezone: string): Converted {
  const { expected, read } = fieldValueReader(kind);
  const sent = read(inTextForm(kind, value, timezone));
  return sent === undefined ? { expected } : { sent };
}

/** As e-mail headers have it (RFC 2822): `Fri, 20 Nov 2026 09:30:00 +0100`. */
const headerDate = /^(?:[A-Za-z]{3}, )?\d{1,2} [A-Za-z]{3} \d{4} \d{2}:\d{2}/;

/** Dates as ISO 8601, times with their offset from UTC; every other value as it is. */
function inTextForm(kind: string, value: unknown, timezone: string): unknown {
  if (isDateTime(value)) return kind === 'date' ? value.toISODate() : value.toISO({ suppressMilliseconds: true });
  const text = typeof value === 'string' && (kind === 'date' || kind === 'datetime') ? value.trim() : undefined;
  // The day of a date is the day that is written; only a time depends on a zone.
  const isTime = text !== undefined && kind === 'datetime' && fieldValueReader(kind).read(text) !== undefined;
  if (!isTime && !(text !== undefined && headerDate.test(text)) && !(value instanceof Date)) return value;
  try {
    return inTextForm(kind, tryToParseDateTime(text ?? value, timezone), timezone);
  } catch {
    return value; // rejected with its own value
  }
}

/** The DateTime of n8n's expressions, of whichever copy of Luxon. */
interface DateTimeLike {
  toISODate(): string | null;
  toISO(options: { suppressMilliseconds: boolean }): string | null;
}

function isDateTime(value: unknown): value is DateTimeLike {
  return typeof value === 'object' && value !== null && 'toISODate' in value && 'toISO' in value;
}
