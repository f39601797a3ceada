/**
 * When two posts are one signup, and which signups are one person's: hashes of the address and of what stands beside
 * it. Pure.
 */
import { hash } from 'node:crypto';
import { addressKey } from '@newsletter-kit/core/signup';
import { repeatWindowMs, type NewSignup, type SignupState } from './signup-store.ts';

/** The hashes a signup is recognised by. `intent` and `content` begin with the person's, {@link personHash}. */
export interface Fingerprint {
  /** Of address and idempotency key, null without a key: one key used for two people must not lose the second. */
  readonly intent: string | null;
  /** Of address and everything else that was sent. */
  readonly content: string;
}

/** A suspected post never stands in for an unsuspected one: it would keep a person's signup in review. */
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
 * The same for every spelling of an address. All fingerprints of a person lie side by side in an index: one range finds
 * them.
 */
export function personHash(address: string): string {
  return digest(addressKey(address));
}

/** The person's hash, with which a fingerprint begins. */
export function personOfFingerprint(fingerprint: string): string {
  return fingerprint.slice(0, digestLength);
}

/** Characters of a hash. */
export const digestLength = 22;

/** 132 bits: no two by chance, and as short as that allows, since every signup has several in an index. */
function digest(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, digestLength);
}

/** What decides whether a signup repeats another, or has to wait for it. */
export interface SignupOfPerson {
  readonly id: string;
  readonly state: SignupState;
  readonly intent: string | null;
  readonly content: string | null;
  readonly receivedAt: number;
}

/**
 * What becomes of a signup that is about to be attempted, given the other signups of its person.
 *
 * - `repeat`: another one says the same; this one is superfluous.
 * - `blocked`: another one is under way; sent at the same time, the older values might win.
 *
 * Earlier is what was received earlier, and what has been sent: where the clocks of two relays differ, or one was set
 * back, a signup may come in after the one it repeats and still bear an earlier time.
 */
export function relationTo(siblings: readonly SignupOfPerson[], signup: SignupOfPerson): 'repeat' | 'blocked' | 'free' {
  const earlier = siblings.filter(
    ({ id, state }) => id < signup.id || (signup.state !== 'sent' && id !== signup.id && hasBeenSent(state)),
  );
  const repeats = earlier.some(
    ({ intent, content, state, receivedAt }) =>
      (intent !== null && intent === signup.intent) ||
      (content === signup.content && state !== 'dead' && Math.abs(receivedAt - signup.receivedAt) < repeatWindowMs),
  );
  // An attempt that may have reached the API is not thrown away: the earlier one may be waiting for its turn.
  if (repeats && signup.state !== 'sent') return 'repeat';
  return earlier.some(({ state }) => state === 'sent') ? 'blocked' : 'free';
}

function hasBeenSent(state: SignupState): boolean {
  return state === 'sent' || state === 'delivered';
}
