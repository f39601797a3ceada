/** Tells the owner of a page, once, what they have to mend; visitors see nothing of it. */
import { NewsletterWarningEvent, type WarningReason } from './events.ts';

const said = new WeakMap<Element, Set<string>>();

/** Says it in the console and with an event: once for each element and message. */
export function warn(element: Element, reason: WarningReason, message: string): void {
  const before = said.get(element) ?? new Set();
  if (before.has(message)) return;
  said.set(element, before.add(message));
  console.warn(`<${element.localName}> ${message}`);
  element.dispatchEvent(new NewsletterWarningEvent(reason, message));
}

/** The value of an attribute, where it is one of these; else the first of them, with a warning. */
export function oneOf<Value extends string>(element: Element, attribute: string, value: string, values: readonly [Value, ...Value[]]): Value {
  const known = values.find((candidate) => candidate === value);
  if (known === undefined) warn(element, 'attribute', `${attribute}="${value}" is none of ${values.join(', ')}: takes "${values[0]}".`);
  return known ?? values[0];
}
