/** Reference documentation of subscriptions and their bulk updates. */
import type { OperationId } from '../operations.ts';
import {
  cursor,
  doubleOptOverride,
  limit,
  page,
  publicationId,
  type OperationWords,
  type ParametersWords,
} from './shared.ts';

/** Fields of a SubscriptionRequest: the body of subscription creation and the item of bulk creation. */
export const subscriptionRequestWords = {
  email: { text: 'E-mail address of the subscriber.' },
  reactivate_existing: {
    text: 'Whether to reactivate a subscription that has unsubscribed. Use it only when the subscriber knowingly subscribes again.',
    default: false,
  },
  send_welcome_email: { text: 'Whether to send the welcome e-mail of the publication.', default: false },
  utm_source: { text: 'Acquisition source, for example `google`.' },
  utm_medium: { text: 'Acquisition medium, for example `cpc`.' },
  utm_campaign: { text: 'Acquisition campaign, for example `spring_sale`.' },
  utm_term: { text: 'Acquisition keyword or search term.' },
  utm_content: { text: 'Content or A/B variation that led to the subscription.' },
  referring_site: { text: 'Website the subscriber came from.' },
  referral_code: {
    text: 'The `referral_code` of another subscriber, who receives credit for the referral.',
  },
  custom_fields: {
    text: 'Values of custom fields. The fields must already exist on the publication; unknown ones are dropped and reported in `warnings`.',
  },
  double_opt_override: { text: doubleOptOverride },
  tier: { text: 'Subscription tier. `premium_tiers` and `premium_tier_ids` take precedence.' },
  premium_tiers: {
    text: 'Names of the premium tiers to assign. Combined with `premium_tier_ids` without duplicates; takes precedence over `tier`.',
  },
  premium_tier_ids: {
    text: 'Prefixed IDs of the premium tiers to assign, `tier_<uuid>`. Combined with `premium_tiers` without duplicates; takes precedence over `tier`.',
  },
  payments_customer_id: { text: 'Customer ID of the subscriber at the payment processor.' },
  automation_ids: {
    text: 'Prefixed IDs of automations to enroll the subscriber into, `aut_<uuid>`. Each needs an active Add by API trigger.',
  },
  newsletter_list_ids: {
    text: 'Prefixed IDs of the newsletter lists to subscribe to, `nl_list_<uuid>`. They must belong to the same publication.',
  },
  skip_newsletter_list_auto_subscribe: {
    text: 'Whether to leave out the newsletter lists that new subscribers join automatically.',
    default: false,
  },
  complimentary_gift_id: {
    text: 'Prefixed ID of a complimentary access object of the same publication to apply, `comp_access_<uuid>`.',
  },
} as const satisfies ParametersWords;

/** Query of the subscription list. */
export const subscriptionListWords = {
  expand: {
    text: 'Data to add to each subscription: `subscription_premium_tiers` (its premium tiers), `referrals` (ID, address and status of the subscriptions it referred), `stats` (e-mail engagement), `custom_fields`, `newsletter_lists` (adds `newsletter_list_ids`), `tags`.',
  },
  status: { text: 'Only subscriptions of this status.', default: 'all' },
  tier: { text: 'Only subscriptions of this tier.', default: 'all' },
  premium_tiers: { text: 'Only subscriptions in at least one of the premium tiers with these names.' },
  premium_tier_ids: { text: 'Only subscriptions in at least one of the premium tiers with these prefixed IDs.' },
  limit,
  cursor,
  page,
  email: { text: 'Only the subscription with this address. Exact match, case-insensitive.' },
  order_by: {
    text: 'Field the list is sorted by: `created`, the time the subscription was first created.',
    default: 'created',
  },
  direction: { text: 'Sort direction: `asc` is smallest to largest, `desc` largest to smallest.', default: 'asc' },
  creation_date: { text: 'Only subscriptions created on this day, as `YYYY/MM/DD` in UTC.' },
} as const satisfies ParametersWords;

/** Fields of a CustomFieldValue: a custom field as it is set on a subscription. */
export const customFieldValueWords = {
  name: { text: 'The `display` label of an existing custom field, spelled exactly.' },
  value: {
    text: 'Value to store: a string, number or boolean, or a list of strings for fields of kind `list`.',
  },
} as const satisfies ParametersWords;

