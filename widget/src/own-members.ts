/**
 * A form's own members, which its controls hide where they have the same names: `<button name="submit">` is no rarity.
 */

/** What a form lists: inputs, and what has some of their members. */
export type Listed = Element & Partial<Pick<HTMLInputElement, 'name' | 'willValidate' | 'focus'>>;

/** The controls of a form; none of no form. */
export function elementsOf(form: HTMLFormElement | null): readonly Listed[] {
  return form ? [...Reflect.get(HTMLFormElement.prototype, 'elements', form)] : [];
}

/** Sends a form as its button does, sends it past us, or empties it. */
export function act(form: HTMLFormElement | null, action: 'requestSubmit' | 'submit' | 'reset'): void {
  if (form) HTMLFormElement.prototype[action].call(form);
}
