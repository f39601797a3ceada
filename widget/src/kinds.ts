/** The kinds of field, and which input asks for each. */
import type { FieldKind } from './field-kind.ts';

/** A kind of custom field, the address itself, or a sentence to agree to. */
export type ControlKind = FieldKind | 'email' | 'consent';

interface TextInput {
  readonly type?: 'date' | 'datetime-local';
  /** The on-screen keyboard. */
  readonly inputMode?: 'email' | 'numeric' | 'decimal';
}

/** What is more than a plain text input. Looked up by any word an owner may have written. */
export const textInputs: Readonly<Record<string, TextInput>> = {
  // Not `type="email"`: Chromium would hand over an international domain in Punycode, other browsers as it was typed,
  // and one person would become two. Endpoints bring the spelling of addresses into one form; we send what was typed.
  email: { inputMode: 'email' },
  integer: { inputMode: 'numeric' },
  double: { inputMode: 'decimal' },
  date: { type: 'date' },
  datetime: { type: 'datetime-local' },
};

/**
 * `a, b, c` or, for choices with a comma in them, `a | b, c` as a list. Arabic, Chinese and Japanese have commas of
 * their own.
 */
export function splitChoices(text: string): readonly string[] {
  return text
    .split(text.includes('|') ? '|' : /[,،，、]/)
    .map((choice) => choice.trim())
    .filter(Boolean);
}