/** Fields of one item of the bulk subscription update. */
export const bulkUpdateItemWords = {
  subscription_id: { text: 'Prefixed ID of the subscription to update, `sub_<uuid>`.' },
  tier: { text: 'New subscription tier.' },
  payments_customer_id: { text: 'New customer ID at the payment processor.' },
  unsubscribe: {
    text: 'Whether to unsubscribe the subscriber. False does not reactivate an inactive subscription.',
    default: false,
  },
  custom_fields: { text: 'Custom field values to set or to remove. Fields that are not named keep their values.' },
  newsletter_list_ids: {
    text: 'Prefixed IDs of newsletter lists to add, `nl_list_<uuid>`. Existing memberships are kept. Cannot be combined with `unsubscribe`.',
  },
  unsubscribe_newsletter_list_ids: {
    text: 'Prefixed IDs of newsletter lists to leave, `nl_list_<uuid>`. A list must not appear in `newsletter_list_ids` as well.',
  },
  complimentary_gift_id: { text: 'Prefixed ID of a complimentary access object to apply, `comp_access_<uuid>`.' },
} as const satisfies ParametersWords;

/** Fields of a custom field in an item of the bulk subscription update. */
export const customFieldChangeWords = {
  ...customFieldValueWords,
  delete: { text: "Whether to remove the field's value from the subscription.", default: false },
} as const satisfies ParametersWords;

/** Body of the status update. */
export const statusUpdateWords = {
  subscription_ids: { text: 'Prefixed IDs of the subscriptions, `sub_<uuid>`, at least one.' },
  new_status: { text: 'The status to set.' },
} as const satisfies ParametersWords;

const bulkUpdate = {
  description:
    'Starts a job that updates tiers, custom fields, newsletter lists or consent, each subscription with its own values. The job runs after the answer: read its status and error log with `bulkSubscriptionUpdates.get`.',
  returns: 'The ID of the update job.',
  section: 'Endpoints, Subscriptions',
  parameters: {
    publicationId,
    subscriptions: { text: 'The updates, at least 1 and at most 1000.' },
  },
  example: "{ subscriptions: [{ subscription_id: 'sub_00000000-0000-4000-8000-000000000001', tier: 'premium' }] }",
} as const satisfies OperationWords;

const updateStatus = {
  description:
    'Starts a job that sets the same status on every subscription named. The answer carries no job ID: find the job with `bulkSubscriptionUpdates.list`.',
  returns: 'Nothing: the answer has no body.',
  section: 'Endpoints, Subscriptions',
  parameters: {
    publicationId,
    ...statusUpdateWords,
  },
  example: "{ subscription_ids: ['sub_00000000-0000-4000-8000-000000000001'], new_status: 'inactive' }",
} as const satisfies OperationWords;

