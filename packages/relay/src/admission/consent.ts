/** The entry of a signup in the consent ledger. Pure. */
import type { KeptSubmission } from '@newsletter-kit/core/endpoint';
import type { Form } from '../config/form.ts';
import type { NewSignup } from '../store/signup-store.ts';
import { canonicalAddress, networksOf } from './client-address.ts';
import { consentIn } from '../consent.ts';
import { sign } from '../secrets.ts';
import type { SignupPost } from './signup-post.ts';

/**
 * The ledger entry of a signup: the consent, or the request that has to be confirmed; null if there is neither.
 *
 * @param key - hashes the visitor's IP address, where the form's rules ask for that
 */
export function consentOf(
  { form, client }: Pick<SignupPost, 'form' | 'client'>,
  submission: KeptSubmission,
  key: Buffer,
): NewSignup['consent'] {
  const consent = consentIn(submission);
  if (consent === null && form.confirmation === null) return null;
  return {
    kind: consent === null ? 'requested' : 'given',
    sentence: consent?.sentence ?? null,
    version: form.consent.version,
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
