/**
 * The visits of this page and the visitor's consent, which all forms share, and the access to the store. Nothing is
 * stored before consent, and everything is deleted when it is revoked.
 */
import type { TimedVisit } from '@newsletter-kit/core/signup';

/** Key of the stored touches. A new format gets a new number. */
export const touchesKey = 'newsletter-signup:1';

/** Key of the time until which dialogs do not open by themselves; see `dialog.ts`. */
export const dialogKey = 'newsletter-signup-quiet:1';

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
 * Calls `next` after the consent and each later visit; immediately if the visitor has consented already. One form acts
 * for the page: the last that was connected.
 */
export function onVisits(next: () => void): void {
  onChange = () => {
    if (consent) next();
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
  if (!location || (hasLanded && !/[?#].*=/.test(location.href)) || visits.some(({ url }) => url === location.href))
    return;
  visits.push({ url: location.href, referrer: hasLanded ? '' : document.referrer, at: Date.now() });
  // A page that is open for days keeps its first and its latest addresses.
  if (visits.length > 50) visits.splice(1, 1);
  onChange();
}

/** The visits until now. */
export function readVisits(): readonly TimedVisit[] {
  addVisit();
  return visits;
}

addVisit();
navigation?.addEventListener('currententrychange', addVisit);
document?.addEventListener('newsletter-consent', ({ detail }) => {
  // Global Privacy Control refuses consent, whatever the banner says.
  consent = detail !== false && !navigator.globalPrivacyControl;
  if (!consent)
    for (const store of ['local', 'session'])
      for (const key of [touchesKey, dialogKey]) updateStored(store, key, () => '');
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
