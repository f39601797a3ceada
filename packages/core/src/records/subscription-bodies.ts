/** Subscriptions in requests and answers. */
import * as z from 'zod/mini';
import * as values from '../contract/values.ts';
import { accepting, field, lenient } from '../schema/marks.ts';
import * as shape from './shapes.ts';

/** What a custom field can hold on the wire. Not shown in the specification. */
export const customFieldValue = z.union(
  [z.string(), z.number(), z.boolean(), z.array(z.string())],
  'must be a text, a number, true, false or a list of texts',
);

const customFieldName = 'The `display` label of an existing custom field, spelled exactly.';
const customFieldInput = field(
  z.nullish(customFieldValue),
  'Value to store: a string, number or boolean, or a list of strings for fields of kind `list`.',
);

export const doubleOptOverride = shape.optional(
  z.enum(values.doubleOptOverrides),
  '`on` sends the double opt-in confirmation e-mail, and the subscriber must confirm before becoming active. `off` activates the subscription immediately without a confirmation e-mail. `not_set` applies the setting of the publication.',
);

/** Body of subscription creation, and the item of bulk creation. */
export const subscriptionRequest = shape.record('SubscriptionRequest', 'A subscription to create.', {
  email: field(shape.address, 'E-mail address of the subscriber.'),
  reactivate_existing: shape.optional(
    z.boolean(),
    'Whether to reactivate a subscription that has unsubscribed. Use it only when the subscriber knowingly subscribes again.',
    false,
  ),
  send_welcome_email: shape.optional(z.boolean(), 'Whether to send the welcome e-mail of the publication.', false),
  utm_source: shape.optional(z.string(), 'Acquisition source, for example `google`.'),
  utm_medium: shape.optional(z.string(), 'Acquisition medium, for example `cpc`.'),
  utm_campaign: shape.optional(z.string(), 'Acquisition campaign, for example `spring_sale`.'),
  utm_term: shape.optional(z.string(), 'Acquisition keyword or search term.'),
  utm_content: shape.optional(z.string(), 'Content or A/B variation that led to the subscription.'),
  referring_site: shape.optional(z.string(), 'Website the subscriber came from.'),
  referral_code: shape.optional(
    z.string(),
    'The `referral_code` of another subscriber, who receives credit for the referral.',
  ),
  custom_fields: shape.optional(
    z.array(
      shape.record('CustomFieldValue', 'A custom field as it is set on a subscription.', {
        name: shape.optional(z.string(), customFieldName),
        value: customFieldInput,
      }),
    ),
    'Values of custom fields. The fields must already exist on the publication; unknown ones are dropped and reported in `warnings`.',
  ),
  double_opt_override: doubleOptOverride,
  tier: shape.optional(
    z.enum(values.subscriptionTiers),
    'Subscription tier. `premium_tiers` and `premium_tier_ids` take precedence.',
  ),
  premium_tiers: shape.optional(
    z.array(z.string()),
    'Names of the premium tiers to assign. Combined with `premium_tier_ids` without duplicates; takes precedence over `tier`.',
  ),
  premium_tier_ids: shape.optional(
    z.array(shape.prefixedId('tier')),
    'Prefixed IDs of the premium tiers to assign, `tier_<uuid>`. Combined with `premium_tiers` without duplicates; takes precedence over `tier`.',
  ),
  payments_customer_id: shape.optional(z.string(), 'Customer ID of the subscriber at the payment processor.'),
  automation_ids: shape.optional(
    z.array(shape.prefixedId('aut')),
    'Prefixed IDs of automations to enroll the subscriber into, `aut_<uuid>`. Each needs an active Add by API trigger.',
  ),
  newsletter_list_ids: shape.optional(
    z.array(shape.prefixedId('nl_list')),
    'Prefixed IDs of the newsletter lists to subscribe to, `nl_list_<uuid>`. They must belong to the same publication.',
  ),
  skip_newsletter_list_auto_subscribe: shape.optional(
    z.boolean(),
    'Whether to leave out the newsletter lists that new subscribers join automatically.',
    false,
  ),
  complimentary_gift_id: shape.optional(
    shape.prefixedId('comp_access'),
    'Prefixed ID of a complimentary access object of the same publication to apply, `comp_access_<uuid>`.',
  ),
});

