import * as z from 'zod/mini';
import * as values from '../contract/values.ts';
import { field, open } from '../schema/marks.ts';
import type { ResourceRecord } from './operation.ts';
import * as shape from './shapes.ts';
import { bulkUpdateItem, subscription, subscriptionRequest } from './subscription-bodies.ts';

const filters = z.strictObject({
  expand: shape.expand(
    ['subscription_premium_tiers', 'referrals', 'stats', 'custom_fields', 'newsletter_lists', 'tags'],
    'Data to add to each subscription: `subscription_premium_tiers` (its premium tiers), `referrals` (ID, address and status of the subscriptions it referred), `stats` (e-mail engagement), `custom_fields`, `newsletter_lists` (adds `newsletter_list_ids`), `tags`.',
  ),
  status: shape.optional(open(values.subscriptionStatusFilters), 'Only subscriptions of this status.', 'all'),
  tier: shape.optional(open(values.subscriptionTierFilters), 'Only subscriptions of this tier.', 'all'),
  premium_tiers: shape.repeated(
    z.string(),
    'Only subscriptions in at least one of the premium tiers with these names.',
  ),
  premium_tier_ids: shape.repeated(
    z.string(),
    'Only subscriptions in at least one of the premium tiers with these prefixed IDs.',
  ),
  limit: shape.limit,
  cursor: shape.cursor,
  page: shape.page,
  email: shape.optional(z.string(), 'Only the subscription with this address. Exact match, case-insensitive.'),
  order_by: shape.optional(
    z.enum(['created']),
    'Field the list is sorted by: `created`, the time the subscription was first created.',
    'created',
  ),
  direction: shape.optional(
    z.enum(values.directions),
    'Sort direction: `asc` is smallest to largest, `desc` largest to smallest.',
    'asc',
  ),
  creation_date: shape.optional(
    z.string().check(z.regex(/^\d{4}\/(0[1-9]|1[0-2])\/(0[1-9]|[12]\d|3[01])$/, 'must be a day as YYYY/MM/DD')),
    'Only subscriptions created on this day, as `YYYY/MM/DD` in UTC.',
  ),
});

