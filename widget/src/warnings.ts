/** Warnings for the owner of the page, in the console and as an event. Visitors do not see them. */
import { NewsletterWarningEvent, type WarningReason } from './events.ts';

const shown = new WeakMap<Element, Set<string>>();

/** Warns once for each element and message. */
export function warn(element: Element, reason: WarningReason, message: string): void {
  const before = shown.get(element) ?? new Set();
  if (before.has(message)) return;
  shown.set(element, before.add(message));
  console.warn(`<${element.localName}> ${message}`);
  element.dispatchEvent(new NewsletterWarningEvent('warning', { reason, message }));
}

/** The warnings that an element has shown. */
export const warningsOf = (element: Element): readonly string[] => [...(shown.get(element) ?? [])];

/**
 * Checks the value of an attribute against the allowed words. An attribute that names data has the default `none`.
 *
 * @returns the value, or the default with a warning
 */
export function oneOf<Value extends string>(
  element: Element,
  attribute: string,
  value: string,
  byDefault: Value,
  ...others: readonly Value[]
): Value {
  const values = [byDefault, ...others];
  const found = values.find((allowed) => allowed === value);
  if (found) return found;
  warn(element, 'attribute', `${attribute}="${value}" is not one of ${values.join(', ')}: takes "${byDefault}".`);
  return byDefault;
}
