/** How what was entered becomes a value, by its kind, and what to say where it cannot. */
import { isAddress, type SubmittedValue } from '@newsletter-kit/core/signup';
import type { ControlKind } from './kinds.ts';
import type { MessageKey } from './messages.ts';
import { oneOf } from './warn.ts';

interface Reading {
  /** What to say where what was entered {@link Reading.fits} not, or where something is needed. Default `missing`. */
  readonly problem?: MessageKey;
  /** Whether what was entered can be a value. Default: always. */
  readonly fits?: (text: string) => boolean;
  /** The value of what was entered; of nothing, mostly nothing. Default: the text itself. */
  readonly read?: (text?: string) => SubmittedValue | undefined;
}

const readings: Readonly<Record<string, Reading> & Record<ControlKind, Reading>> = {
  string: {},
  integer: { problem: 'notInteger', fits: (text) => /^[+-]?\d{1,15}$/.test(text), read: toNumber },
  // A decimal point or comma. `1,234` is refused: half the world reads it as a thousand, the other half as one.
  double: {
    problem: 'notDouble',
    fits: (text) => /^[+-]?(?![1-9]\d{0,2},\d{3}$)\d{1,15}([.,]\d+)?$/.test(text),
    read: toNumber,
  },
  boolean: { problem: 'notTicked', read: (text) => !!text && text !== 'false' },
  consent: { problem: 'notTicked' },
  // A date input holds `YYYY-MM-DD` or nothing; browsers let nothing else through. A hidden field may hold anything.
  date: { problem: 'notDate', fits: isDate },
  // The visitor's local time as an instant: `2026-03-01T17:30:00Z`.
  datetime: {
    problem: 'notDate',
    fits: isDate,
    read: (text) => text && new Date(text).toISOString().replace(/\.\d+/, ''),
  },
  list: {},
  email: { problem: 'emailInvalid', fits: isAddress },
};

const [byDefault = '', ...others] = Object.keys(readings);

/** How to read what stands in an input of this kind; any other word is a `string`, with a warning. */
export function readingOf(input: Element, kind: string): Reading {
  return readings[oneOf(input, 'kind', kind, byDefault, ...others)] ?? {};
}

function isDate(text: string): boolean {
  return Number.isFinite(Date.parse(text));
}

function toNumber(text?: string): number | undefined {
  return text ? Number(text.replace(',', '.')) : undefined;
}
