/** The `<form>` in use, the element's own or the page's: its controls, its submission, and the marks of problems. */
import { parseUrl } from '@newsletter-kit/core/signup';
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

/** The error message of a control. */
export type Problem = (texts: Messages) => string;

/** Error messages by the name of the control. */
export type Problems = ReadonlyMap<string, Problem>;

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

/** The address that a form is posted to; may be empty or invalid. */
export function endpointOf({ endpoint }: { readonly endpoint: string }, form: Element | null): string {
  return endpoint || form?.getAttribute('action') || '';
}

/**
 * The URL of an attribute; undefined unless it is http or https. Pages fill attributes from query parameters, and a
 * `javascript:` URL would run.
 */
export function webAddress(address: string): URL | undefined {
  const url = address ? parseUrl(address, document.baseURI) : undefined;
  return url?.protocol.startsWith('http') ? url : undefined;
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

/**
 * The label or legend of a control without asterisk; else its `aria-label` or placeholder.
 *
 * @param isWhole - with the small print
 */
export function labelOf({ input, described }: Control, isWhole = false): string {
  const label = described.querySelector('legend') ?? input.labels?.[0];
  const text = label?.textContent
    .replace((!isWhole && label.querySelector('small')?.textContent) || '', '')
    .replace(/[\s*:]+$/, '')
    .trim();
  return text || input.ariaLabel || input.placeholder;
}

/** Submit buttons of a form. */
const submitters = '[type=submit], [type=image], button:not([type])';

/** A form whose submission the element has taken over. */
export type TakenOver = ReturnType<typeof takeOver>;

/**
 * Takes over the submission of a form. The page's form is changed only when a visitor begins to use it, because a
 * framework that hydrates it would complain of the difference or even render it anew; and again at each further event,
 * because a framework that renders it later removes the change. No control is added: browsers restore what was typed,
 * on the way back to the page, by the controls of a form.
 */
export function takeOver(form: HTMLFormElement, onSubmit: (event: Event) => void) {
  let restore: Undo = () => {};
  /** Disables the browser's own validation messages. */
  const prepare = (): void => {
    if (!form.hasAttribute('novalidate')) restore = setAttribute(form, 'novalidate', '');
  };
  let isSubmitted: boolean;
  const listening = new AbortController();
  const onEvent = (event: Event): void => {
    isSubmitted = event.type === 'submit';
    if (isSubmitted) return onSubmit(event);
    prepare();
    // In a frame with `sandbox` but without `allow-forms`, a click on the button (Enter is one too) submits nothing.
    if (parent !== self && event.type === 'click' && (event.target as Element).closest(submitters))
      setTimeout(() => isSubmitted || onSubmit(event));
  };
  for (const type of ['focusin', 'click', 'submit'])
    form.addEventListener(type, onEvent, { capture: type !== 'submit', signal: listening.signal });
  return {
    prepare,
    /** Restores the form. */
    release(): void {
      restore();
      listening.abort();
    },
  };
}

/** An untrusted value as text; empty unless it is a string. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
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
      textContent: problem(texts).replace('{label}', () => labelOf(control)),
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
  const undo = [...form.querySelectorAll(submitters)].map((button) => setAttribute(button, 'aria-disabled', 'true'));
  return () => undo.forEach((each) => each());
}

const isBox = ({ type }: HTMLInputElement): boolean => type === 'checkbox' || type === 'radio';
/** Not `:focus`, which does not match in a window behind another one. */
const isActive = (input: Element): boolean => (input.getRootNode() as Document).activeElement === input;
const keyOf = (input: HTMLInputElement): string => (isBox(input) ? `${input.name} ${input.value}` : input.name);
const valueOf = (input: HTMLInputElement): string | boolean => (isBox(input) ? input.checked : input.value);
/** A select has no `defaultValue`: its first selected option is its default. */
const defaultOf = (input: HTMLInputElement): string | boolean =>
  isBox(input)
    ? input.defaultChecked
    : 'defaultValue' in input
      ? input.defaultValue
      : ((input as Element).querySelector<HTMLOptionElement>('[selected]')?.value ?? '');

/**
 * Keeps what the visitor entered, the focus and the selection with the names of the controls: rendering other fields
 * gives the controls other names. The first form that is rendered takes them over from the fallback.
 */
export function keepValues(host: Element, change: () => void): void {
  const controls = (): readonly HTMLInputElement[] => [
    ...(host.shadowRoot?.querySelectorAll<HTMLInputElement>('[data-kind],[part=button]') ?? []),
  ];
  const before = controls();
  const entered = new Map<string, string | boolean>();
  let focused: string | undefined;
  let selection: [number | null, number | null] = [null, null];
  for (const input of before[0]
    ? before
    : host.querySelectorAll<HTMLInputElement>('[slot=fallback] :is([name],button)')) {
    const key = keyOf(input);
    if (valueOf(input) !== defaultOf(input)) entered.set(key, valueOf(input));
    if (!isActive(input)) continue;
    focused = key;
    selection = [input.selectionStart, input.selectionEnd];
  }
  change();
  for (const input of controls()) {
    const key = keyOf(input);
    const value = entered.get(key) ?? defaultOf(input);
    // An equal text is not set: that would move the caret.
    if (typeof value === 'boolean') input.checked = value;
    else if (value !== input.value) input.value = value;
    // A control that stays has its selection; a dialog that opens moves the focus into its form.
    if (key !== focused || (before[0] && isActive(input))) continue;
    input.focus({ preventScroll: true });
    if (selection[0] != null) input.setSelectionRange(...selection);
  }
}
