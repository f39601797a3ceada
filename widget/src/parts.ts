/** The parts few visitors need: files of their own, loaded at the moment they are needed. Each rejects where its file cannot be had. */

// Written out, so that bundlers find the files.
export const parts = {
  ask: () => import('./ask.ts'),
  dialog: () => import('./dialog.ts'),
  doctor: () => import('./doctor.ts'),
};
