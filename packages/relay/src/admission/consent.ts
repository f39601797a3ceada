/** The entry of a signup in the consent ledger. Pure. */
import type { KeptSubmission } from '@newsletter-kit/core/endpoint';
import type { Form } from '../config/form.ts';
import type { Consent } from '../store/signup-store.ts';
import { canonicalAddress, networksOf } from './client-address.ts';
import { consentIn } from '../consent.ts';
import { sign } from '../secrets.ts';
import type { SignupPost } from './signup-post.ts';

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
  const consent = consentIn(submission);
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
