/**
 * The parts few visitors need: files of their own, loaded at the moment they are needed. Each rejects where its file
 * cannot be had.
 */
import type { Dialog, DialogHost } from './dialog.ts';

// Written out, so that bundlers find the files.
export const parts = {
  ask: () => import('./ask.ts'),
  doctor: () => import('./doctor.ts'),
};

export async function createDialog(host: DialogHost): Promise<Dialog> {
  return (await import('./dialog.ts')).createDialog(host);
}
