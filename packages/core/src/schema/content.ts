/** Authors, advertisement opportunities, complimentary access and condition sets on the wire. */
import * as z from 'zod/mini';
import * as values from '../contract/values.ts';
import { words } from '../contract/words/index.ts';
import * as shape from './shapes.ts';
import { field, lenient } from './tolerant.ts';

export const author = shape.record('Author', 'An author of a publication.', {
  id: field(z.string(), 'ID of the author.'),
  type: lenient(z.enum(values.authorTypes), 'Whether the author is a user of the service or a guest.'),
  name: field(z.string(), 'Full name.'),
  bio: field(z.optional(z.nullable(z.string())), 'Short biography.'),
  bio_image_url: field(z.optional(z.nullable(z.string())), 'Address of a portrait.'),
  social_media_links: lenient(
    z.record(z.string(), z.nullable(z.string())),
    'Addresses and handles by network, for example `twitter_handle` or `linkedin_url`.',
  ),
});

export const authorQuery = shape.request(words['authors.list'].parameters, {
  limit: shape.limit,
  page: shape.page,
  name: z.optional(z.string()),
});

export const advertisementOpportunity = shape.record(
  'AdvertisementOpportunity',
  'An offer of an advertiser that the publication has accepted.',
  {
    id: field(z.string(), 'ID of the opportunity, without a prefix.'),
    advertiser_name: field(z.string(), 'Name of the advertiser.'),
    payout_rate: field(z.string(), 'Payment, as formatted text.'),
    advertisement_kind: field(z.string(), 'Kind of advertisement.'),
    send_by_window_start_at: field(shape.unixSeconds, 'Start of the time to send it in, in Unix seconds.'),
    send_by_window_end_at: field(shape.unixSeconds, 'End of the time to send it in, in Unix seconds.'),
  },
);

const tier = shape.record('Tier', 'A premium tier of a publication.', {
  id: field(shape.prefixedId('tier'), 'Prefixed ID of the tier, `tier_<uuid>`.'),
  name: field(z.string(), 'Name of the tier.'),
  status: field(z.enum(values.tierStatuses), 'Whether the tier has any active prices.'),
  description: field(z.optional(z.nullable(z.string())), 'Description of the tier.'),
});

export const complimentaryAccess = shape.record('ComplimentaryAccess', 'A gift of a premium tier.', {
  id: field(shape.prefixedId('comp_access'), 'Prefixed ID of the complimentary access object, `comp_access_<uuid>`.'),
  duration: lenient(z.nullable(z.int()), 'How long the access lasts, in `time_unit`; null when forever.'),
  time_unit: field(z.enum(values.timeUnits), 'Unit of `duration`.'),
  description: field(z.string(), 'Description, for example `3 Months Gift`.'),
  tier_id: lenient(shape.prefixedId('tier'), 'Prefixed ID of the tier that is given, `tier_<uuid>`.'),
  tier: field(z.optional(tier), "The tier that is given. Present with `expand: ['tier']`."),
  stats: field(
    z.optional(
      shape.record('ComplimentaryAccessStats', 'Numbers of subscriptions that were given complimentary access.', {
        total_granted: field(z.int().check(z.minimum(0)), 'Number of subscriptions that were ever given the access.'),
        active_granted: field(z.int().check(z.minimum(0)), 'Number of subscriptions that have the access now.'),
      }),
    ),
    "Counts of granted subscriptions. Present in lists with `expand: ['stats']`.",
  ),
});

export const complimentaryAccessListQuery = shape.request(words['complimentaryAccess.list'].parameters, {
  expand: shape.repeated(z.enum(['tier', 'stats'])),
  limit: shape.limit,
  cursor: shape.cursor,
});
export const complimentaryAccessQuery = shape.request(words['complimentaryAccess.get'].parameters, {
  expand: shape.repeated(z.enum(['tier'])),
});

export const conditionSet = shape.record('ConditionSet', 'A reusable audience segment.', {
  id: field(z.string(), 'ID of the condition set, a UUID without a prefix.'),
  name: field(z.string(), 'Name of the condition set.'),
  status: field(z.enum(values.conditionSetStatuses), 'Whether the condition set is in use.'),
  created: field(shape.unixSeconds, 'When the condition set was created, in Unix seconds.'),
  updated: field(shape.unixSeconds, 'When the condition set last changed, in Unix seconds.'),
  purpose: field(z.enum(values.conditionSetPurposes), 'What the condition set is used for.'),
  stats: field(
    z.optional(
      shape.record('ConditionSetStats', 'Number of subscribers that match a condition set.', {
        active_subscriber_count: field(z.int().check(z.minimum(0)), 'Number of active subscribers that match.'),
      }),
    ),
    "The subscriber count. Present on a single condition set with `expand: ['stats']`.",
  ),
});

export const conditionSetListQuery = shape.request(words['conditionSets.list'].parameters, {
  limit: shape.limit,
  cursor: shape.cursor,
  page: shape.page,
  purpose: z.optional(z.enum(values.conditionSetPurposes)),
});
export const conditionSetQuery = shape.request(words['conditionSets.get'].parameters, {
  expand: shape.repeated(z.enum(['stats'])),
});
