/**
 * Identity of signups: their ids, UUIDs of version 7 that sort by time of receipt, and the fingerprints – hashes of
 * address and content – by which duplicates and all signups of a person are found.
 */
import { hash, randomUUID } from 'node:crypto';
import { mailboxKey } from '@newsletter-kit/core/facts';
import { addressKey } from '@newsletter-kit/core/signup';
import type { NewSignup } from './signup-store.ts';

/** The millisecond of the last id, and the number of earlier ids in it. */
let last = { time: '', count: 0 };

/**
 * @param now - milliseconds since the Unix epoch; the id sorts by it, and within a millisecond by the order of
 *   the calls in this process: a duplicate must sort after its original
 */
export function signupId(now: number): string {
  const time = firstIdOf(now);
  // RFC 9562, section 6.2, method 1: a counter of 12 bits.
  last = { time, count: time === last.time ? (last.count + 1) % 4096 : 0 };
  // Version 4 and 7 differ in their first 64 bits alone; Node keeps random ones in stock.
  return `${time}-7${last.count.toString(16).padStart(3, '0')}${randomUUID().slice(18)}`;
}

/** A prefix that sorts before every id created at this moment or later, and after all earlier ones. */
export function firstIdOf(moment: number): string {
  const time = Math.max(0, Math.floor(moment)).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}`;
}

/** The same as a whole id. */
export const idFrom = (moment: number): string => `${firstIdOf(moment)}-0000-0000-000000000000`;

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
}: Pick<NewSignup, 'form' | 'submission' | 'idempotencyKey'> & { readonly suspected: boolean }): Fingerprint {
  // A repetition from another page is the same signup.
  const { email, audit: _audit, ...rest } = submission;
  const person = personHash(email);
  return {
    intent: idempotencyKey === null ? null : person + digest(JSON.stringify([form, suspected, idempotencyKey])),
    content: person + digest(JSON.stringify([form, suspected, rest])),
  };
}

/**
 * The hash of an address, equal for all its spellings. It begins every fingerprint of the person, so that a range
 * scan of one index finds all their signups.
 */
export function personHash(address: string): string {
  return digest(addressKey(address));
}

/** The hash of the mailbox of an address: that of no person. */
export function mailboxHash(address: string): string {
  return digest(`mailbox ${mailboxKey(address)}`);
}

/**
 * The hash of an address in the list of erased people, in the form in which `newsletter import --suppress` reads it:
 * SHA-256 of the `addressKey`, hexadecimal. Without a key, so that another program can compare it.
 */
export function suppressionHash(address: string): string {
  return hash('sha256', addressKey(address), 'hex');
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
