/** Fingerprints for deduplication: hashes of a person's address and of a signup's content. Pure. */
import { hash } from 'node:crypto';
import { addressKey } from '@newsletter-kit/core/signup';
import type { NewSignup } from './signup-store.ts';

/** The hashes that identify a signup. `intent` and `content` begin with the hash of the person, {@link personHash}. */
export interface Fingerprint {
  /** Hash of address and idempotency key; null without a key. The address keeps one key for two people apart. */
  readonly intent: string | null;
  /** Hash of the address and everything else that was sent. */
  readonly content: string;
}

/** The hashes include `suspected`, so that a suspected post never makes an unsuspected one a duplicate. */
export function fingerprint({
  form,
  submission,
  suspected,
  idempotencyKey,
}: Pick<NewSignup, 'form' | 'submission' | 'suspected' | 'idempotencyKey'>): Fingerprint {
  const { email, ...rest } = submission;
  const person = personHash(email);
  return {
    intent: idempotencyKey === null ? null : person + digest(JSON.stringify([form, suspected, idempotencyKey])),
    content: person + digest(JSON.stringify([form, suspected, rest])),
  };
}

/**
 * The hash of an address, equal for all its spellings. It begins every fingerprint of the person, so that a range scan
 * of one index finds all their signups.
 */
export function personHash(address: string): string {
  return digest(addressKey(address));
}

/** The hash of the person at the beginning of a fingerprint. */
export function personOfFingerprint(fingerprint: string): string {
  return fingerprint.slice(0, digestLength);
}

/** Length of a hash, in characters. */
export const digestLength = 22;

/** 132 bits: enough against collisions, and short, since an index stores several hashes per signup. */
function digest(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, digestLength);
}
