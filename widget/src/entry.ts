/** Reads what the visitor entered, and makes of it the body that is sent. */
import {
  cleanText,
  fitAttribution,
  formToObject,
  jsonBytes,
  submissionLimit,
  type Attribution,
  type SubmittedValue,
} from '@newsletter-kit/core/signup';
import { controlsOf, kindOf, labelOf } from './controls.ts';
import { splitChoices } from './kinds.ts';
import type { MessageKey } from './messages.ts';
import { readingOf } from './values.ts';

/** By the name of a control: the text that mends what was entered. */
export type Problems = ReadonlyMap<string, MessageKey>;

/** What stands in the form. */
export interface Entry {
  /** Under the names of the wire; what is empty is left out. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly problems: Problems;
}

/**
 * Reads the form, whose controls have the names of a post without JavaScript: `email`, `custom_fields[Name]` and so on.
 * An unticked box is an answer: false. Inputs take 2000 characters, which is what endpoints keep, so nothing is cut
 * unseen.
 */
export function readEntry(form: HTMLFormElement): Entry {
  const data = new FormData(form);
  const entries: [string, SubmittedValue][] = [];
  const problems = new Map<string, MessageKey>();
  for (const [name, control] of controlsOf(form)) {
    const { input, described } = control;
    const kind = kindOf(input);
    const { problem = 'missing', fits = () => true, read = (text?: string) => text } = readingOf(input, kind);
    const texts = data
      .getAll(name)
      .map((text) => (typeof text === 'string' ? cleanText(text, 2000) : ''))
      .filter(Boolean);
    const [text] = texts;
    const isFit = text ? fits(text) : !(input.required || kind === 'email' || 'required' in described.dataset);
    // A box without a sentence of its own stands for its label.
    const value = kind === 'consent' && text === 'on' ? labelOf(control) : isFit && read(text);
    // Of a date only the day was typed: no value, but not empty either.
    if (!isFit || input.validity?.badInput) {
      // What no visitor can mend costs no signup.
      if (input.willValidate) problems.set(name, problem);
    } else if (kind === 'list') {
      const list = name.replace(/(\[\])?$/, '[]');
      for (const item of name === list ? texts : splitChoices(text ?? '')) entries.push([list, item]);
    } else if (value !== undefined) entries.push([name, value]);
  }
  return { values: formToObject(entries), problems };
}

/**
 * The body of the request, or undefined where even without attribution it would be larger than endpoints take. A long
 * campaign name is shortened before anything the visitor typed is refused.
 */
export function composeBody(values: Entry['values'], attribution: Attribution): string | undefined {
  const room = submissionLimit - jsonBytes(values);
  return room < 0 ? undefined : JSON.stringify({ ...values, ...fitAttribution(attribution, room) });
}
