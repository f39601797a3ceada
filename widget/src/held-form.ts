/** What we change in a form while it is ours to send, the same in our own and in the owner's, and how to change it back. */
import { honeypotField } from '@newsletter-kit/core/signup';
import { controlsOf, labelOf } from './controls.ts';
import type { Problems } from './entry.ts';
import type { Messages } from './messages.ts';

/** Undoes what was done. */
export type Undo = () => void;

let count = 0;

/**
 * Takes over the sending of a form: its own checks would say in bubbles what we say at the controls, and robots get a field
 * that people never see.
 */
export function hold(form: HTMLFormElement | null, onSubmit: (event: SubmitEvent) => void): Undo {
  if (!form) return () => {};
  const { noValidate } = form;
  const trap = document.createElement('input');
  Object.assign(trap, { name: honeypotField, tabIndex: -1, autocomplete: 'off', ariaHidden: 'true' });
  Object.assign(trap.style, { position: 'fixed', clipPath: 'inset(50%)' });
  if (!controlsOf(form).has(honeypotField)) form.append(trap);
  form.noValidate = true;
  form.addEventListener('submit', onSubmit);
  return () => {
    trap.remove();
    form.noValidate = noValidate;
    form.removeEventListener('submit', onSubmit);
  };
}

/** Says what is wrong with a form, before each control it is about, and whether its buttons rest. */
export function mark(form: HTMLFormElement | null, problems: Problems, texts: Messages, isBusy: boolean): Undo {
  const undo: Undo[] = [];
  const set = (element: Element, name: string, value: string): void => {
    const before = element.getAttribute(name);
    element.setAttribute(name, value);
    undo.push(() => (before === null ? element.removeAttribute(name) : element.setAttribute(name, before)));
  };
  for (const [name, control] of controlsOf(form)) {
    const problem = problems.get(name);
    if (!problem) continue;
    const { input, described } = control;
    const sentence = document.createElement('p');
    sentence.id = `newsletter-problem-${++count}`;
    sentence.setAttribute('part', 'problem');
    sentence.textContent = texts[problem].replace('{label}', () => labelOf(control));
    (input.closest('label') ?? input).before(sentence);
    undo.push(() => sentence.remove());
    set(described, 'aria-describedby', `${sentence.id} ${described.getAttribute('aria-describedby') ?? ''}`.trim());
    if (described === input) set(input, 'aria-invalid', 'true');
  }
  if (isBusy) for (const button of form?.querySelectorAll('[type=submit], button:not([type])') ?? []) set(button, 'aria-disabled', 'true');
  return () => undo.splice(0).forEach((each) => each());
}
