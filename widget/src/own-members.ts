/** A form's own members, which its controls hide where they have the same names: `<button name="submit">` is no rarity. */

/** The controls of a form. */
export function elementsOf(form: HTMLFormElement): readonly Element[] {
  const elements: Iterable<Element> = Reflect.get(HTMLFormElement.prototype, 'elements', form);
  return Array.from(elements);
}

/** Sends a form as its button does, sends it past us, or empties it. */
export function act(form: HTMLFormElement, action: 'requestSubmit' | 'submit' | 'reset'): void {
  HTMLFormElement.prototype[action].call(form);
}
