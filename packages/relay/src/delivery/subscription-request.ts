/** The request a signup becomes. Nothing but the fields named here leaves the store, and what is pinned wins. */
import type { SubscriptionRequest } from '@newsletter-kit/core';
import { attributionFields, type Attribution, type KeptSubmission } from '@newsletter-kit/core/signup';
import type { PinnedFields } from '../admission/form.ts';

/**
 * Pinned fields are applied here, on the way out, not on the way in: a correction of the configuration then also
 * reaches the signups that are waiting.
 *
 * @param repetition - an earlier attempt may have reached the API. Then the person may have unsubscribed since, so that
 *   nothing must reactivate the subscription, and may have the welcome mail already
 */
export function toSubscriptionRequest(
  submission: KeptSubmission,
  pinned: PinnedFields,
  repetition = false,
): SubscriptionRequest {
  const attribution = attributionFields
    .map((name) => [name, submission[name]] as const)
    .filter(([, value]) => value !== undefined);
  return {
    email: submission.email,
    ...(Object.fromEntries(attribution) satisfies Partial<Attribution>),
    ...(submission.custom_fields && {
      custom_fields: submission.custom_fields.map(({ name, value }) => ({
        name,
        value: typeof value === 'object' ? [...value] : value,
      })),
    }),
    ...pinned,
    ...(repetition && { reactivate_existing: false }),
  };
}
