/** Puts what this page knows together with what earlier pages stored, where the visitor allows that. */
import { chooseTouch, knownTouches, storedTouches, type Attribution } from '@newsletter-kit/core/signup';
import { quietKey } from './quiet.ts';
import { consent, noteVisit, visits } from './visits.ts';
import { oneOf } from './warn.ts';

/** How the owner wants visits to be counted. */
export interface RecallOptions extends HTMLElement {
  /** `first` or `last`. */
  readonly attribution: string;
  /** `local`, `session` or `none`. */
  readonly storage: string;
  readonly referralParam: string;
}

/** Name under which touches are stored; a new format gets a new number. */
const key = 'newsletter-signup:1';

/**
 * Who brought the visitor, by the rule. After consent the touches are stored for the next page; after its withdrawal they
 * are deleted; before either no storage is touched at all.
 */
export function recall(host: RecallOptions): Attribution {
  const { referralParam: referralParameter } = host;
  // What is not understood stores nothing.
  const storage = oneOf(host, 'storage', host.storage, 'none', 'local', 'session');
  const rule = oneOf(host, 'attribution', host.attribution, 'first', 'last');
  noteVisit();
  const touches = (stored = '') => knownTouches(stored, visits, Date.now(), { referralParameter });
  let known = touches();
  try {
    if (consent === false) for (const store of [localStorage, sessionStorage]) store.removeItem(quietKey);
    if (consent !== undefined && storage !== 'none') {
      const store = storage === 'local' ? localStorage : sessionStorage;
      if (consent) known = touches(store.getItem(key) ?? '');
      const text = consent && storedTouches(known);
      if (text) store.setItem(key, text);
      else store.removeItem(key);
    }
  } catch {
    // Storage is switched off or full: then this page is all that is remembered.
  }
  return chooseTouch(known, rule)?.attribution ?? {};
}
