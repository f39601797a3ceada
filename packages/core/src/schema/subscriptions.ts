/** Subscriptions on the wire. */
import * as z from 'zod/mini';
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
import { accepting, field, lenient } from './tolerant.ts';

/** An e-mail address; trimmed and composed, its domain lower-cased. International addresses are addresses. */
export const address = z
  .string()
  .check(z.overwrite(normalizeAddress), z.refine(isAddress, 'must be an e-mail address such as name@example.com'))
  .register(z.globalRegistry, { format: 'idn-email' });

/** What a custom field can hold on the wire. Not shown in the specification. */
export const customFieldValue = z.union(
  [z.string(), z.number(), z.boolean(), z.array(z.string())],
  'must be a text, a number, true, false or a list of texts',
);

/** A custom field as set on a subscription. The name is the field's `display` text. */
const customFieldInput = shape
  .request(customFieldValueWords, { name: z.optional(z.string()), value: z.nullish(customFieldValue) })
  .register(z.globalRegistry, {
    id: 'CustomFieldValue',
    description: 'A custom field as it is set on a subscription.',
  });

/** Body of subscription creation, and the item of bulk creation. */
export const subscriptionRequest = shape
  .request(subscriptionRequestWords, {
    email: address,
    reactivate_existing: z.optional(z.boolean()),
    send_welcome_email: z.optional(z.boolean()),
    utm_source: z.optional(z.string()),
    utm_medium: z.optional(z.string()),
    utm_campaign: z.optional(z.string()),
    utm_term: z.optional(z.string()),
    utm_content: z.optional(z.string()),
    referring_site: z.optional(z.string()),
    referral_code: z.optional(z.string()),
    custom_fields: z.optional(z.array(customFieldInput)),
    double_opt_override: z.optional(z.enum(values.doubleOptOverrides)),
    tier: z.optional(z.enum(values.subscriptionTiers)),
    premium_tiers: z.optional(z.array(z.string())),
    premium_tier_ids: z.optional(z.array(shape.prefixedId('tier'))),
    payments_customer_id: z.optional(z.string()),
    automation_ids: z.optional(z.array(shape.prefixedId('aut'))),
    newsletter_list_ids: z.optional(z.array(shape.prefixedId('nl_list'))),
    skip_newsletter_list_auto_subscribe: z.optional(z.boolean()),
    complimentary_gift_id: z.optional(shape.prefixedId('comp_access')),
  })
  .register(z.globalRegistry, { id: 'SubscriptionRequest', description: 'A subscription to create.' });

/** A custom field as it comes back on a subscription. */
const customFieldOnSubscription = shape.record(
  'SubscriptionCustomField',
  'A custom field as it comes back on a subscription.',
  {
    name: field(z.optional(z.string()), 'The `display` label of the field.'),
    kind: field(z.optional(z.enum(values.customFieldKinds)), 'Type of the value.'),
    value: accepting(
      field(z.nullish(customFieldValue), 'The stored value; its type is not specified, so check it before use.'),
      z.unknown(),
    ),
  },
);

const subscriptionTierInfo = shape.record('SubscriptionTierInfo', 'A premium tier of a subscription.', {
  id: field(shape.prefixedId('tier'), 'Prefixed ID of the tier, `tier_<uuid>`.'),
  name: field(z.string(), 'Name of the tier.'),
  status: field(z.enum(values.tierStatuses), 'Whether the tier has any active prices.'),
});

const subscriptionStats = shape.record('SubscriptionStats', 'E-mail engagement of a subscriber.', {
  emails_received: field(z.optional(z.int().check(z.minimum(0))), 'Number of e-mails sent to the subscriber.'),
  open_rate: field(z.optional(z.number()), 'Percentage of the e-mails that were opened, from 0 to 100.'),
  click_through_rate: field(
    z.optional(z.number()),
    'Percentage of the e-mails in which a link was clicked, from 0 to 100.',
  ),
});

const statusText =
  '`validating`: the address is being validated. `invalid`: the address is invalid. `pending`: awaits double opt-in. `active`: valid and active. `inactive`: made inactive, possibly by unsubscribing. `needs_attention`: requires approval or denial. `paused` is not described by the specification.';

