/** What the tag stores in the browser, and how it is deleted. Nothing here checks the consent. */

/** What the keys of every format begin with. */
const prefix = 'newsletter-signup-';

/** Key of the stored touches, in web storage and as the name of the cookie. A new format gets a new number. */
export const touchesKey = `${prefix}1`;

/** Key of the time until which dialogs do not open by themselves; see `dialog.ts`. */
export const dialogKey = `${prefix}quiet-1`;

export type StoreName = 'local' | 'session';

/**
 * Updates a stored text; an empty text deletes it. Does nothing if storage is disabled or full.
 *
 * @param change - returns the text to store, from the stored one
 */
export function updateStored(name: StoreName, key: string, change: (stored: string) => string): void {
  try {
    const store = globalThis[`${name}Storage`];
    const text = change(store.getItem(key) ?? '');
    if (text) store.setItem(key, text);
    else store.removeItem(key);
  } catch {
    // Attribution is limited to this page.
  }
}

/**
 * Deletes what is in web storage, of older formats too.
 *
 * @returns whether there is a cookie, which `remember.js` deletes
 */
export function deleteStored(): boolean {
  try {
    for (const store of [localStorage, sessionStorage])
      for (const key of Object.keys(store)) if (key.startsWith(prefix)) store.removeItem(key);
    return document.cookie.includes(prefix);
  } catch {
    // Browsers disable all of them together.
    return false;
  }
}
