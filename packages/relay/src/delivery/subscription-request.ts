/** The request a signup becomes. Nothing but the fields named here leaves the store, and what is pinned wins. */
import type { SubscriptionRequest } from '@newsletter-kit/core';
import { attributionFields, type Attribution } from '@newsletter-kit/core/signup';
import { givenConsent } from '../admission/consent.ts';
import type { Form } from '../admission/form.ts';
import type { ClaimedSignup } from '../store/signup-store.ts';

/**
 * Pinned fields are applied here, on the way out, not on the way in: a correction of the configuration then also
 * reaches the signups that are waiting.
 *
 * - Tried before: an earlier attempt may have reached the API. Then the person may have unsubscribed since, so that
 *   nothing must reactivate the subscription, and may have the welcome mail already.
 * - Confirmed here: the person has clicked a link and is not asked again, unless a pin says so.
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
  // Set by the relay alone: a page must not claim a consent in it.
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
