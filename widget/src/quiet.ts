/** How long dialogs keep from opening by themselves. In memory; stored with the visitor's consent only. */
import { keep } from './store.ts';

/** Name under which a store keeps until when, in milliseconds since the epoch, or `Infinity`. */
export const quietKey = 'newsletter-signup-quiet:1';

/**
 * What this page knows, by the store it belongs into (`local`, `session`); under any other name nothing is ever stored.
 */
const known: Record<string, number> = {};

/** Keeps dialogs from opening by themselves: on this page for good, and until then where the store remembers it. */
export type Quiet = [store: string, until: number] | [];

/**
 * Whether dialogs wait to be asked. With `mayStore` that goes by what earlier pages stored too, and what this page
 * knows is added to it.
 */
export function isQuiet(mayStore: boolean, ...[given, givenUntil = 0]: Quiet): boolean {
  if (given) known[given] = Math.max(givenUntil, known[given] ?? 0);
  let quiet = !!Object.keys(known)[0];
  for (const store of mayStore ? ['local', 'session'] : []) {
    keep(store, quietKey, (kept) => {
      const until = Math.max(known[store] ?? 0, Number(kept));
      if (until < Date.now()) return '';
      quiet = true;
      return String(until);
    });
  }
  return quiet;
}