const referral = shape.record('Referral', 'A subscription that another one referred.', {
  id: field(shape.prefixedId('sub'), 'Prefixed ID of the referred subscription, `sub_<uuid>`.'),
  email: field(z.string(), 'Address of the referred subscriber.'),
  status: field(z.enum(values.subscriptionStatuses), 'Status of the referred subscription.'),
});

/** A subscription. */
export const subscription = shape.record('Subscription', "A subscriber's subscription to a publication.", {
  id: field(shape.prefixedId('sub'), 'Prefixed ID of the subscription, `sub_<uuid>`.'),
  email: field(z.string(), 'E-mail address of the subscriber.'),
  status: field(z.enum(values.subscriptionStatuses), statusText),
  created: field(shape.unixSeconds, 'When the subscription was created, in Unix seconds.'),
  subscription_tier: lenient(z.enum(values.subscriptionTiers), 'Current tier.'),
  subscription_premium_tier_names: lenient(
    z.array(z.string()),
    'Names of the current premium tiers; empty when there are none.',
  ),
  utm_source: lenient(z.string(), 'Acquisition source; empty when unknown.'),
  utm_medium: lenient(z.string(), 'Acquisition medium; empty when unknown.'),
  utm_channel: lenient(z.enum(values.utmChannels), 'Acquisition channel, set by the service; empty when unknown.'),
  utm_campaign: lenient(z.string(), 'Acquisition campaign; empty when unknown.'),
  utm_term: lenient(z.string(), 'Acquisition keyword or search term; empty when unknown.'),
  utm_content: lenient(z.string(), 'Content or A/B variation that led to the subscription; empty when unknown.'),
  referring_site: lenient(z.string(), 'Website the subscriber came from; empty when unknown.'),
  referral_code: lenient(
    z.string(),
    'Code this subscriber gives to others; a subscription created with it credits this one.',
  ),
  subscription_premium_tiers: field(
    z.optional(z.array(subscriptionTierInfo)),
    "The current premium tiers. Present with `expand: ['subscription_premium_tiers']`.",
  ),
  custom_fields: field(
    z.optional(z.array(customFieldOnSubscription)),
    "Custom field values. Present with `expand: ['custom_fields']`.",
  ),
  tags: field(
    z.optional(z.array(z.string())),
    "Tags of the subscription; a publication has at most 100 unique tags. Present with `expand: ['tags']`.",
  ),
  stats: field(z.optional(subscriptionStats), "E-mail engagement. Present with `expand: ['stats']`."),
  newsletter_list_ids: field(
    z.optional(z.array(shape.prefixedId('nl_list'))),
    "Prefixed IDs of the newsletter lists the subscription is actively subscribed to, `nl_list_<uuid>`. Present with `expand: ['newsletter_lists']`.",
  ),
  referrals: field(
    z.optional(z.array(referral)),
    "Subscriptions that this one referred. Present with `expand: ['referrals']`.",
  ),
});

/** Query of the subscription list. */
export const subscriptionQuery = shape.request(words['subscriptions.list'].parameters, {
  expand: shape.repeated(
    z.enum(['subscription_premium_tiers', 'referrals', 'stats', 'custom_fields', 'newsletter_lists', 'tags']),
  ),
  status: z.optional(z.enum(values.subscriptionStatusFilters)),
  tier: z.optional(z.enum(values.subscriptionTierFilters)),
  premium_tiers: shape.repeated(z.string()),
  premium_tier_ids: shape.repeated(z.string()),
  limit: shape.limit,
  cursor: shape.cursor,
  page: shape.page,
  email: z.optional(z.string()),
  order_by: z.optional(z.enum(values.orderings)),
  direction: z.optional(z.enum(values.directions)),
  creation_date: z.optional(
    z.string().check(z.regex(/^\d{4}\/(0[1-9]|1[0-2])\/(0[1-9]|[12]\d|3[01])$/, 'must be a day as YYYY/MM/DD')),
  ),
});

