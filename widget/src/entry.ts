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
import { controlId, type FieldDefinition } from './field-definition.ts';
import { kinds, splitChoices } from './kinds.ts';
import type { MessageKey } from './messages.ts';

/** By the position of a field: the text that mends what was entered. Empty where nothing is to be mended. */
export type Problems = readonly (MessageKey | undefined)[];

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
  const problems: MessageKey[] = [];
  definitions.forEach(({ name, kind, options, required }, position) => {
    const id = controlId(position);
    const { problem = 'missing', fits = () => true, read = (text?: string) => text } = kinds[kind];
    const texts = textsOf(id);
    const items = kind === 'list' && !options[0] ? texts.flatMap(splitChoices) : texts;
    const [text] = items;
    const value = kind === 'list' ? text && items : read(text);
    // Of a date only the day was typed: no value, but not empty either.
    const isHalfTyped = form.querySelector<HTMLInputElement>(`#${id}`)?.validity.badInput;
    if (isHalfTyped || (text ? !fits(text) || value === undefined : required)) problems[position] = problem;
    else if (value !== undefined) fields.push({ name, value });
  });
  return { fields, trap: textsOf(honeypotField).join(), problems };
}

/**
 * The body of the request, or undefined where even without attribution it would be larger than endpoints take. A long
 * campaign name is shortened before anything the visitor typed is refused.
 */
export function composeBody({ fields: [address, ...custom], trap }: Entry, attribution: Attribution): string | undefined {
  const typed = { email: address?.value, custom_fields: custom[0] && custom, [honeypotField]: trap || undefined };
  const room = submissionLimit - jsonBytes(typed);
  return room < 0 ? undefined : JSON.stringify({ ...typed, ...fitAttribution(attribution, room) });
}
