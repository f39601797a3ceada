/**
 * How this page was reached, where it went by itself since, and whether the visitor lets us remember that. Memory only.
 */
import type { TimedVisit } from '@newsletter-kit/core/signup';

declare global {
  interface Navigator {
    /** Whether the visitor told the browser that they want no tracking. Not in every browser. */
    readonly globalPrivacyControl?: boolean;
  }
}

// On a server there is no page.
const { document, location, navigation } = globalThis;

/**
 * Every address of this page that may say something, oldest first. Begun when the script runs, not when the form is
 * sent.
 */
export const visits: TimedVisit[] = [];

/** Whether touches may be stored; undefined until the visitor has answered on this page. */
export let consent: boolean | undefined;

let follow: () => void = () => {};

/**
 * Calls `next` after each answer about consent, and from then on after each visit; now as well, where there was an
 * answer. The form that came last speaks for the page, also after it has gone.
 */
export function followVisits(next: () => void): void {
  follow = () => {
    if (consent !== undefined) next();
  };
  noteVisit();
  follow();
}

/** Tells every form on the page, of any copy of the script, what the visitor said. */
export function answerConsent(detail: boolean): void {
  document.dispatchEvent(new CustomEvent('newsletter-consent', { detail }));
}

/** Notes the address the page is at, unless it has been there: going back is no new visit. */
export function noteVisit(): void {
  const landed = visits.length > 0;
  if (!location || (landed && !location.search) || visits.some(({ url }) => url === location.href)) return;
  visits.push({ url: location.href, referrer: landed ? '' : document.referrer, at: Date.now() });
  // A page that lives for days keeps its landing and the latest addresses.
  if (visits.length > 50) visits.splice(1, 1);
  follow();
}

noteVisit();
navigation?.addEventListener('currententrychange', noteVisit);
document?.addEventListener('newsletter-consent', ({ detail }) => {
  // Whoever told the browser that they want no tracking has answered for every banner (Global Privacy Control).
  consent = detail !== false && !navigator.globalPrivacyControl;
  follow();
});