/** Answer of subscription creation. */
export const createdSubscription = z.strictObject({
  data: field(subscription, 'The subscription: the new one, or the existing one with this address.'),
  warnings: field(
    z.optional(z.array(shape.errorDetail)),
    'Custom fields that were dropped because they are unknown or have no name.',
  ),
});

/** Body of bulk creation. */
export const bulkCreation = shape.request(words['subscriptions.bulkCreate'].parameters, {
  subscriptions: z.array(subscriptionRequest).check(z.minLength(1)),
});

/** Answer of bulk creation: not wrapped in `data`. */
export const bulkCreated = z.strictObject({
  message: field(z.string(), 'Confirmation that the import was accepted.'),
  import_id: field(z.string(), 'ID of the import. No operation reads an import.'),
});

/** One item of the bulk update. */
export const bulkUpdateItem = shape
  .request(bulkUpdateItemWords, {
    subscription_id: shape.prefixedId('sub'),
    tier: z.optional(z.enum(values.subscriptionTiers)),
    payments_customer_id: z.optional(z.string()),
    unsubscribe: z.optional(z.boolean()),
    custom_fields: z.optional(
      z.array(
        shape
          .request(customFieldChangeWords, {
            name: z.string(),
            value: z.nullish(customFieldValue),
            delete: z.optional(z.boolean()),
          })
          .register(z.globalRegistry, {
            id: 'CustomFieldChange',
            description: 'A custom field value to set or to remove.',
          }),
      ),
    ),
    newsletter_list_ids: z.optional(z.array(shape.prefixedId('nl_list'))),
    unsubscribe_newsletter_list_ids: z.optional(z.array(shape.prefixedId('nl_list'))),
    complimentary_gift_id: z.optional(shape.prefixedId('comp_access')),
  })
  .register(z.globalRegistry, { id: 'BulkUpdateItem', description: 'The update of one subscription.' });

/** Body of the bulk update. */
export const bulkUpdate = shape.request(words['subscriptions.bulkUpdate'].parameters, {
  subscriptions: z.array(bulkUpdateItem).check(z.minLength(1), z.maxLength(values.bulkUpdateLimit)),
});

/** Body of the status update. */
export const statusUpdate = shape.request(words['subscriptions.updateStatus'].parameters, {
  subscription_ids: z.array(z.string()).check(z.minLength(1)),
  new_status: z.enum(values.newStatuses),
});

/** Answer of the bulk update: the job to read. */
export const bulkUpdateStarted = shape.enveloped(
  shape.record('BulkUpdateStarted', 'The job that a bulk update has started.', {
    subscription_update_id: field(z.string(), 'ID of the job; read it with `bulkSubscriptionUpdates.get`.'),
  }),
  'The job that was started.',
);

/** A bulk update job. */
export const bulkSubscriptionUpdate = shape.record(
  'BulkSubscriptionUpdate',
  'A job that updates many subscriptions, and its outcome.',
  {
    id: field(z.string(), 'ID of the job, without a prefix.'),
    type: lenient(
      z.enum(values.bulkUpdateTypes),
      '`status`: started by `subscriptions.updateStatus`. `bulk`: started by `subscriptions.bulkUpdate`.',
    ),
    params: lenient(z.string(), 'The parameters of the update, serialised. Do not parse it.'),
    status: lenient(z.enum(values.bulkUpdateStatuses), 'State of the job. `complete` and `failed` are final.'),
    publication_id: lenient(shape.prefixedId('pub'), 'Prefixed ID of the publication, `pub_<uuid>`.'),
    failure_reason: lenient(z.nullable(z.string()), 'Why the whole job failed; null unless it did.'),
    completed: lenient(z.nullable(shape.unixSeconds), 'When the job ended, in Unix seconds; null until then.'),
    created: lenient(shape.unixSeconds, 'When the job was created, in Unix seconds.'),
    updated: lenient(shape.unixSeconds, 'When the job last changed, in Unix seconds.'),
    error_log: lenient(accepting(z.array(z.string()), z.array(z.unknown())), 'One entry per item that failed.'),
  },
);
