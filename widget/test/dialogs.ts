/** Helpers for the tests of dialogs. */
import { type Form } from './harness.ts';
import { waitUntil } from '../../test/support/waits.ts';

/** @throws if the form has no dialog yet */
export const dialogIn = ({ root }: Form): HTMLDialogElement => {
  const dialog = root.querySelector('dialog');
  if (!dialog) throw new Error('There is no dialog.');
  return dialog;
};

/** Whether the dialog is modal, or its element has the attribute `open`. */
export const isOpen = (form: Form): boolean => dialogIn(form).matches(':modal') || form.element.hasAttribute('open');

/** Waits until the dialog's file is loaded. */
export async function here(form: Form): Promise<void> {
  await waitUntil('the form has a dialog', () => form.shadow.querySelector('dialog'));
}

/** Waits until the dialog is open, or closed. */
export async function becomes(form: Form, open: boolean): Promise<void> {
  await waitUntil(`the dialog is ${open ? 'open' : 'closed'}`, () => isOpen(form) === open);
}
