/** The entry of a signup in the consent ledger. Pure. */
import { type ReadConsent, withoutAddresses } from '@newsletter-kit/core/facts';
import type { Form } from '../config/form.ts';
import type { NewSignup } from '../store/signup-store.ts';
import { canonicalAddress, networksOf } from './client-address.ts';
import { sign } from '../secrets.ts';
import type { SignupPost } from './signup-post.ts';

/**
 * The ledger entry of a signup: the consent, the words of one that is unclear, or the request that has to be confirmed;
 * null if there is none of them.
 *
 * @param key - hashes the visitor's IP address, where the form's rules ask for that
 */
export function ledgerEntry(
  { form, client }: Pick<SignupPost, 'form' | 'client'>,
  { given, sentence }: ReadConsent,
  page: string | null,
  key: Buffer,
): NewSignup['consent'] {
  if (given === false && form.confirmation === null) return null;
  return {
    kind: given === null ? 'unclear' : given ? 'given' : 'requested',
    // Anybody may have sent these words, and the ledger holds no address of a person.
    sentence: given === null ? withoutAddresses(sentence) : sentence,
    version: form.consent.version,
    page,
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
