/** Helpers for the tests of dialogs. */
import { until, type Form } from './harness.ts';

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
  await until(
    () => form.shadow.querySelector('dialog'),
    () => 'There is no dialog.',
  );
}

/** Waits until the dialog is open, or closed. */
export async function becomes(form: Form, open: boolean): Promise<void> {
  await until(
    () => isOpen(form) === open,
    () => `The dialog is ${open ? 'not open' : 'still open'}.`,
  );
}
