/** The `<form>` in use, the element's own or the page's: its controls, its submission, and the marks of problems. */
import { honeypotField } from '@newsletter-kit/core/signup';
import type { Messages } from './messages.ts';

/** State of the form, also readable in CSS as `:state(…)`. */
export type SignupState = 'idle' | 'busy' | 'success' | 'error';

/** Reverts a change. */
export type Undo = () => void;

/** What the element shows of the form's state. */
export interface FormView {
  readonly state: SignupState;
  /** Text of the live region. Default: empty. */
  readonly notice?: (texts: Messages) => string;
  /** Whether a change of the notice is not announced, such as each second of a countdown. */
  readonly isSilent?: boolean;
  /** Marks controls in the form; called again after each update. */
  readonly mark?: (form: HTMLFormElement, texts: Messages) => Undo;
}

/** Error messages by the name of the control. */
export type Problems = ReadonlyMap<string, keyof Messages>;

/** An element of `form.elements`: an input, or an element with some members of an input. */
type Listed = Element & Partial<Pick<HTMLInputElement, 'name' | 'willValidate' | 'focus'>>;

/**
 * The elements of a form; empty without a form. Read through the prototype: a control named `elements` shadows the
 * form's own property.
 */
export function elementsOf(form: HTMLFormElement | null): readonly Listed[] {
  return form ? [...Reflect.get(HTMLFormElement.prototype, 'elements', form)] : [];
}

/** Calls a method of the form, even if a control such as `<button name="submit">` shadows it. */
export function callForm(form: HTMLFormElement | null, method: 'requestSubmit' | 'submit' | 'reset'): void {
  if (form) HTMLFormElement.prototype[method].call(form);
}

/** All controls of one name: one input, or a group of checkboxes or radio buttons. */
export interface Control {
  /** The first input of the name. Members that a select or a custom element lacks read as undefined. */
  readonly input: HTMLInputElement;
  /** The element that a problem describes: the fieldset around a group, else the input. */
  readonly described: HTMLElement;
}

/** The enabled controls of a form by name, in document order. */
export function controlsOf(form: HTMLFormElement): ReadonlyMap<string, Control> {
  const controls = new Map<string, Control>();
  for (const input of elementsOf(form).filter(isInUse)) {
    const first = controls.get(input.name)?.input;
    controls.set(input.name, { input: first ?? input, described: first?.closest('fieldset') ?? first ?? input });
  }
  return controls;
}

function isInUse(element: Listed): element is HTMLInputElement {
  return !!element.name && !element.matches(':disabled, fieldset, button');
}

/** The label or legend of a control without small print and asterisk; else its `aria-label` or placeholder. */
export function labelOf({ input, described }: Control): string {
  const label = described.querySelector('legend') ?? input.labels?.[0];
  const text = label?.textContent
    .replace(label.querySelector('small')?.textContent ?? '', '')
    .replace(/[\s*:]+$/, '')
    .trim();
  return text || input.ariaLabel || input.placeholder;
}

/**
 * Takes over the submission of a form: disables the browser's own validation messages, and adds the honeypot field.
 *
 * @returns restores the form
 */
export function takeOver(form: HTMLFormElement, onSubmit: (event: SubmitEvent) => unknown): Undo {
  const honeypot = document.createElement('input');
  // Inert: neither Tab nor a screen reader reaches it.
  Object.assign(honeypot, { name: honeypotField, autocomplete: 'off', inert: true });
  honeypot.style.cssText = 'position:fixed;clip-path:inset(50%)';
  if (!form.querySelector(`[name=${honeypotField}]`)) form.append(honeypot);
  const restore = setAttribute(form, 'novalidate', '');
  const listening = new AbortController();
  form.addEventListener('submit', onSubmit, listening);
  return () => {
    honeypot.remove();
    restore();
    listening.abort();
  };
}

/** Whether a boolean attribute is set. The value `false` counts as absent: some frameworks write it. */
export function isSet(element: Pick<Element, 'getAttribute'>, name: string): boolean {
  return !['false', null].includes(element.getAttribute(name));
}

/**
 * Splits `a, b, c` or, for choices that contain commas, `a | b, c`. Arabic, Chinese and Japanese commas count too.
 */
export function splitChoices(text: string): readonly string[] {
  return text
    .split(text.includes('|') ? '|' : /[,،，、]/)
    .map((choice) => choice.trim())
    .filter(Boolean);
}

/** Sets an attribute; the returned function restores its former value. */
function setAttribute(element: Element, name: string, value: string): Undo {
  const before = element.getAttribute(name);
  element.setAttribute(name, value);
  return () => (before === null ? element.removeAttribute(name) : element.setAttribute(name, before));
}

let problemCount = 0;

