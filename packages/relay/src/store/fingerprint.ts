/**
 * When two posts are one signup, and which signups are one person's: hashes of the address and of what stands beside
 * it. Pure.
 */
import { hash } from 'node:crypto';
import { addressKey } from '@newsletter-kit/core/signup';
import type { NewSignup } from './signup-store.ts';

/** The two hashes a signup is recognised by. Both begin with the person's, {@link personHash}. */
export interface Fingerprint {
  /** Of the address; both others begin with it. */
  readonly person: string;
  /** Of address and idempotency key, null without a key: one key used for two people must not lose the second. */
  readonly intent: string | null;
  /** Of address and everything else that was sent. */
  readonly content: string;
}

/** A suspected post never stands in for an unsuspected one: it would keep a person's signup in review. */
export function fingerprint({ form, submission, suspected, idempotencyKey }: NewSignup): Fingerprint {
  const { email, ...rest } = submission;
  const person = personHash(email);
  return {
    person,
    intent: idempotencyKey === null ? null : person + digest(JSON.stringify([form, suspected, idempotencyKey])),
    content: person + digest(JSON.stringify([form, suspected, rest])),
  };
}

/**
 * The same for every spelling of an address. All fingerprints of a person lie side by side in an index: one range finds
 * them.
 */
export function personHash(address: string): string {
  return digest(addressKey(address));
}

/** 132 bits: no two by chance, and as short as that allows, since every signup has several in an index. */
function digest(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 22);
}
