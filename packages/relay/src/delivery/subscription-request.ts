/** Builds the API request of a signup. Only the fields named here leave the store, and pinned fields win. */
import type { SubscriptionRequest } from '@newsletter-kit/core';
import { attributionFields, type Attribution } from '@newsletter-kit/core/signup';
import { givenConsent } from '../admission/consent.ts';
import type { Form } from '../admission/form.ts';
import type { ClaimedSignup } from '../store/signup-store.ts';

/**
 * Pinned fields are applied at delivery, not at admission, so that a corrected configuration also applies to signups
 * that wait already.
 *
 * - Tried before: an earlier attempt may have reached the API, and the person may have unsubscribed since. So the
 *   request never reactivates a subscription.
 * - Confirmed here: the person has clicked a link, so the API does not ask again, unless a pinned field says so.
 */
export function toSubscriptionRequest(
  { submission, tried, confirmed }: Pick<ClaimedSignup, 'submission' | 'tried' | 'confirmed'>,
  form: Pick<Form, 'pinned' | 'consent'> | undefined,
): SubscriptionRequest {
  const attribution = attributionFields
    .map((name) => [name, submission[name]] as const)
    .filter(([, value]) => value !== undefined);
  const consentField = form?.consent.field ?? null;
  const fields = (submission.custom_fields ?? [])
    .filter(({ name }) => name !== consentField)
    .map(({ name, value }) => ({ name, value: typeof value === 'object' ? [...value] : value }));
  const given = givenConsent(submission);
  // Set by the relay only, so that a page cannot claim a consent in it.
  if (consentField !== null && given) fields.push({ name: consentField, value: given.sentence ?? 'yes' });
  return {
    email: submission.email,
    ...(Object.fromEntries(attribution) satisfies Partial<Attribution>),
    ...(fields.length > 0 && { custom_fields: fields }),
    ...(confirmed && { double_opt_override: 'off' }),
    ...form?.pinned,
    ...(tried && { reactivate_existing: false }),
  };
}