export const subscriptions = {
  title: 'Subscriptions',
  description: 'The subscribers of a publication: create, list and update them, singly or in bulk.',
  section: 'Endpoints, Subscriptions',
  scope: 'subscriptions',
  operations: {
    create: {
      request: 'POST /publications/{publicationId}/subscriptions',
      retry: 'upsert',
      doc: 'Create a subscription, or update the one that has this address',
      description:
        'Creates a subscription, or updates and returns the existing one when the address is already known; which fields are applied then is not specified. Custom fields that are unknown or have no name are dropped, and `warnings` describes them; this is not an error. `automation_ids` enrolls the subscriber after creation.',
      returns: 'The subscription, and `warnings` for custom fields that could not be resolved.',
      section: 'Resources, SubscriptionRequest',
      example: "{ email: 'ada@example.com', utm_source: 'landing-page' }",
      open: [
        'A known address is not an error: the existing subscription is answered, with the custom fields of the request applied.',
        'The service has been seen to answer 201 for a new subscription; clients take any 2xx.',
        'Values of warnings[].code are not shown.',
      ],
      body: subscriptionRequest,
      answer: z.strictObject({
        data: field(subscription, 'The subscription: the new one, or the existing one with this address.'),
        warnings: shape.optional(
          z.array(shape.errorDetail),
          'Custom fields that were dropped because they are unknown or have no name.',
        ),
      }),
    },
    list: {
      request: 'GET /publications/{publicationId}/subscriptions',
      doc: 'List subscriptions, filtered and expanded as asked',
      description:
        'Lists the subscriptions of a publication, oldest first unless `direction` says otherwise. Filters combine: a subscription must match all of them. `expand` adds data that is left out by default.',
      example: "{ status: 'active', expand: ['custom_fields'] }",
      open: [
        'Paging fields stand at top level beside data; the general description nests them under pagination. Both are read.',
        'Without page and cursor the answer is cursor-shaped.',
        'Values of the status and tier filters are not shown: every status or tier, and all.',
        'expand[]=tags is named by the record, not by the list.',
        'creation_date is a day in UTC.',
      ],
      query: filters,
      answer: shape.cursorOrOffsetList(subscription),
    },
    bulkCreate: {
      request: 'POST /publications/{publicationId}/bulk_subscriptions',
      retry: 'upsert',
      doc: 'Create many subscriptions in one asynchronous import',
      description:
        'Starts an import of many subscriptions. It runs after the answer, and no operation reads its result: rows that the service refuses are not reported.',
      returns: 'A message, and the ID of the import.',
      section: 'Resources, SubscriptionRequest',
      example: "{ subscriptions: [{ email: 'ada@example.com' }, { email: 'grace@example.com' }] }",
      open: [
        'The answer is not shown: message and import_id, not wrapped in data. The import runs after the answer; no endpoint reads its result.',
        'The largest batch is not shown; 1000 is used.',
      ],
      body: z.strictObject({
        subscriptions: field(
          z.array(subscriptionRequest).check(z.minLength(1)),
          'The subscriptions to create, at least one. Each takes the fields of `subscriptions.create`.',
        ),
      }),
      answer: z.strictObject({
        message: field(z.string(), 'Confirmation that the import was accepted.'),
        import_id: field(z.string(), 'ID of the import. No operation reads an import.'),
      }),
    },
    bulkUpdate: {
      request: 'PATCH /publications/{publicationId}/subscriptions/bulk_actions',
      twin: 'PUT',
      retry: 'upsert',
      doc: 'Update tier, custom fields, lists or consent of up to 1000 subscriptions',
      description:
        'Starts a job that updates tiers, custom fields, newsletter lists or consent, each subscription with its own values. The job runs after the answer: read its status and error log with `bulkSubscriptionUpdates.get`.',
      returns: 'The ID of the update job.',
      example: "{ subscriptions: [{ subscription_id: 'sub_00000000-0000-4000-8000-000000000001', tier: 'premium' }] }",
      open: [
        'Item fields and answer body are not shown. Items: subscription_id, tier, payments_customer_id, unsubscribe, custom_fields (with delete), newsletter_list_ids, unsubscribe_newsletter_list_ids, complimentary_gift_id. Answer: data.subscription_update_id, to be read with bulkSubscriptionUpdates.get.',
        'An unknown subscription_id is reported in the job, not as an error of the call.',
        'PUT and PATCH do the same.',
      ],
      body: z.strictObject({
        subscriptions: field(
          z.array(bulkUpdateItem).check(z.minLength(1), z.maxLength(values.bulkUpdateLimit)),
          'The updates, at least 1 and at most 1000.',
        ),
      }),
      answer: shape.enveloped(
        shape.record('BulkUpdateStarted', 'The job that a bulk update has started.', {
          subscription_update_id: field(z.string(), 'ID of the job; read it with `bulkSubscriptionUpdates.get`.'),
        }),
        'The job that was started.',
      ),
    },
    updateStatus: {
      request: 'PATCH /publications/{publicationId}/subscriptions',
      twin: 'PUT',
      retry: 'upsert',
      doc: 'Set one new status on many subscriptions',
      description:
        'Starts a job that sets the same status on every subscription named. The answer carries no job ID: find the job with `bulkSubscriptionUpdates.list`.',
      example: "{ subscription_ids: ['sub_00000000-0000-4000-8000-000000000001'], new_status: 'inactive' }",
      open: [
        'Error statuses are not shown; the usual five are assumed.',
        'Values of new_status are not shown: active and inactive.',
        'PUT and PATCH do the same; the work is a job of type status.',
      ],
      body: z.strictObject({
        subscription_ids: field(
          z.array(z.string()).check(z.minLength(1)),
          'Prefixed IDs of the subscriptions, `sub_<uuid>`, at least one.',
        ),
        new_status: field(open(values.newStatuses), 'The status to set.'),
      }),
      answer: shape.empty,
    },
  },
} satisfies ResourceRecord;
