/** What the tests of dialogs ask of one. */
import { until, type Form } from './harness.ts';

/** @throws where the form has none yet */
export const dialogIn = ({ root }: Form): HTMLDialogElement => {
  const dialog = root.querySelector('dialog');
  if (!dialog) throw new Error('There is no dialog.');
  return dialog;
};

/** Whether it is there for the visitor, or says so. */
export const isOpen = (form: Form): boolean => dialogIn(form).matches(':modal') || form.element.hasAttribute('open');

/** Waits until the file has come that makes the dialog. */
export async function here(form: Form): Promise<void> {
  await until(
    () => form.root.querySelector('dialog'),
    () => 'There is no dialog.',
  );
}

/** Waits until it is open, or until it is closed. */
export async function becomes(form: Form, open: boolean): Promise<void> {
  await until(
    () => isOpen(form) === open,
    () => `The dialog is ${open ? 'not open' : 'still open'}.`,
  );
}
