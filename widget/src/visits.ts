/**
 * The visits of this page and the visitor's consent, which all forms share. Nothing is stored before consent; then
 * `remember.js` is loaded, which stores the visits. Everything is deleted when the consent is revoked.
 */
import type { TimedVisit, Touch } from '@newsletter-kit/core/signup';
import type { AttributionHost, PageTools } from './attribution.ts';
import { currentScript, loadPart } from './chunks.ts';
import type * as RememberFile from './remember.ts';
import { deleteStored } from './store.ts';
import { oneOf, warn } from './warnings.ts';

// Undefined on a server.
const { document, location, navigation } = globalThis;

/** Addresses of this page that may carry attribution, oldest first, from the moment the script runs. */
const visits: TimedVisit[] = [];

/** Whether the visitor consents to storing. */
let consent = false;

/** The element by whose attributes visits are stored: the form that was connected last. */
let host: AttributionHost | undefined;

/** Undefined before consent, and where the file cannot be loaded. */
let file: typeof RememberFile | undefined;

/** Lets an element decide how visits are stored. */
export function actFor(next: AttributionHost): void {
  host = next;
  readVisits();
  if (consent) void store();
}

/** Announces the visitor's answer to every copy of the script. */
export function announceConsent(detail: unknown): void {
  document.dispatchEvent(new CustomEvent('newsletter-consent', { detail }));
}

/** Adds the page's address unless it was added before: going back is not a new visit. @returns the visits until now */
function readVisits(): readonly TimedVisit[] {
  const hasLanded = visits.length > 0;
  if (!hasLanded || (/[?#&].*=/.test(location.href) && visits.every(({ url }) => url !== location.href))) {
    visits.push({ url: location.href, referrer: hasLanded ? '' : document.referrer, at: Date.now() });
    // A page that is open for days keeps its first and its latest addresses. A negative number removes none.
    visits.splice(1, visits.length - 50);
    if (consent) void store();
  }
  return visits;
}

/** Stores the visits with consent, else deletes the cookie. On a page without a form, the script element says how. */
async function store(): Promise<void> {
  file ??= await loadPart(host ?? document.documentElement, 'remember.js', import('./remember.ts'));
  if (!consent) file?.deleteCookies();
  else if (host) await recall(host);
  else if (currentScript?.dataset) await file?.standIn(currentScript.dataset, (element) => actFor(host ?? element));
}

function recall(element: AttributionHost): Promise<readonly Touch[]> | undefined {
  return consent ? file?.remember(element, tools) : undefined;
}

/** For the files that are loaded later, which must not have a second copy of what has a state. */
export const tools: PageTools = { hasConsent: () => consent, loadPart, oneOf, readVisits, recall, warn };

if (document) {
  readVisits();
  navigation?.addEventListener('currententrychange', readVisits);
  /** Those that came before the script. */
  const answers: unknown[] = [globalThis.newsletterConsent ?? []].flat();
  /** The last answer, which further copies of the script read. */
  const queue = Object.assign([] as unknown[], { push: announceConsent });
  globalThis.newsletterConsent = queue;
  document.addEventListener('newsletter-consent', ({ detail }) => {
    queue[0] = detail;
    // Nothing else grants it. Global Privacy Control, which some browsers have, refuses it, whatever the banner says.
    consent =
      (detail === true || detail === 'granted') &&
      !('globalPrivacyControl' in navigator && navigator.globalPrivacyControl);
    if (consent || deleteStored()) void store();
  });
  answers.slice(-1).forEach(announceConsent);
}
