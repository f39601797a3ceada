/** Authors, advertisement opportunities, complimentary access and condition sets on the wire. */
import * as z from 'zod';
import * as values from '../contract/values.ts';
import * as shape from './shapes.ts';

export const author = z.looseObject({
  id: z.string(),
  type: shape.optional(shape.openEnum(values.authorTypes)),
  name: z.string(),
  bio: shape.optional(z.string()),
  bio_image_url: shape.optional(z.string()),
  social_media_links: shape.optional(z.record(z.string(), z.string().nullish())),
});

export const authorQuery = z.strictObject({ limit: shape.limit, page: shape.page, name: z.string().optional() });

export const advertisementOpportunity = z.looseObject({
  id: z.string(),
  advertiser_name: z.string(),
  /** A formatted text, not a number. */
  payout_rate: z.string(),
  advertisement_kind: z.string(),
  send_by_window_start_at: shape.unixSeconds,
  send_by_window_end_at: shape.unixSeconds,
});

export const tier = z.looseObject({
  id: z.string(),
  name: z.string(),
  status: shape.openEnum(values.tierStatuses),
  description: shape.optional(z.string()),
});

export const complimentaryAccess = z.looseObject({
  id: z.string(),
  /** Null where `time_unit` is `forever`. */
  duration: shape.optional(z.int()),
  time_unit: shape.openEnum(values.timeUnits),
  description: z.string(),
  tier_id: shape.optional(z.string()),
  tier: shape.optional(tier),
  stats: shape.optional(z.looseObject({ total_granted: z.number(), active_granted: z.number() })),
});

export const complimentaryAccessListQuery = z.strictObject({
  expand: shape.repeated(z.enum(['tier', 'stats'])),
  limit: shape.limit,
  cursor: shape.cursor,
});
export const complimentaryAccessQuery = z.strictObject({ expand: shape.repeated(z.enum(['tier'])) });

export const conditionSet = z.looseObject({
  id: z.string(),
  name: z.string(),
  status: shape.openEnum(values.conditionSetStatuses),
  created: shape.unixSeconds,
  updated: shape.unixSeconds,
  purpose: shape.openEnum(values.conditionSetPurposes),
  stats: shape.optional(z.looseObject({ active_subscriber_count: z.number() })),
});

export const conditionSetListQuery = z.strictObject({
  limit: shape.limit,
  cursor: shape.cursor,
  page: shape.page,
  purpose: z.enum(values.conditionSetPurposes).optional(),
});
export const conditionSetQuery = z.strictObject({ expand: shape.repeated(z.enum(['stats'])) });
