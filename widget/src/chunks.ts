/**
 * Loads a file on demand: a form is rendered without it. Such files import no module with state, so that the script and
 * the npm build share them; the element passes its functions to them.
 */
import { warn } from './warnings.ts';

/** The script element that loaded this file; null in a module. A named element of the page can shadow it. */
export const currentScript = globalThis.document?.currentScript as (Element & Partial<HTMLElement>) | null | undefined;

/**
 * A classic script from another origin without `crossorigin` has no base URL to resolve `./` against: then its own
 * address is used. The second attempt has a query, another one each time, because Firefox never loads an address again
 * that failed once.
 *
 * @param module - an `import()` with a literal path, so that bundlers find the file
 * @throws an error for the owner of the page, with the `reason` of a warning, where the file is not there within ten
 *   seconds: browsers have no limit
 */
export async function loadChunk<Module>(file: string, module: Promise<Module>): Promise<Module> {
  try {
    const loading = module.catch((error: unknown): Promise<Module> => {
      if (!(currentScript instanceof HTMLScriptElement)) throw error;
      const address = currentScript.src.replace(/[^/]*$/, file);
      return import(/* @vite-ignore */ /* webpackIgnore: true */ address).catch(
        () => import(/* @vite-ignore */ /* webpackIgnore: true */ `${address}?${Date.now()}`),
      );
    });
    const timeout = new Promise<never>((_, reject) => setTimeout(reject, 10_000, 'No answer.'));
    return await Promise.race([loading, timeout]);
  } catch (error) {
    // Without the time: a warning is shown once.
    const reason = String(error).replace(/\?\d+/, '');
    throw Object.assign(
      new Error(`cannot load ${file}: upload it beside the script, or use signup-form-complete.js. ${reason}`),
      { reason: 'file' },
    );
  }
}

/** Loads a file that a form can do without; its absence is a warning for the owner of the page. */
export const loadPart = <Module>(host: Element, file: string, module: Promise<Module>): Promise<Module | undefined> =>
  loadChunk(file, module).catch((error: unknown) => {
    warn(host, 'file', String(error));
    return undefined;
  });
