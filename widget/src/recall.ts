/** Puts what this page knows together with what earlier pages stored, where the visitor allows that. */
import { chooseTouch, knownTouches, storedTouches, type Attribution } from '@newsletter-kit/core/signup';
import { quietKey } from './quiet.ts';
import { keep } from './store.ts';
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
 * Who brought the visitor, by the rule. After consent the touches are stored for the next page; after its withdrawal
 * they are deleted; before either no storage is touched at all.
 */
export function recall(host: RecallOptions): Attribution {
  const { referralParam: referralParameter } = host;
  // What is not understood stores nothing.
  const storage = oneOf(host, 'storage', host.storage, 'none', 'local', 'session');
  const rule = oneOf(host, 'attribution', host.attribution, 'first', 'last');
  noteVisit();
  const touches = (stored = '') => knownTouches(stored, visits, Date.now(), { referralParameter });
  let known = touches();
  keep(storage, key, (kept) => {
    known = touches(kept);
    return storedTouches(known);
  });
  // Nobody else may be here to delete it.
  if (consent === false) for (const store of ['local', 'session']) keep(store, quietKey, () => '');
  return chooseTouch(known, rule)?.attribution ?? {};
}
