/** Subscriptions on the wire: requests strict, answers loose. */
import * as z from 'zod';
import * as values from '../contract/values.ts';
import { isAddress, normalizeAddress } from '../signup/address.ts';
import * as shape from './shapes.ts';

/** An e-mail address; trimmed and composed, its domain lower-cased. */
export const address = z
  .string()
  .overwrite(normalizeAddress)
  .refine(isAddress, 'must be an e-mail address such as name@example.com');

/** What a custom field can hold on the wire. Not shown in the specification. */
export const customFieldValue = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);

/** A custom field as set on a subscription. The name is the field's `display` text. */
export const customFieldInput = z.strictObject({
  name: z.string().optional(),
  value: customFieldValue.nullish(),
});

/** Body of subscription creation, and the item of bulk creation. */
export const subscriptionRequest = z.strictObject({
  email: address,
  reactivate_existing: z.boolean().optional(),
  send_welcome_email: z.boolean().optional(),
  utm_source: z.string().optional(),
  utm_medium: z.string().optional(),
  utm_campaign: z.string().optional(),
  utm_term: z.string().optional(),
  utm_content: z.string().optional(),
  referring_site: z.string().optional(),
  referral_code: z.string().optional(),
  custom_fields: z.array(customFieldInput).optional(),
  double_opt_override: z.enum(values.doubleOptOverrides).optional(),
  tier: z.enum(values.subscriptionTiers).optional(),
  premium_tiers: z.array(z.string()).optional(),
  premium_tier_ids: z.array(shape.prefixedId('tier')).optional(),
  payments_customer_id: z.string().optional(),
  automation_ids: z.array(shape.prefixedId('aut')).optional(),
  newsletter_list_ids: z.array(shape.prefixedId('nl_list')).optional(),
  skip_newsletter_list_auto_subscribe: z.boolean().optional(),
  complimentary_gift_id: shape.prefixedId('comp_access').optional(),
});

/** A custom field as it comes back on a subscription. */
export const customFieldOnSubscription = z.looseObject({
  name: shape.optional(z.string()),
  kind: shape.optional(shape.openEnum(values.customFieldKinds)),
  value: z.unknown(),
});

export const subscriptionTierInfo = z.looseObject({
  id: z.string(),
  name: z.string(),
  status: shape.openEnum(values.tierStatuses),
});

export const subscriptionStats = z.looseObject({
  emails_received: shape.optional(z.number()),
  open_rate: shape.optional(z.number()),
  click_through_rate: shape.optional(z.number()),
});

/**
 * A subscription. The specification requires more than is required here: the service has been seen to leave out
 * `utm_term` and `utm_content`, and an answer must not fail for a missing text.
 */
export const subscription = z.looseObject({
  id: z.string(),
  email: z.string(),
  status: shape.openEnum(values.subscriptionStatuses),
  created: shape.unixSeconds,
  subscription_tier: shape.optional(shape.openEnum(values.subscriptionTiers)),
  subscription_premium_tier_names: shape.optional(z.array(z.string())),
  utm_source: shape.optional(z.string()),
  utm_medium: shape.optional(z.string()),
  utm_channel: shape.optional(shape.openEnum(values.utmChannels)),
  utm_campaign: shape.optional(z.string()),
  utm_term: shape.optional(z.string()),
  utm_content: shape.optional(z.string()),
  referring_site: shape.optional(z.string()),
  referral_code: shape.optional(z.string()),
  subscription_premium_tiers: shape.optional(z.array(subscriptionTierInfo)),
  custom_fields: shape.optional(z.array(customFieldOnSubscription)),
  tags: shape.optional(z.array(z.string())),
  stats: shape.optional(subscriptionStats),
  newsletter_list_ids: shape.optional(z.array(z.string())),
  referrals: shape.optional(
    z.array(z.looseObject({ id: z.string(), email: z.string(), status: shape.openEnum(values.subscriptionStatuses) })),
  ),
});

/** Query of the subscription list. */
export const subscriptionQuery = z.strictObject({
  expand: shape.repeated(
    z.enum(['subscription_premium_tiers', 'referrals', 'stats', 'custom_fields', 'newsletter_lists', 'tags']),
  ),
  status: z.enum(values.subscriptionStatusFilters).optional(),
  tier: z.enum(values.subscriptionTierFilters).optional(),
  premium_tiers: shape.repeated(z.string()),
  premium_tier_ids: shape.repeated(z.string()),
  limit: shape.limit,
  cursor: shape.cursor,
  page: shape.page,
  email: z.string().optional(),
  order_by: z.enum(values.orderings).optional(),
  direction: z.enum(values.directions).optional(),
  creation_date: z
    .string()
    .regex(/^\d{4}\/(0[1-9]|1[0-2])\/(0[1-9]|[12]\d|3[01])$/, 'must be a day as YYYY/MM/DD')
    .optional(),
});

/** Answer of subscription creation. */
export const createdSubscription = z.looseObject({
  data: subscription,
  warnings: shape.optional(z.array(shape.errorDetail)),
});

/** Answer of bulk creation: not wrapped in `data`. */
export const bulkCreated = z.looseObject({ message: z.string(), import_id: z.string() });

/** One item of the bulk update. */
export const bulkUpdateItem = z.strictObject({
  subscription_id: shape.prefixedId('sub'),
  tier: z.enum(values.subscriptionTiers).optional(),
  payments_customer_id: z.string().optional(),
  unsubscribe: z.boolean().optional(),
  custom_fields: z
    .array(z.strictObject({ name: z.string(), value: customFieldValue.nullish(), delete: z.boolean().optional() }))
    .optional(),
  newsletter_list_ids: z.array(shape.prefixedId('nl_list')).optional(),
  unsubscribe_newsletter_list_ids: z.array(shape.prefixedId('nl_list')).optional(),
  complimentary_gift_id: shape.prefixedId('comp_access').optional(),
});

/** Answer of the bulk update: the job to read. */
export const bulkUpdateStarted = shape.enveloped(z.looseObject({ subscription_update_id: z.string() }));

/** A bulk update job. */
export const bulkSubscriptionUpdate = z.looseObject({
  id: z.string(),
  type: shape.optional(shape.openEnum(values.bulkUpdateTypes)),
  params: shape.optional(z.string()),
  status: shape.optional(shape.openEnum(values.bulkUpdateStatuses)),
  publication_id: shape.optional(z.string()),
  failure_reason: shape.optional(z.string()),
  completed: shape.optional(shape.unixSeconds),
  created: shape.optional(shape.unixSeconds),
  updated: shape.optional(shape.unixSeconds),
  /** Texts, as far as is known; the specification does not show them. */
  error_log: shape.optional(z.array(z.unknown())),
});
