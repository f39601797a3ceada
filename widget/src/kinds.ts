/** The kinds of field: which input asks for each, and how what was entered becomes a value. */
import { isAddress, type SubmittedValue } from '@newsletter-kit/core/signup';
import type { FieldKind } from './field-kind.ts';
import type { MessageKey } from './messages.ts';

/** A kind of custom field, the address itself, or a sentence to agree to. */
export type ControlKind = FieldKind | 'email' | 'consent';

interface Kind {
  /** Type of the input where one is typed in; default `text`. */
  readonly type?: 'date' | 'datetime-local';
  /** The on-screen keyboard. */
  readonly inputMode?: 'email' | 'numeric' | 'decimal';
  /** What to say where what was entered {@link Kind.fits} not, or where something is needed. Default `missing`. */
  readonly problem?: MessageKey;
  /** Whether what was entered can be a value. Default: always. */
  readonly fits?: (text: string) => boolean;
  /** The value of what was entered; of nothing, mostly nothing. Default: the text itself. */
  readonly read?: (text?: string) => SubmittedValue | undefined;
}

export const kinds: Readonly<Record<ControlKind, Kind>> = {
  // Not `type="email"`: Chromium would hand over an international domain in Punycode, other browsers as it was typed, and
  // one person would become two. Endpoints bring the spelling of addresses into one form; we send what was typed.
  email: { inputMode: 'email', problem: 'emailInvalid', fits: isAddress },
  string: {},
  integer: { inputMode: 'numeric', problem: 'notInteger', fits: (text) => /^[+-]?\d{1,15}$/.test(text), read: toNumber },
  // A decimal point or comma. `1,234` is refused: half the world reads it as a thousand, the other half as one.
  double: { inputMode: 'decimal', problem: 'notDouble', fits: (text) => /^[+-]?(?![1-9]\d{0,2},\d{3}$)\d{1,15}([.,]\d+)?$/.test(text), read: toNumber },
  boolean: { problem: 'notTicked', read: (text) => !!text && text !== 'false' },
  consent: { problem: 'notTicked' },
  // A date input holds `YYYY-MM-DD` or nothing; browsers let nothing else through. A hidden field may hold anything.
  date: { type: 'date', problem: 'notDate', fits: isDate },
  // The visitor's local time as an instant: `2026-03-01T17:30:00Z`.
  datetime: { type: 'datetime-local', problem: 'notDate', fits: isDate, read: (text) => text && new Date(text).toISOString().replace(/\.\d+/, '') },
  list: {},
};

/** The kind of this name, or `string` where there is none. */
export function toKind(word: string): ControlKind {
  return Object.hasOwn(kinds, word) ? (word as ControlKind) : 'string';
}

/** `a, b, c` or, for choices with a comma in them, `a | b, c` as a list. */
export function splitChoices(text: string): readonly string[] {
  return text.split(text.includes('|') ? '|' : ',').map((choice) => choice.trim()).filter(Boolean);
}

function isDate(text: string): boolean {
  return !Number.isNaN(Date.parse(text));
}

function toNumber(text?: string): number | undefined {
  return text ? Number(text.replace(',', '.')) : undefined;
}
