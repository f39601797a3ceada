/** Admits a signup: checks the post, requires consent, applies the abuse protection, and builds the record to store. */
import {
  admitPost,
  allowedOrigin,
  type Entered,
  originRefused,
  type PostCheck,
  type ReadHeader,
  refused,
  type Refused,
  withAudit,
} from '@newsletter-kit/core/endpoint';
import type { NewSignup } from '../store/signup-store.ts';
import type { AbuseProtection } from './abuse-protection.ts';
import { consentIn } from '../consent.ts';
import { consentOf } from './consent.ts';
import type { LimitKind } from '../config/relay.ts';
import type { SignupPost } from './signup-post.ts';

/** A check of a post before its body is read; null lets the post pass. Added with `createRelay`'s option `checks`. */
export type Check = PostCheck<SignupPost>;

/** Result of {@link admit}. `undo` releases the token, the proof and the rate limits where storing the signup fails. */
export type Admission =
  | { readonly signup: NewSignup; undo(this: void): Promise<void> }
  | { readonly refused: Refused; readonly limit?: LimitKind | undefined; readonly entered?: Entered };

/** Idempotency key of every signup beyond the rate limit of its mailbox: the store keeps one of them, for review. */
const overLimitKey = 'beyond the limit of the address';

const consentRequired = refused(
  400,
  'CONSENT_REQUIRED',
  'This form needs your consent: tick its box, so that "consent" is sent.',
);

/** Admits a post, or returns the first refusal; the refusal of a form post comes with the entered fields. */
export async function admit(
  post: SignupPost,
  {
    checks,
    protection,
    now,
  }: { readonly checks: readonly Check[]; readonly protection: AbuseProtection; readonly now: number },
): Promise<Admission> {
  const { form, header } = post;
  const admission = await admitPost(post, { checkOrigin, checks, allowedFields: form.allowedFields });
  if ('refused' in admission) return admission;
  const { kept, entered } = admission.admitted;
  if (form.consent.required && consentIn(kept) === null) return { refused: consentRequired };
  const result = await protection.check(post, admission.admitted, now);
  if ('refused' in result) return { ...result, ...(entered && { entered }) };
  const { suspected, origin, overLimit, undo } = result;
  const submission = withAudit(kept, origin, header('referer'));
  return {
    undo,
    signup: {
      form: form.name,
      submission,
      suspected,
      needsConfirmation: form.confirmation !== null,
      origin,
      idempotencyKey: overLimit ? overLimitKey : header('idempotency-key') || null,
      consent: consentOf(post, submission, protection.visitorKey),
      receivedAt: now,
    },
  };
}

/**
 * Refuses posts from other websites. The relay's own page may post too where forms have tokens: the token contains the
 * origin of the website, which {@link AbuseProtection.check} verifies.
 */
export function checkOrigin({ header, form }: Pick<SignupPost, 'header' | 'form'>): Refused | null {
  if (allowedOrigin(header, form.origins) !== null) return null;
  if (form.protection.token && isOwnPage(header)) return null;
  return originRefused(header('origin'), 'RELAY_ALLOWED_ORIGINS');
}

/**
 * Whether the post comes from the relay's own page with the one button. Browsers state it in a header that no page can
 * set; Safari before 16.4 lacks the header, but sends the relay's host as the origin.
 */
function isOwnPage(header: ReadHeader): boolean {
  const site = header('sec-fetch-site');
  if (site !== null) return site === 'same-origin';
  return URL.parse(header('origin') ?? '')?.host === header('host');
}
