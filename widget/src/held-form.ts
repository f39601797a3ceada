/**
 * What we change in a form while it is ours to send, the same in our own and in the owner's, and how to change it back.
 */
import { honeypotField } from '@newsletter-kit/core/signup';
import { setAttribute } from './set-attribute.ts';
import type { Undo } from './standing.ts';

/**
 * Takes over the sending of a form: its own checks would say in bubbles what we say at the controls, and robots get a
 * field that people never see.
 */
export function hold(form: HTMLFormElement, onSubmit: (event: SubmitEvent) => unknown): Undo {
  const trap = document.createElement('input');
  // Inert: no Tab and no screen reader gets there.
  Object.assign(trap, { name: honeypotField, autocomplete: 'off', inert: true });
  trap.style.cssText = 'position:fixed;clip-path:inset(50%)';
  if (!form.querySelector(`[name=${honeypotField}]`)) form.append(trap);
  const restore = setAttribute(form, 'novalidate', '');
  const hearing = new AbortController();
  form.addEventListener('submit', onSubmit, hearing);
  return () => {
    trap.remove();
    restore();
    hearing.abort();
  };
}
