/**
 * Files that are loaded on demand: a form is rendered without them. They import no module with state, so that the
 * script and the npm build share them; the element passes its functions to them.
 */
import type * as Dialog from './dialog.ts';
import type * as Doctor from './doctor.ts';
import type * as Protection from './protection.ts';
import type * as Signup from './signup.ts';

/** The script element that loaded this file; null in a module. A named element of the page can shadow it. */
export const currentScript: Element | null | undefined = globalThis.document?.currentScript;

/**
 * A classic script from another origin without `crossorigin` has no base URL to resolve `./` against: then its own
 * address is used.
 *
 * @throws if the file cannot be loaded
 */
async function load<Module>(name: string, module: Promise<Module>): Promise<Module> {
  try {
    return await module;
  } catch (error) {
    if (!currentScript || !(currentScript instanceof HTMLScriptElement)) throw error;
    return (await import(/* @vite-ignore */ currentScript.src.replace(/[^/]*$/, `${name}.js`))) as Module;
  }
}

// Literal paths, so that bundlers find the files.
export const chunks = {
  dialog: (): Promise<typeof Dialog> => load('dialog', import('./dialog.ts')),
  doctor: (): Promise<typeof Doctor> => load('doctor', import('./doctor.ts')),
  protection: (): Promise<typeof Protection> => load('protection', import('./protection.ts')),
  signup: (): Promise<typeof Signup> => load('signup', import('./signup.ts')),
};
