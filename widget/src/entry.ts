/** Reads what the visitor entered, and makes of it the body that is sent. */
import {
  attributionLimit,
  cleanText,
  fitAttribution,
  honeypotField,
  isAddress,
  normalizeAddress,
  submissionLimit,
  type Attribution,
  type SubmittedField,
} from '@newsletter-kit/core/signup';
import { kinds, splitChoices } from './kinds.ts';
import type { MessageKey } from './messages.ts';
import type { FieldDefinition } from './field-definition.ts';

/** Name and id of the e-mail control. */
export const emailName = 'email';

/** Name of the control of a custom field; the one a form without script would post under. */
export function controlName({ name, kind, options }: FieldDefinition): string {
  return `custom_fields[${name}]${kind === 'list' && options.length > 0 ? '[]' : ''}`;
}

/** Id of the control of the custom field at this position. */
export function controlId(position: number): string {
  return `field-${position}`;
}

/** What stands in the form. `problems` says for the id of a control which text mends it. */
export interface Entry {
  readonly email: string;
  readonly fields: readonly SubmittedField[];
  readonly trap: string;
  readonly problems: ReadonlyMap<string, MessageKey>;
}

/** Reads the form. Empty fields are left out; an unticked box is an answer: false. */
export function readEntry(form: HTMLFormElement, definitions: readonly FieldDefinition[]): Entry {
  const data = new FormData(form);
  const entered = (name: string) => data.getAll(name).map((text) => cleanText(String(text))).filter(Boolean);
  const problems = new Map<string, MessageKey>();

  const email = normalizeAddress(entered(emailName)[0] ?? '');
  if (!isAddress(email)) problems.set(emailName, email ? 'emailInvalid' : 'emailMissing');

  const fields: SubmittedField[] = [];
  for (const [position, field] of definitions.entries()) {
    const { read, problem = 'missing' } = kinds[field.kind];
    const id = controlId(position);
    const given = entered(controlName(field));
    const texts = field.kind === 'list' && field.options.length === 0 ? given.flatMap(splitChoices) : given;
    const value = read(...texts);
    // Of a date only the day was typed: no value, but not empty either.
    const halfTyped = form.querySelector<HTMLInputElement>(`#${id}`)?.validity.badInput;
    if (halfTyped || (texts.length > 0 && value === undefined)) problems.set(id, problem);
    else if (texts.length === 0 && field.required) problems.set(id, 'missing');
    else if (value !== undefined) fields.push({ name: field.name, value });
  }
  return { email, fields, trap: entered(honeypotField)[0] ?? '', problems };
}

/**
 * The body of the request, or undefined where even without attribution it would be larger than endpoints take. A long
 * campaign name is shortened before anything the visitor typed is refused.
 */
export function composeBody({ email, fields, trap }: Entry, attribution: Attribution): string | undefined {
  const typed = { email, ...(fields.length > 0 && { custom_fields: fields }), ...(trap && { [honeypotField]: trap }) };
  const room = submissionLimit - new TextEncoder().encode(JSON.stringify(typed)).length;
  return room < 0 ? undefined : JSON.stringify({ ...typed, ...fitAttribution(attribution, Math.min(room, attributionLimit)) });
}
