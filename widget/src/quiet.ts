/** How long dialogs keep from opening by themselves. In memory; stored with the visitor's consent only. */

/** Name under which a store keeps until when, in milliseconds since the epoch, or `Infinity`. */
export const quietKey = 'newsletter-signup-quiet:1';

/** What this page knows, by the store it belongs into (`local`, `session`); under any other name nothing is ever stored. */
const known: Record<string, number> = {};

/** Keeps dialogs from opening by themselves: on this page for good, and until then where `store` remembers it. */
export function keepQuiet(store: string, until: number): void {
  known[store] = Math.max(until, known[store] ?? 0);
}

/** Whether dialogs wait to be asked. With `mayStore` that goes by what earlier pages stored too, and what this page knows is added to it. */
export function isQuiet(mayStore: boolean): boolean {
  let quiet = Object.keys(known).length > 0;
  try {
    for (const [name, store] of mayStore ? Object.entries({ local: localStorage, session: sessionStorage }) : []) {
      const until = Math.max(known[name] ?? 0, Number(store.getItem(quietKey)));
      if (until > Date.now()) {
        store.setItem(quietKey, String(until));
        quiet = true;
      }
    }
  } catch {
    // Storage is switched off or full: then this page is all that is remembered.
  }
  return quiet;
}
