/** Tells the owner of a page, once, what they have to mend; visitors see nothing of it. */
import { NewsletterWarningEvent, type WarningReason } from './events.ts';

const said = new WeakMap<Element, Set<string>>();

/** Says it in the console and with an event: once for each element and message. */
export function warn(element: Element, reason: WarningReason, message: string): void {
  const before = said.get(element) ?? new Set();
  if (before.has(message)) return;
  said.set(element, before.add(message));
  console.warn(`<${element.localName}> ${message}`);
  element.dispatchEvent(new NewsletterWarningEvent('warning', { reason, message }));
}

/**
 * The value of an attribute, where it is one of these, with any number in place of theirs; else the first of them, with
 * a warning.
 */
export function oneOf<Value extends string>(
  element: Element,
  attribute: string,
  value: string,
  byDefault: Value,
  ...others: readonly Value[]
): Value {
  const values = [byDefault, ...others];
  const isKnown = (text: string): text is Value => values.some((known) => form(known) === form(text));
  if (isKnown(value)) return value;
  warn(element, 'attribute', `${attribute}="${value}" is none of ${values.join(', ')}: takes "${byDefault}".`);
  return byDefault;
}

/** `7d` is of the same form as `30d`. */
function form(value: string): string {
  return value.replace(/\W*\d.*/, '0');
}