/** Documentation of every operation in this file. */
export const subscriptionWords = {
  'subscriptions.create': {
    description:
      'Creates a subscription, or updates and returns the existing one when the address is already known; which fields are applied then is not specified. Custom fields that are unknown or have no name are dropped, and `warnings` describes them; this is not an error. `automation_ids` enrolls the subscriber after creation.',
    returns: 'The subscription, and `warnings` for custom fields that could not be resolved.',
    section: 'Endpoints, Subscriptions; Resources, SubscriptionRequest',
    parameters: { publicationId, ...subscriptionRequestWords },
    example: "{ email: 'ada@example.com', utm_source: 'landing-page' }",
  },
  'subscriptions.list': {
    description:
      'Lists the subscriptions of a publication, oldest first unless `direction` says otherwise. Filters combine: a subscription must match all of them. `expand` adds data that is left out by default.',
    returns: 'Subscriptions, page by page.',
    section: 'Endpoints, Subscriptions; Pagination',
    parameters: {
      publicationId,
      ...subscriptionListWords,
    },
    example: "{ status: 'active', expand: ['custom_fields'] }",
  },
  'subscriptions.bulkCreate': {
    description:
      'Starts an import of many subscriptions. It runs after the answer, and no operation reads its result: rows that the service refuses are not reported.',
    returns: 'A message, and the ID of the import.',
    section: 'Endpoints, Subscriptions; Resources, SubscriptionRequest',
    parameters: {
      publicationId,
      subscriptions: {
        text: 'The subscriptions to create, at least one. Each takes the fields of `subscriptions.create`.',
      },
    },
    example: "{ subscriptions: [{ email: 'ada@example.com' }, { email: 'grace@example.com' }] }",
  },
  'bulkSubscriptionUpdates.list': {
    description:
      'Lists the jobs started by bulk updates and status updates. Imports by `subscriptions.bulkCreate` are not among them.',
    returns: 'The update jobs, all in one page.',
    section: 'Endpoints, Subscriptions',
    parameters: { publicationId },
  },
  'bulkSubscriptionUpdates.get': {
    description: 'Reads the status of a bulk update job, and the error log of the items that failed.',
    returns: 'The update job.',
    section: 'Endpoints, Subscriptions',
    parameters: { publicationId, id: { text: 'ID of the update job, without a prefix.' } },
    example: "{ id: '00000000-0000-4000-8000-000000000001' }",
  },
  'subscriptions.bulkUpdate': bulkUpdate,
  'subscriptions.bulkUpdatePut': bulkUpdate,
  'subscriptions.updateStatus': updateStatus,
  'subscriptions.updateStatusPut': updateStatus,
} as const satisfies Readonly<Partial<Record<OperationId, OperationWords>>>;

/** What the specification leaves open about these operations, and how it is filled here. */
export const subscriptionAssumptions = {
  'subscriptions.create': [
    'A known address is not an error: the existing subscription is answered, with the custom fields of the request applied.',
    'The service has been seen to answer 201 for a new subscription; clients take any 2xx.',
    'Values of warnings[].code are not shown.',
  ],
  'subscriptions.list': [
    'Paging fields stand at top level beside data; the general description nests them under pagination. Both are read.',
    'Without page and cursor the answer is cursor-shaped.',
    'Values of the status and tier filters are not shown: every status or tier, and all.',
    'expand[]=tags is named by the record, not by the list.',
    'creation_date is a day in UTC.',
  ],
  'subscriptions.bulkCreate': [
    'The answer is not shown: message and import_id, not wrapped in data. The import runs after the answer; no endpoint reads its result.',
    'The largest batch is not shown; 1000 is used.',
  ],
  'bulkSubscriptionUpdates.list': [
    'The record is not shown: id, type, params (a string), status, publication_id, failure_reason, completed, created, updated, error_log.',
  ],
  'bulkSubscriptionUpdates.get': ['The record is not shown; as in bulkSubscriptionUpdates.list.'],
  'subscriptions.bulkUpdate': [
    'Item fields and answer body are not shown. Items: subscription_id, tier, payments_customer_id, unsubscribe, custom_fields (with delete), newsletter_list_ids, unsubscribe_newsletter_list_ids, complimentary_gift_id. Answer: data.subscription_update_id, to be read with bulkSubscriptionUpdates.get.',
    'An unknown subscription_id is reported in the job, not as an error of the call.',
    'PUT and PATCH do the same.',
  ],
  'subscriptions.bulkUpdatePut': [
    'Item fields and answer body are not shown. Items: subscription_id, tier, payments_customer_id, unsubscribe, custom_fields (with delete), newsletter_list_ids, unsubscribe_newsletter_list_ids, complimentary_gift_id. Answer: data.subscription_update_id, to be read with bulkSubscriptionUpdates.get.',
    'An unknown subscription_id is reported in the job, not as an error of the call.',
    'PUT and PATCH do the same.',
  ],
  'subscriptions.updateStatus': [
    'Error statuses are not shown; the usual five are assumed.',
    'Values of new_status are not shown: active and inactive.',
    'PUT and PATCH do the same; the work is a job of type status.',
  ],
  'subscriptions.updateStatusPut': [
    'Error statuses are not shown; the usual five are assumed.',
    'Values of new_status are not shown: active and inactive.',
    'PUT and PATCH do the same; the work is a job of type status.',
  ],
} as const satisfies Readonly<Partial<Record<OperationId, readonly string[]>>>;
