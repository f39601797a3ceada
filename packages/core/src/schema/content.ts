/** Authors, advertisement opportunities, complimentary access and condition sets on the wire. */
import * as z from 'zod';
import * as values from '../contract/values.ts';
import { words } from '../contract/words/index.ts';
import * as shape from './shapes.ts';
import { lenient } from './tolerant.ts';

export const author = shape.record('Author', 'An author of a publication.', {
  id: z.string().describe('ID of the author.'),
  type: lenient(z.enum(values.authorTypes).describe('Whether the author is a user of the service or a guest.')),
  name: z.string().describe('Full name.'),
  bio: z.string().nullable().optional().describe('Short biography.'),
  bio_image_url: z.string().nullable().optional().describe('Address of a portrait.'),
  social_media_links: lenient(
    z
      .record(z.string(), z.string().nullable())
      .describe('Addresses and handles by network, for example `twitter_handle` or `linkedin_url`.'),
  ),
});

export const authorQuery = shape.request(words['authors.list'].parameters, {
  limit: shape.limit,
  page: shape.page,
  name: z.string().optional(),
});

export const advertisementOpportunity = shape.record(
  'AdvertisementOpportunity',
  'An offer of an advertiser that the publication has accepted.',
  {
    id: z.string().describe('ID of the opportunity, without a prefix.'),
    advertiser_name: z.string().describe('Name of the advertiser.'),
    payout_rate: z.string().describe('Payment, as formatted text.'),
    advertisement_kind: z.string().describe('Kind of advertisement.'),
    send_by_window_start_at: shape.unixSeconds.describe('Start of the time to send it in, in Unix seconds.'),
    send_by_window_end_at: shape.unixSeconds.describe('End of the time to send it in, in Unix seconds.'),
  },
);

const tier = shape.record('Tier', 'A premium tier of a publication.', {
  id: shape.prefixedId('tier').describe('Prefixed ID of the tier, `tier_<uuid>`.'),
  name: z.string().describe('Name of the tier.'),
  status: z.enum(values.tierStatuses).describe('Whether the tier has any active prices.'),
  description: z.string().nullable().optional().describe('Description of the tier.'),
});

export const complimentaryAccess = shape.record('ComplimentaryAccess', 'A gift of a premium tier.', {
  id: shape.prefixedId('comp_access').describe('Prefixed ID of the complimentary access object, `comp_access_<uuid>`.'),
  duration: lenient(z.int().nullable().describe('How long the access lasts, in `time_unit`; null when forever.')),
  time_unit: z.enum(values.timeUnits).describe('Unit of `duration`.'),
  description: z.string().describe('Description, for example `3 Months Gift`.'),
  tier_id: lenient(shape.prefixedId('tier').describe('Prefixed ID of the tier that is given, `tier_<uuid>`.')),
  tier: tier.optional().describe("The tier that is given. Present with `expand: ['tier']`."),
  stats: shape
    .record('ComplimentaryAccessStats', 'Numbers of subscriptions that were given complimentary access.', {
      total_granted: z.int().min(0).describe('Number of subscriptions that were ever given the access.'),
      active_granted: z.int().min(0).describe('Number of subscriptions that have the access now.'),
    })
    .optional()
    .describe("Counts of granted subscriptions. Present in lists with `expand: ['stats']`."),
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
  id: z.string().describe('ID of the condition set, a UUID without a prefix.'),
  name: z.string().describe('Name of the condition set.'),
  status: z.enum(values.conditionSetStatuses).describe('Whether the condition set is in use.'),
  created: shape.unixSeconds.describe('When the condition set was created, in Unix seconds.'),
  updated: shape.unixSeconds.describe('When the condition set last changed, in Unix seconds.'),
  purpose: z.enum(values.conditionSetPurposes).describe('What the condition set is used for.'),
  stats: shape
    .record('ConditionSetStats', 'Number of subscribers that match a condition set.', {
      active_subscriber_count: z.int().min(0).describe('Number of active subscribers that match.'),
    })
    .optional()
    .describe("The subscriber count. Present on a single condition set with `expand: ['stats']`."),
});

export const conditionSetListQuery = shape.request(words['conditionSets.list'].parameters, {
  limit: shape.limit,
  cursor: shape.cursor,
  page: shape.page,
  purpose: z.enum(values.conditionSetPurposes).optional(),
});
export const conditionSetQuery = shape.request(words['conditionSets.get'].parameters, {
  expand: shape.repeated(z.enum(['stats'])),
});
