/** What we change in a form while it is ours to send, the same in our own and in the owner's, and how to change it back. */
import { honeypotField } from '@newsletter-kit/core/signup';
import { setAttribute } from './set-attribute.ts';
import type { Undo } from './standing.ts';

/**
 * Takes over the sending of a form: its own checks would say in bubbles what we say at the controls, and robots get a field
 * that people never see.
 */
export function hold(form: HTMLFormElement, onSubmit: (event: SubmitEvent) => unknown): Undo {
  const trap = document.createElement('input');
  Object.assign(trap, { name: honeypotField, tabIndex: -1, autocomplete: 'off', ariaHidden: 'true' });
  Object.assign(trap.style, { position: 'fixed', clipPath: 'inset(50%)' });
  if (!form.querySelector(`[name=${honeypotField}]`)) form.append(trap);
  const restore = setAttribute(form, 'novalidate', '');
  form.addEventListener('submit', onSubmit);
  return () => {
    trap.remove();
    restore();
    form.removeEventListener('submit', onSubmit);
  };
}