/** A subscription. */
export const subscription = shape.record('Subscription', "A subscriber's subscription to a publication.", {
  id: field(shape.prefixedId('sub'), 'Prefixed ID of the subscription, `sub_<uuid>`.'),
  email: field(z.string(), 'E-mail address of the subscriber.'),
  status: field(
    z.enum(values.subscriptionStatuses),
    '`validating`: the address is being validated. `invalid`: the address is invalid. `pending`: awaits double opt-in. `active`: valid and active. `inactive`: made inactive, possibly by unsubscribing. `needs_attention`: requires approval or denial. `paused` is not described by the specification.',
  ),
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
  subscription_premium_tiers: shape.optional(
    z.array(
      shape.record('SubscriptionTierInfo', 'A premium tier of a subscription.', {
        id: field(shape.prefixedId('tier'), 'Prefixed ID of the tier, `tier_<uuid>`.'),
        name: field(z.string(), 'Name of the tier.'),
        status: field(z.enum(values.tierStatuses), 'Whether the tier has any active prices.'),
      }),
    ),
    "The current premium tiers. Present with `expand: ['subscription_premium_tiers']`.",
  ),
  custom_fields: shape.optional(
    z.array(
      shape.record('SubscriptionCustomField', 'A custom field as it comes back on a subscription.', {
        name: shape.optional(z.string(), 'The `display` label of the field.'),
        kind: shape.optional(z.enum(values.customFieldKinds), 'Type of the value.'),
        value: accepting(
          field(z.nullish(customFieldValue), 'The stored value; its type is not specified, so check it before use.'),
          z.unknown(),
        ),
      }),
    ),
    "Custom field values. Present with `expand: ['custom_fields']`.",
  ),
  tags: shape.optional(
    z.array(z.string()),
    "Tags of the subscription; a publication has at most 100 unique tags. Present with `expand: ['tags']`.",
  ),
  stats: shape.optional(
    shape.record('SubscriptionStats', 'E-mail engagement of a subscriber.', {
      emails_received: shape.optional(shape.count, 'Number of e-mails sent to the subscriber.'),
      open_rate: shape.optional(z.number(), 'Percentage of the e-mails that were opened, from 0 to 100.'),
      click_through_rate: shape.optional(
        z.number(),
        'Percentage of the e-mails in which a link was clicked, from 0 to 100.',
      ),
    }),
    "E-mail engagement. Present with `expand: ['stats']`.",
  ),
  newsletter_list_ids: shape.optional(
    z.array(shape.prefixedId('nl_list')),
    "Prefixed IDs of the newsletter lists the subscription is actively subscribed to, `nl_list_<uuid>`. Present with `expand: ['newsletter_lists']`.",
  ),
  referrals: shape.optional(
    z.array(
      shape.record('Referral', 'A subscription that another one referred.', {
        id: field(shape.prefixedId('sub'), 'Prefixed ID of the referred subscription, `sub_<uuid>`.'),
        email: field(z.string(), 'Address of the referred subscriber.'),
        status: field(z.enum(values.subscriptionStatuses), 'Status of the referred subscription.'),
      }),
    ),
    "Subscriptions that this one referred. Present with `expand: ['referrals']`.",
  ),
});

/** One item of the bulk update. */
export const bulkUpdateItem = shape.record('BulkUpdateItem', 'The update of one subscription.', {
  subscription_id: field(shape.prefixedId('sub'), 'Prefixed ID of the subscription to update, `sub_<uuid>`.'),
  tier: shape.optional(z.enum(values.subscriptionTiers), 'New subscription tier.'),
  payments_customer_id: shape.optional(z.string(), 'New customer ID at the payment processor.'),
  unsubscribe: shape.optional(
    z.boolean(),
    'Whether to unsubscribe the subscriber. False does not reactivate an inactive subscription.',
    false,
  ),
  custom_fields: shape.optional(
    z.array(
      shape.record('CustomFieldChange', 'A custom field value to set or to remove.', {
        name: field(z.string(), customFieldName),
        value: customFieldInput,
        delete: shape.optional(z.boolean(), "Whether to remove the field's value from the subscription.", false),
      }),
    ),
    'Custom field values to set or to remove. Fields that are not named keep their values.',
  ),
  newsletter_list_ids: shape.optional(
    z.array(shape.prefixedId('nl_list')),
    'Prefixed IDs of newsletter lists to add, `nl_list_<uuid>`. Existing memberships are kept. Cannot be combined with `unsubscribe`.',
  ),
  unsubscribe_newsletter_list_ids: shape.optional(
    z.array(shape.prefixedId('nl_list')),
    'Prefixed IDs of newsletter lists to leave, `nl_list_<uuid>`. A list must not appear in `newsletter_list_ids` as well.',
  ),
  complimentary_gift_id: shape.optional(
    shape.prefixedId('comp_access'),
    'Prefixed ID of a complimentary access object to apply, `comp_access_<uuid>`.',
  ),
});
