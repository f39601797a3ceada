/**
 * What the one-file script takes in place of `parts.ts`: nothing bundles it again, so it looks for the files beside
 * itself. The dialog it has inside.
 */
import { currentScript } from './own-script.ts';
import type { parts as bundled } from './parts.ts';

// A script from another origin without `crossorigin` has no base of its own to resolve `./` against, but it has an
// address; a module has no address here, but a base. Looked up when it is needed: each interface a page touches costs
// it time.
const base = (): string =>
  currentScript instanceof HTMLScriptElement ? currentScript.src.replace(/[^/]*$/, '') : './';

export const parts: typeof bundled = {
  ask: () => import(/* @vite-ignore */ `${base()}ask.js`),
  doctor: () => import(/* @vite-ignore */ `${base()}doctor.js`),
};

export { createDialog } from './dialog.ts';
