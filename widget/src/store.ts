/**
 * What we store in a browser, and the one place that does: nothing before the visitor's consent, nothing after its
 * withdrawal.
 */
import { consent } from './visits.ts';

/**
 * Changes what is kept under a key; no text at all deletes it. Does nothing before the visitor has answered.
 *
 * @param name - `local` or `session`; under any other name nothing is ever kept
 * @param change - makes the text to keep of the one that was kept
 */
export function keep(name: string, key: string, change: (kept: string) => string): void {
  try {
    // Throws where the visitor has switched storage off.
    // oxlint-disable-next-line typescript/no-unsafe-assignment -- `noneStorage` is undefined
    const store: Storage | undefined = consent === undefined ? undefined : Reflect.get(globalThis, `${name}Storage`);
    const text = store && consent && change(store.getItem(key) ?? '');
    if (text) store.setItem(key, text);
    else store?.removeItem(key);
  } catch {
    // Storage is switched off or full: then this page is all that is remembered.
  }
}
