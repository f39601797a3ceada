/** The kinds of field: which input asks for each, and how what was entered becomes a value. */
import { isAddress, type SubmittedValue } from '@newsletter-kit/core/signup';
import type { FieldKind } from './field-kind.ts';
import type { MessageKey } from './messages.ts';

/** A kind of custom field, or the address itself. */
export type ControlKind = FieldKind | 'email';

interface Kind {
  /** Type of the input. Where there are options, a `list` is shown as checkboxes and a `string` as radio buttons. */
  readonly type: 'text' | 'checkbox' | 'date' | 'datetime-local';
  /** The on-screen keyboard. */
  readonly inputMode?: 'email' | 'numeric' | 'decimal';
  /** What the browser may fill in. */
  readonly autocomplete?: 'email';
  /** What to say where {@link Kind.read} finds no value in what was entered, or where something is needed. Default `missing`. */
  readonly problem?: MessageKey;
  /** The value of what was entered, or undefined where it is none. */
  readonly read: (...entered: readonly string[]) => SubmittedValue | undefined;
}

export const kinds: Readonly<Record<ControlKind, Kind>> = {
  // Not `type="email"`: Chromium would hand over an international domain in Punycode, other browsers as it was typed, and
  // one person would become two. Endpoints bring the spelling of addresses into one form; we send what was typed.
  email: { type: 'text', inputMode: 'email', autocomplete: 'email', problem: 'emailInvalid', read: (text = '') => (isAddress(text) ? text : undefined) },
  string: { type: 'text', read: (text) => text },
  integer: { type: 'text', inputMode: 'numeric', problem: 'notInteger', read: readInteger },
  double: { type: 'text', inputMode: 'decimal', problem: 'notDouble', read: readDouble },
  boolean: { type: 'checkbox', problem: 'notTicked', read: (...ticked) => ticked.length > 0 },
  // A date input holds `YYYY-MM-DD` or nothing; browsers let nothing else through.
  date: { type: 'date', problem: 'notDate', read: (text) => text },
  datetime: { type: 'datetime-local', problem: 'notDatetime', read: readDatetime },
  list: { type: 'text', read: (...items) => (items.length > 0 ? items : undefined) },
};

/** The kind of this name, or `string` where there is none. */
export function toKind(word: string): ControlKind {
  return Object.hasOwn(kinds, word) ? (word as ControlKind) : 'string';
}

/** `a, b, c` or, for choices with a comma in them, `a | b, c` as a list. */
export function splitChoices(text: string): readonly string[] {
  return text.split(text.includes('|') ? '|' : ',').map((choice) => choice.trim()).filter(Boolean);
}

function readInteger(text = ''): number | undefined {
  return /^[+-]?\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** Takes a decimal point or comma. `1,234` is refused: half the world reads it as a thousand, the other half as one. */
function readDouble(text = ''): number | undefined {
  return /^[+-]?(?![1-9]\d{0,2},\d{3}$)\d{1,15}([.,]\d+)?$/.test(text) ? Number(text.replace(',', '.')) : undefined;
}

/** The visitor's local time as an instant: `2026-03-01T17:30:00Z`. */
function readDatetime(text?: string): string | undefined {
  return text && new Date(text).toISOString().replace(/\.\d+/, '');
}
