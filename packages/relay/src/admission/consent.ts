/** Reads the consent in a signup, and builds its entry in the consent ledger. Pure. */
import type { KeptSubmission } from '@newsletter-kit/core/endpoint';
import type { Consent } from '../store/signup-store.ts';
import { canonicalAddress, networksOf } from './client-address.ts';
import { sign } from '../secrets.ts';
import type { ConsentRules, SignupPost } from './form.ts';

/** Maximum length of a stored page URL, in characters. */
const pageLimit = 2000;

/** Values of a checkbox that are not a sentence. */
const checked = /^(on|true|yes|1)$/i;
const unchecked = /^(off|false|no|0)$/i;

/**
 * The consent in a submission.
 *
 * @returns null where there is none; `sentence` is null where the form sends no text
 */
export function givenConsent({ consent }: Pick<KeptSubmission, 'consent'>): {
  readonly sentence: string | null;
} | null {
  if (consent === undefined) return null;
  const text = String(consent);
  if (checked.test(text)) return { sentence: null };
  return unchecked.test(text) ? null : { sentence: text };
}

/**
 * The ledger entry of a signup; null without consent.
 *
 * @param origin - the website of the signup
 * @param key - hashes the visitor's IP address, where the form's rules ask for that
 */
export function consentOf(
  { header, form, client }: SignupPost,
  submission: KeptSubmission,
  origin: string | null,
  key: Buffer,
): Consent | null {
  const consent = givenConsent(submission);
  if (consent === null) return null;
  const { version } = form.consent;
  return {
    ...consent,
    version,
    page: pageOf(header('referer'), origin),
    visitor: visitorOf(client, form.consent, key),
  };
}

/** URL of the page without query and fragment, which may contain personal data; null where it is of another site. */
function pageOf(referrer: string | null, origin: string | null): string | null {
  if (referrer === null || !URL.canParse(referrer)) return null;
  const url = new URL(referrer);
  return url.origin === origin ? (url.origin + url.pathname).slice(0, pageLimit) : null;
}

/**
 * The visitor's IP address as stored in the ledger: shortened, hashed, or none.
 *
 * @param key - hashes it
 */
export function visitorOf(
  client: string | null,
  { address }: Pick<ConsentRules, 'address'>,
  key: Buffer,
): string | null {
  if (client === null || address === 'none') return null;
  if (address === 'hashed') return sign(key, [canonicalAddress(client)]).toString('base64url');
  return networksOf(client).wide ?? client.replace(/\.\d+$/, '.0/24');
}
