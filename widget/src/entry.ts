/** Reads what the visitor entered, and makes of it the body that is sent. */
import {
  cleanText,
  fitAttribution,
  honeypotField,
  jsonBytes,
  submissionLimit,
  type Attribution,
  type SubmittedField,
} from '@newsletter-kit/core/signup';
import { controlId, isChoice, type FieldDefinition } from './field-definition.ts';
import { kinds, splitChoices } from './kinds.ts';
import type { MessageKey } from './messages.ts';

/** By the id of a control: the text that mends what was entered. */
export type Problems = ReadonlyMap<string, MessageKey>;

/** What stands in the form. */
export interface Entry {
  /** The address first, then every custom field that was filled in. */
  readonly fields: readonly SubmittedField[];
  /** What stands in the field that people do not see. */
  readonly trap: string;
  readonly problems: Problems;
}

/**
 * Reads the form. Empty fields are left out; an unticked box is an answer: false. Inputs take 2000 characters, which is
 * what endpoints keep, so nothing is cut unseen.
 */
export function readEntry(form: HTMLFormElement, definitions: readonly FieldDefinition[]): Entry {
  const data = new FormData(form);
  const textsOf = (name: string) => data.getAll(name).map((text) => (typeof text === 'string' ? cleanText(text, 2000) : '')).filter(Boolean);
  const fields: SubmittedField[] = [];
  const problems = new Map<string, MessageKey>();
  for (const [position, field] of definitions.entries()) {
    const id = controlId(position);
    const { read, problem = 'missing' } = kinds[field.kind];
    const texts = textsOf(id);
    const entered = field.kind === 'list' && !isChoice(field) ? texts.flatMap(splitChoices) : texts;
    const value = read(...entered);
    // Of a date only the day was typed: no value, but not empty either.
    const isHalfTyped = form.querySelector<HTMLInputElement>(`#${id}`)?.validity.badInput;
    if (isHalfTyped || (entered.length > 0 ? value === undefined : field.required)) problems.set(id, problem);
    else if (value !== undefined) fields.push({ name: field.name, value });
  }
  return { fields, trap: textsOf(honeypotField).join(), problems };
}

/**
 * The body of the request, or undefined where even without attribution it would be larger than endpoints take. A long
 * campaign name is shortened before anything the visitor typed is refused.
 */
export function composeBody({ fields: [address, ...custom], trap }: Entry, attribution: Attribution): string | undefined {
  const typed = { email: address?.value, ...(custom.length > 0 && { custom_fields: custom }), ...(trap && { [honeypotField]: trap }) };
  const room = submissionLimit - jsonBytes(typed);
  return room < 0 ? undefined : JSON.stringify({ ...typed, ...fitAttribution(attribution, room) });
}