/** Inserts each error message at its control, and connects it by `aria-describedby`. */
export function markProblems(form: HTMLFormElement, problems: Problems, texts: Messages): Undo {
  const undo: Undo[] = [];
  for (const [name, control] of controlsOf(form)) {
    const problem = problems.get(name);
    if (!problem) continue;
    const { input, described } = control;
    const sentence = Object.assign(document.createElement('p'), {
      id: `newsletter-${++problemCount}`,
      part: 'problem',
      textContent: texts[problem].replace('{label}', () => labelOf(control)),
    });
    // Below the control, the choices of a group, or the frame that also contains the button.
    if (described !== input) described.append(sentence);
    else (input.closest('.framed form, label') ?? input).after(sentence);
    undo.push(
      () => sentence.remove(),
      setAttribute(
        described,
        'aria-describedby',
        `${sentence.id} ${described.getAttribute('aria-describedby') ?? ''}`.trim(),
      ),
    );
    // In a group no single checkbox is invalid.
    if (input === described) undo.push(setAttribute(input, 'aria-invalid', 'true'));
  }
  return () => undo.forEach((each) => each());
}

/** Sets `aria-disabled` on the submit buttons, which keep the focus. */
export function markBusy(form: HTMLFormElement): Undo {
  const undo = Array.from(form.querySelectorAll('[type=submit], button:not([type])'), (button) =>
    setAttribute(button, 'aria-disabled', 'true'),
  );
  return () => undo.forEach((each) => each());
}

const isBox = ({ type }: HTMLInputElement): boolean => type === 'checkbox' || type === 'radio';
const keyOf = (input: HTMLInputElement): string => (isBox(input) ? `${input.name} ${input.value}` : input.name);
const valueOf = (input: HTMLInputElement): string | boolean => (isBox(input) ? input.checked : input.value);
/** A select has no `defaultValue`: its first selected option is its default. */
const defaultOf = (input: HTMLInputElement): string | boolean =>
  isBox(input)
    ? input.defaultChecked
    : 'defaultValue' in input
      ? input.defaultValue
      : ((input as Element).querySelector<HTMLOptionElement>('[selected]')?.value ?? '');

function setValue(input: HTMLInputElement, value: string | boolean): void {
  if (typeof value === 'boolean') input.checked = value;
  else input.value = value;
}

/**
 * Keeps what the visitor entered, the focus and the selection with the names of the controls: rendering other fields
 * gives the controls other names.
 *
 * @param root - the shadow root; null before the first update
 */
export function keepValues(root: ShadowRoot | null, change: () => void): void {
  const controls = (): Iterable<HTMLInputElement> => root?.querySelectorAll<HTMLInputElement>('[data-kind]') ?? [];
  const entered = new Map<string, string | boolean>();
  let focused = '';
  let selection: [number | null, number | null] = [null, null];
  for (const input of controls()) {
    const key = keyOf(input);
    if (valueOf(input) !== defaultOf(input)) entered.set(key, valueOf(input));
    if (input !== root?.activeElement) continue;
    focused = key;
    selection = [input.selectionStart, input.selectionEnd];
  }
  change();
  for (const input of controls()) {
    const key = keyOf(input);
    const value = entered.get(key) ?? defaultOf(input);
    if (value !== valueOf(input)) setValue(input, value);
    if (key !== focused || input === root?.activeElement) continue;
    input.focus({ preventScroll: true });
    if (selection[0] != null) input.setSelectionRange(...selection);
  }
}

/** The value that a visitor entered into an input. */
interface Answer {
  readonly input: HTMLInputElement;
  readonly value: string | boolean;
}

/**
 * Keeps each value in the page's form with the name of its control: a framework that reuses inputs changes their names
 * but not their values. An input whose value the framework also changed is left alone.
 *
 * @param host - the element around the form
 */
export function keepAnswers(host: Element): void {
  const answers = new Map<string, Answer>();
  host.addEventListener('input', ({ target }) => {
    if (target instanceof HTMLInputElement) answers.set(keyOf(target), { input: target, value: valueOf(target) });
  });
  new MutationObserver((records) => {
    const before = [...answers];
    const focused = before.find(([, { input }]) => input.matches(':focus'))?.[0];
    for (const input of new Set(records.map(({ target }) => target))) {
      if (!(input instanceof HTMLInputElement)) continue;
      const old = before.find(([, answer]) => answer.input === input);
      if (valueOf(input) !== (old ? old[1].value : defaultOf(input))) continue;
      const key = keyOf(input);
      const value = before.find(([name]) => name === key)?.[1].value ?? defaultOf(input);
      setValue(input, value);
      if (old && answers.get(old[0])?.input === input) answers.delete(old[0]);
      answers.set(key, { input, value });
      if (key === focused) input.focus();
    }
    for (const [key, { input }] of answers) if (!input.isConnected) answers.delete(key);
  }).observe(host, { attributeFilter: ['name'], childList: true, subtree: true });
}
