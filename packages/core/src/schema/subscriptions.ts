/** Subscriptions on the wire. */
import * as z from 'zod';
import * as values from '../contract/values.ts';
import {
  bulkUpdateItemWords,
  customFieldChangeWords,
  customFieldValueWords,
  subscriptionRequestWords,
  words,
} from '../contract/words/index.ts';
import { isAddress, normalizeAddress } from '../signup/address.ts';
import * as shape from './shapes.ts';
import { accepting, lenient } from './tolerant.ts';

/** An e-mail address; trimmed and composed, its domain lower-cased. International addresses are addresses. */
export const address = z
  .string()
  .overwrite(normalizeAddress)
  .refine(isAddress, 'must be an e-mail address such as name@example.com')
  .meta({ format: 'idn-email' });

/** What a custom field can hold on the wire. Not shown in the specification. */
export const customFieldValue = z.union(
  [z.string(), z.number(), z.boolean(), z.array(z.string())],
  'must be a text, a number, true, false or a list of texts',
);

/** A custom field as set on a subscription. The name is the field's `display` text. */
const customFieldInput = shape
  .request(customFieldValueWords, { name: z.string().optional(), value: customFieldValue.nullish() })
  .meta({ id: 'CustomFieldValue', description: 'A custom field as it is set on a subscription.' });

/** Body of subscription creation, and the item of bulk creation. */
export const subscriptionRequest = shape
  .request(subscriptionRequestWords, {
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
  })
  .meta({ id: 'SubscriptionRequest', description: 'A subscription to create.' });

/** A custom field as it comes back on a subscription. */
const customFieldOnSubscription = shape.record(
  'SubscriptionCustomField',
  'A custom field as it comes back on a subscription.',
  {
    name: z.string().optional().describe('The `display` label of the field.'),
    kind: z.enum(values.customFieldKinds).optional().describe('Type of the value.'),
    value: accepting(
      customFieldValue.nullish().describe('The stored value; its type is not specified, so check it before use.'),
      z.unknown(),
    ),
  },
);

const subscriptionTierInfo = shape.record('SubscriptionTierInfo', 'A premium tier of a subscription.', {
  id: shape.prefixedId('tier').describe('Prefixed ID of the tier, `tier_<uuid>`.'),
  name: z.string().describe('Name of the tier.'),
  status: z.enum(values.tierStatuses).describe('Whether the tier has any active prices.'),
});

const subscriptionStats = shape.record('SubscriptionStats', 'E-mail engagement of a subscriber.', {
  emails_received: z.int().min(0).optional().describe('Number of e-mails sent to the subscriber.'),
  open_rate: z.number().optional().describe('Percentage of the e-mails that were opened, from 0 to 100.'),
  click_through_rate: z
    .number()
    .optional()
    .describe('Percentage of the e-mails in which a link was clicked, from 0 to 100.'),
});

const statusText =
  '`validating`: the address is being validated. `invalid`: the address is invalid. `pending`: awaits double opt-in. `active`: valid and active. `inactive`: made inactive, possibly by unsubscribing. `needs_attention`: requires approval or denial. `paused` is not described by the specification.';

const referral = shape.record('Referral', 'A subscription that another one referred.', {
  id: shape.prefixedId('sub').describe('Prefixed ID of the referred subscription, `sub_<uuid>`.'),
  email: z.string().describe('Address of the referred subscriber.'),
  status: z.enum(values.subscriptionStatuses).describe('Status of the referred subscription.'),
});

/** A subscription. */
export const subscription = shape.record('Subscription', "A subscriber's subscription to a publication.", {
  id: shape.prefixedId('sub').describe('Prefixed ID of the subscription, `sub_<uuid>`.'),
  email: z.string().describe('E-mail address of the subscriber.'),
  status: z.enum(values.subscriptionStatuses).describe(statusText),
  created: shape.unixSeconds.describe('When the subscription was created, in Unix seconds.'),
  subscription_tier: lenient(z.enum(values.subscriptionTiers).describe('Current tier.')),
  subscription_premium_tier_names: lenient(
    z.array(z.string()).describe('Names of the current premium tiers; empty when there are none.'),
  ),
  utm_source: lenient(z.string().describe('Acquisition source; empty when unknown.')),
  utm_medium: lenient(z.string().describe('Acquisition medium; empty when unknown.')),
  utm_channel: lenient(
    z.enum(values.utmChannels).describe('Acquisition channel, set by the service; empty when unknown.'),
  ),
  utm_campaign: lenient(z.string().describe('Acquisition campaign; empty when unknown.')),
  utm_term: lenient(z.string().describe('Acquisition keyword or search term; empty when unknown.')),
  utm_content: lenient(
    z.string().describe('Content or A/B variation that led to the subscription; empty when unknown.'),
  ),
  referring_site: lenient(z.string().describe('Website the subscriber came from; empty when unknown.')),
  referral_code: lenient(
    z.string().describe('Code this subscriber gives to others; a subscription created with it credits this one.'),
  ),
  subscription_premium_tiers: z
    .array(subscriptionTierInfo)
    .optional()
    .describe("The current premium tiers. Present with `expand: ['subscription_premium_tiers']`."),
  custom_fields: z
    .array(customFieldOnSubscription)
    .optional()
    .describe("Custom field values. Present with `expand: ['custom_fields']`."),
  tags: z
    .array(z.string())
    .optional()
    .describe("Tags of the subscription; a publication has at most 100 unique tags. Present with `expand: ['tags']`."),
  stats: subscriptionStats.optional().describe("E-mail engagement. Present with `expand: ['stats']`."),
  newsletter_list_ids: z
    .array(shape.prefixedId('nl_list'))
    .optional()
    .describe(
      "Prefixed IDs of the newsletter lists the subscription is actively subscribed to, `nl_list_<uuid>`. Present with `expand: ['newsletter_lists']`.",
    ),
  referrals: z
    .array(referral)
    .optional()
    .describe("Subscriptions that this one referred. Present with `expand: ['referrals']`."),
});

