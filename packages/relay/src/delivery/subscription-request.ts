/** The request a signup becomes. Nothing but the fields named here leaves the store, and what is pinned wins. */
import type { SubscriptionRequest } from '@newsletter-kit/core';
import { attributionFields, type Attribution } from '@newsletter-kit/core/signup';
import type { PinnedFields } from '../admission/form.ts';
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
  pinned: PinnedFields,
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
    ...(confirmed && { double_opt_override: 'off' }),
    ...pinned,
    ...(tried && { reactivate_existing: false }),
  };
}
