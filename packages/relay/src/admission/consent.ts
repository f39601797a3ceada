/** Reads the consent in a signup, and builds its entry in the consent ledger. Pure. */
import type { KeptSubmission } from '@newsletter-kit/core/endpoint';
import type { Form } from '../config/form.ts';
import type { Consent } from '../store/signup-store.ts';
import { canonicalAddress, networksOf } from './client-address.ts';
import { sign } from '../secrets.ts';
import type { SignupPost } from './signup-post.ts';

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
 * @param key - hashes the visitor's IP address, where the form's rules ask for that
 */
export function consentOf(
  { form, client }: Pick<SignupPost, 'form' | 'client'>,
  submission: KeptSubmission,
  key: Buffer,
): Consent | null {
  const consent = givenConsent(submission);
  if (consent === null) return null;
  const { version } = form.consent;
  return {
    ...consent,
    version,
    page: submission.audit?.page ?? null,
    visitor: visitorOf(client, form.consent, key),
  };
}

/**
 * The visitor's IP address as stored in the ledger: shortened, hashed, or none.
 *
 * @param key - hashes it
 */
export function visitorOf(
  client: string | null,
  { address }: Pick<Form['consent'], 'address'>,
  key: Buffer,
): string | null {
  if (client === null || address === 'none') return null;
  if (address === 'hashed') return sign(key, [canonicalAddress(client)]).toString('base64url');
  return networksOf(client).wide ?? client.replace(/\.\d+$/, '.0/24');
}