/** Query of the subscription list. */
export const subscriptionQuery = shape.request(words['subscriptions.list'].parameters, {
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
export const createdSubscription = z.strictObject({
  data: subscription.describe('The subscription: the new one, or the existing one with this address.'),
  warnings: z
    .array(shape.errorDetail)
    .optional()
    .describe('Custom fields that were dropped because they are unknown or have no name.'),
});

/** Body of bulk creation. */
export const bulkCreation = shape.request(words['subscriptions.bulkCreate'].parameters, {
  subscriptions: z.array(subscriptionRequest).min(1),
});

/** Answer of bulk creation: not wrapped in `data`. */
export const bulkCreated = z.strictObject({
  message: z.string().describe('Confirmation that the import was accepted.'),
  import_id: z.string().describe('ID of the import. No operation reads an import.'),
});

/** One item of the bulk update. */
export const bulkUpdateItem = shape
  .request(bulkUpdateItemWords, {
    subscription_id: shape.prefixedId('sub'),
    tier: z.enum(values.subscriptionTiers).optional(),
    payments_customer_id: z.string().optional(),
    unsubscribe: z.boolean().optional(),
    custom_fields: z
      .array(
        shape
          .request(customFieldChangeWords, {
            name: z.string(),
            value: customFieldValue.nullish(),
            delete: z.boolean().optional(),
          })
          .meta({ id: 'CustomFieldChange', description: 'A custom field value to set or to remove.' }),
      )
      .optional(),
    newsletter_list_ids: z.array(shape.prefixedId('nl_list')).optional(),
    unsubscribe_newsletter_list_ids: z.array(shape.prefixedId('nl_list')).optional(),
    complimentary_gift_id: shape.prefixedId('comp_access').optional(),
  })
  .meta({ id: 'BulkUpdateItem', description: 'The update of one subscription.' });

/** Body of the bulk update. */
export const bulkUpdate = shape.request(words['subscriptions.bulkUpdate'].parameters, {
  subscriptions: z.array(bulkUpdateItem).min(1).max(values.bulkUpdateLimit),
});

/** Body of the status update. */
export const statusUpdate = shape.request(words['subscriptions.updateStatus'].parameters, {
  subscription_ids: z.array(z.string()).min(1),
  new_status: z.enum(values.newStatuses),
});

/** Answer of the bulk update: the job to read. */
export const bulkUpdateStarted = shape.enveloped(
  shape.record('BulkUpdateStarted', 'The job that a bulk update has started.', {
    subscription_update_id: z.string().describe('ID of the job; read it with `bulkSubscriptionUpdates.get`.'),
  }),
  'The job that was started.',
);

/** A bulk update job. */
export const bulkSubscriptionUpdate = shape.record(
  'BulkSubscriptionUpdate',
  'A job that updates many subscriptions, and its outcome.',
  {
    id: z.string().describe('ID of the job, without a prefix.'),
    type: lenient(
      z
        .enum(values.bulkUpdateTypes)
        .describe('`status`: started by `subscriptions.updateStatus`. `bulk`: started by `subscriptions.bulkUpdate`.'),
    ),
    params: lenient(z.string().describe('The parameters of the update, serialised. Do not parse it.')),
    status: lenient(z.enum(values.bulkUpdateStatuses).describe('State of the job. `complete` and `failed` are final.')),
    publication_id: lenient(shape.prefixedId('pub').describe('Prefixed ID of the publication, `pub_<uuid>`.')),
    failure_reason: lenient(z.string().nullable().describe('Why the whole job failed; null unless it did.')),
    completed: lenient(shape.unixSeconds.nullable().describe('When the job ended, in Unix seconds; null until then.')),
    created: lenient(shape.unixSeconds.describe('When the job was created, in Unix seconds.')),
    updated: lenient(shape.unixSeconds.describe('When the job last changed, in Unix seconds.')),
    error_log: lenient(
      accepting(z.array(z.string()).describe('One entry per item that failed.'), z.array(z.unknown())),
    ),
  },
);
