/** The consent a post carries, and how the ledger keeps it. Pure. */
import type { KeptSubmission } from '@newsletter-kit/core/endpoint';
import type { Consent } from '../store/signup-store.ts';
import { canonicalAddress, networksOf } from './client-address.ts';
import { sign } from './keys.ts';
import type { Visit } from './visit.ts';

/** What a form says about consent. */
export interface ConsentRules {
  /** The operator's name for the version of the sentence, or of the privacy policy behind it. */
  readonly version: string | null;
  /** Whether a signup without consent is refused. */
  readonly required: boolean;
  /** Name of the custom field that hands the sentence to the API; null hands it to nobody. */
  readonly field: string | null;
  /** How the visitor's address is kept in the ledger. */
  readonly address: 'shortened' | 'hashed' | 'none';
}

/** Longest address of a page that is kept, in characters. */
const longestPage = 2000;

/** What a checkbox sends whose value is no sentence. */
const checked = /^(on|true|yes|1)$/i;
const unchecked = /^(off|false|no|0)$/i;

/**
 * What the person agreed to.
 *
 * @returns null where no consent was sent; the sentence is null where the form sends none
 */
export function givenConsent({ consent }: Pick<KeptSubmission, 'consent'>): {
  readonly sentence: string | null;
} | null {
  if (consent === undefined || consent === false) return null;
  if (consent === true || checked.test(consent)) return { sentence: null };
  return unchecked.test(consent) ? null : { sentence: consent };
}

/**
 * The ledger's entry for a post.
 *
 * @param origin - the site the post was admitted for
 * @param key - hashes the visitor's address where the form's rules say so
 */
export function consentOf(
  { header, form, client }: Visit,
  submission: KeptSubmission,
  origin: string | null,
  key: Buffer,
): Consent | null {
  const given = givenConsent(submission);
  if (given === null) return null;
  const { version } = form.consent;
  return { ...given, version, page: pageOf(header('referer'), origin), visitor: visitorOf(client, form.consent, key) };
}

/** The page, without query and fragment, which may hold an address or a secret; null where it is not of this site. */
function pageOf(referrer: string | null, origin: string | null): string | null {
  if (referrer === null || !URL.canParse(referrer)) return null;
  const url = new URL(referrer);
  return url.origin === origin ? (url.origin + url.pathname).slice(0, longestPage) : null;
}

/**
 * The visitor's address as the ledger keeps it.
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
