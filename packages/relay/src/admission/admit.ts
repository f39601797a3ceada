/** Admits a signup: screens the post, applies the abuse protection, and builds the record to store. */
import { type Refused, withAudit } from '@newsletter-kit/core/endpoint';
import type { LimitKind } from '../config/relay.ts';
import { type Suspicion, suspicions } from '../events.ts';
import type { NewSignup } from '../store/signup-store.ts';
import type { AbuseProtection } from './abuse-protection.ts';
import { ledgerEntry } from './consent.ts';
import type { Screening } from './screening.ts';
import type { SignupPost } from './signup-post.ts';

/** Result of {@link admit}. `undo` releases the token, the proof and the rate limits where storing the signup fails. */
export type Admission =
  | { readonly signup: NewSignup; readonly suspectedBecause: Suspicion | null; undo(this: void): Promise<void> }
  | { readonly refused: Refused; readonly limit?: LimitKind | undefined };

/** Idempotency key of every signup beyond the rate limit of its mailbox: the store keeps one of them, for review. */
const overLimitKey = 'beyond the limit of the address';

/** Admits a post, or returns the first refusal. */
export async function admit(
  post: SignupPost,
  {
    screening,
    protection,
    now,
  }: { readonly screening: Screening; readonly protection: AbuseProtection; readonly now: number },
): Promise<Admission> {
  const { form, header } = post;
  const screened = await screening.screen(post, now, (at) => protection.countAttack(at));
  if ('refused' in screened) return screened;
  const { kept, consent, origin } = screened;
  const result = await protection.check(screened);
  if ('refused' in result) return result;
  const { suspectedBecause, heldUntil, overLimit, undo } = result;
  const submission = withAudit(kept, origin, header('referer'));
  return {
    undo,
    suspectedBecause,
    signup: {
      form: form.name,
      submission,
      suspected: suspectedBecause && suspicions[suspectedBecause],
      heldUntil,
      needsConfirmation: form.confirmation !== null,
      origin,
      idempotencyKey: overLimit ? overLimitKey : header('idempotency-key') || null,
      consent: ledgerEntry(post, consent, submission.audit?.page ?? null, screening.visitorKey),
      receivedAt: now,
    },
  };
}
