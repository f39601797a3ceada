/**
 * Attribution: the visits of this page, the visitor's consent, and the touches stored with it. Nothing is stored before
 * consent, and stored touches are deleted when it is revoked.
 */
import {
  chooseTouch,
  knownTouches,
  storedTouches,
  type Attribution,
  type TimedVisit,
} from '@newsletter-kit/core/signup';
import { oneOf } from './warnings.ts';

declare global {
  interface Navigator {
    /** Global Privacy Control: whether the visitor opted out of tracking. Not in every browser. */
    readonly globalPrivacyControl?: boolean;
  }
}

// Undefined on a server.
const { document, location, navigation } = globalThis;

/** Addresses of this page that may carry attribution, oldest first, from the moment the script runs. */
const visits: TimedVisit[] = [];

/** Whether touches may be stored; undefined until the visitor has answered on this page. */
let consent: boolean | undefined;

let onChange: () => void = () => {};

/**
 * Calls `next` after each change of the consent and each later visit; immediately if the visitor has answered already.
 * One form acts for the page: the last that was connected.
 */
export function onVisits(next: () => void): void {
  onChange = () => {
    if (consent !== undefined) next();
  };
  addVisit();
  onChange();
}

/** Announces the visitor's answer to every form on the page, of any copy of the script. */
export function announceConsent(detail: boolean): void {
  document.dispatchEvent(new CustomEvent('newsletter-consent', { detail }));
}

/** Adds the page's address unless it was added before: going back is not a new visit. */
function addVisit(): void {
  const hasLanded = visits.length > 0;
  if (!location || (hasLanded && !location.search) || visits.some(({ url }) => url === location.href)) return;
  visits.push({ url: location.href, referrer: hasLanded ? '' : document.referrer, at: Date.now() });
  // A page that is open for days keeps its first and its latest addresses.
  if (visits.length > 50) visits.splice(1, 1);
  onChange();
}

addVisit();
navigation?.addEventListener('currententrychange', addVisit);
document?.addEventListener('newsletter-consent', ({ detail }) => {
  // Global Privacy Control refuses consent, whatever the banner says.
  consent = detail !== false && !navigator.globalPrivacyControl;
  onChange();
});

/**
 * Updates a stored text; an empty text deletes it. Does nothing before the visitor has answered.
 *
 * @param name - `local` or `session`; under any other name nothing is stored
 * @param change - returns the text to store, from the stored one
 */
export function updateStored(name: string, key: string, change: (stored: string) => string): void {
  try {
    // Throws if the visitor has disabled storage.
    // oxlint-disable-next-line typescript/no-unsafe-assignment -- `noneStorage` is undefined
    const store: Storage | undefined = consent === undefined ? undefined : Reflect.get(globalThis, `${name}Storage`);
    const text = store && consent && change(store.getItem(key) ?? '');
    if (text) store.setItem(key, text);
    else store?.removeItem(key);
  } catch {
    // Storage is disabled or full: attribution is limited to this page.
  }
}

/** Key of the stored touches. A new format gets a new number. */
const touchesKey = 'newsletter-signup:1';

/** Key of the time until which dialogs do not open by themselves; see `dialog.ts`. */
export const dialogKey = 'newsletter-signup-quiet:1';

/** The element's attributes for attribution. */
export interface AttributionHost extends HTMLElement {
  /** `first` or `last`. */
  readonly attribution: string;
  /** `local`, `session` or `none`. */
  readonly storage: string;
  readonly referralParam: string;
}

/**
 * The attribution by the element's rule. With consent, touches are read from the store and stored for the next page;
 * after consent is revoked, they are deleted.
 */
export function readAttribution(host: AttributionHost): Attribution {
  const { referralParam: referralParameter } = host;
  const storage = oneOf(host, 'storage', host.storage, 'none', 'local', 'session');
  const rule = oneOf(host, 'attribution', host.attribution, 'first', 'last');
  addVisit();
  const touchesWith = (stored = '') => knownTouches(stored, visits, Date.now(), { referralParameter });
  let touches = touchesWith();
  updateStored(storage, touchesKey, (stored) => {
    touches = touchesWith(stored);
    return storedTouches(touches);
  });
  // Also deletes the dialog's entry: the dialog's file may not be loaded.
  if (consent === false) for (const store of ['local', 'session']) updateStored(store, dialogKey, () => '');
  return chooseTouch(touches, rule)?.attribution ?? {};
}
