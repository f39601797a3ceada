/** When two posts are one signup: hashes of the intent behind a post, and of its content. Pure. */
import { hash } from 'node:crypto';
import { addressKey } from '@newsletter-kit/core/signup';
import type { NewSignup } from './signup-store.ts';

/** The two hashes a signup is recognised by. */
export interface Fingerprint {
  /** Of idempotency key and address, null without a key: one key used for two people must not lose the second. */
  readonly intent: string | null;
  /** Of address and everything else that was sent. */
  readonly content: string;
}

/** A suspected post never stands in for an unsuspected one: it would keep a person's signup in review. */
export function fingerprint({ form, submission, suspected, idempotencyKey }: NewSignup): Fingerprint {
  const { email, ...rest } = submission;
  const person = [form, suspected, addressKey(email)];
  return {
    intent: idempotencyKey === null ? null : digest([...person, idempotencyKey]),
    content: digest([...person, rest]),
  };
}

function digest(parts: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url');
}
