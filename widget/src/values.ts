/** Reads the values of a form by their kinds, and composes the request body. */
import {
  cleanText,
  fitAttribution,
  formToObject,
  isAddress,
  jsonBytes,
  submissionLimit,
  type Attribution,
  type SubmittedValue,
} from '@newsletter-kit/core/signup';
import { controlsOf, labelOf, type Problems } from './form.ts';
import type { MessageKey } from './messages.ts';
import type { FieldKind } from './newsletter-field.ts';

/** A kind of custom field, the address itself, or a sentence to agree to. */
export type ControlKind = FieldKind | 'email' | 'consent';

/**
 * Splits `a, b, c` or, for choices that contain commas, `a | b, c`. The commas of Arabic, Chinese and Japanese count as
 * well.
 */
export function splitChoices(text: string): readonly string[] {
  return text
    .split(text.includes('|') ? '|' : /[,،，、]/)
    .map((choice) => choice.trim())
    .filter(Boolean);
}

interface KindRules {
  /** The problem of a text that is invalid, or missing where it is required. Default `missing`. */
  readonly problem?: MessageKey;
  /** Whether a text is valid. Default: always. */
  readonly isValid?: (text: string) => boolean;
  /** Converts the text. Default: the text itself. */
  readonly convert?: (text?: string) => SubmittedValue | undefined;
}

const rules: Readonly<Record<string, KindRules> & Record<ControlKind, KindRules>> = {
  string: {},
  integer: { problem: 'notInteger', isValid: (text) => /^[+-]?\d{1,15}$/.test(text), convert: toNumber },
  // A decimal point or comma. `1,234` is refused: it is a thousand in one half of the world and about one in the other.
  double: {
    problem: 'notDouble',
    isValid: (text) => /^[+-]?(?![1-9]\d{0,2},\d{3}$)\d{1,15}([.,]\d+)?$/.test(text),
    convert: toNumber,
  },
  boolean: { problem: 'notTicked', convert: (text) => !!text && text !== 'false' },
  consent: { problem: 'notTicked' },
  // A date input holds `YYYY-MM-DD` or nothing. A hidden field may hold anything.
  date: { problem: 'notDate', isValid: isDate },
  // The visitor's local time as an instant: `2026-03-01T17:30:00Z`.
  datetime: {
    problem: 'notDate',
    isValid: isDate,
    convert: (text) => text && new Date(text).toISOString().replace(/\.\d+/, ''),
  },
  list: {},
  email: { problem: 'emailInvalid', isValid: isAddress },
};

function isDate(text: string): boolean {
  return Number.isFinite(Date.parse(text));
}

function toNumber(text?: string): number | undefined {
  return text ? Number(text.replace(',', '.')) : undefined;
}

/** The kind that the type of an owner's input implies. */
const kindOfType: Readonly<Record<string, ControlKind>> = {
  number: 'double',
  date: 'date',
  'datetime-local': 'datetime',
};

/** The kind of a control: its `data-kind`, which may be any word, else what its name and type imply. */
function kindOf({ name, type, value, dataset }: HTMLInputElement): string {
  if (dataset['kind']) return dataset['kind'];
  if (name === 'email' || name === 'consent') return name;
  if (name.endsWith('[]')) return 'list';
  return type === 'checkbox' && /^(on|true)$/.test(value) ? 'boolean' : (kindOfType[type] ?? 'string');
}

/** The values in a form, and what is wrong with them. */
export interface FormValues {
  /** Under the names of the wire, without empty ones. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly problems: Problems;
}

/**
 * Reads a form whose controls have the names of a post without JavaScript: `email`, `custom_fields[Name]` and so on. An
 * unticked checkbox is `false`. A text has at most 2000 characters, the limit of endpoints.
 */
export function readValues(form: HTMLFormElement): FormValues {
  const data = new FormData(form);
  const entries: [string, SubmittedValue][] = [];
  const problems = new Map<string, MessageKey>();
  for (const [name, control] of controlsOf(form)) {
    const { input, described } = control;
    const kind = kindOf(input);
    const {
      problem = 'missing',
      isValid = () => true,
      convert = (text?: string) => text,
    } = (Object.hasOwn(rules, kind) && rules[kind]) || {};
    const texts = data
      .getAll(name)
      .map((text) => (typeof text === 'string' ? cleanText(text, 2000, true) : ''))
      .filter(Boolean);
    const [text] = texts;
    const isFit = text ? isValid(text) : !(input.required || kind === 'email' || 'required' in described.dataset);
    // The value of a consent checkbox is its sentence: its label, where the owner gave the input no value.
    const value = kind === 'consent' && text === 'on' ? labelOf(control) : isFit && convert(text);
    // `badInput`: of a date, only the day was typed. It has no value, but it is not empty either.
    if (!isFit || input.validity?.badInput) {
      // An invalid hidden field is left out: no visitor can mend it.
      if (input.willValidate) problems.set(name, problem);
    } else if (kind === 'list') {
      const list = name.replace(/(\[\])?$/, '[]');
      for (const item of name === list ? texts : splitChoices(text ?? '')) entries.push([list, item]);
    } else if (value !== undefined) entries.push([name, value]);
  }
  return { values: formToObject(entries), problems };
}

/**
 * Composes the request body. Attribution is shortened first where the body would exceed the limit of endpoints.
 *
 * @returns undefined where the values alone exceed it
 */
export function composeBody(values: FormValues['values'], attribution: Attribution): string | undefined {
  const room = submissionLimit - jsonBytes(values);
  return room < 0 ? undefined : JSON.stringify({ ...values, ...fitAttribution(attribution, room) });
}
