/** A subscription as a seed writes it. */
import { subscriptionStatuses, subscriptionTiers, utmChannels } from '@newsletter-kit/core/contract';
import { address, customFieldValue } from '@newsletter-kit/core/schema';
import * as z from 'zod';

const text = z.string().default('');
const percent = z.number().min(0).max(100).default(0);

/** Nothing is due for a planted subscription: it keeps its status until something changes it. */
export const subscription = z.strictObject({
  email: address,
  status: z.enum(subscriptionStatuses).default('active'),
  created: z.int().min(0).optional(),
  tier: z.enum(subscriptionTiers).optional(),
  /** Names of tiers of the publication. */
  premium_tiers: z.array(z.string()).default([]),
  /** Names of newsletter lists of the publication. */
  newsletter_lists: z.array(z.string()).default([]),
  utm_source: text,
  utm_medium: text,
  utm_channel: z.enum(utmChannels).default('api'),
  utm_campaign: text,
  utm_term: text,
  utm_content: text,
  referring_site: text,
  /** Address of the subscription that referred this one; it must stand before it. */
  referred_by: address.optional(),
  tags: z
    .array(z.string().min(1))
    .refine((tags) => new Set(tags).size === tags.length, 'names a tag twice')
    .default([]),
  custom_fields: z.array(z.strictObject({ name: z.string(), value: customFieldValue })).default([]),
  emails_received: z.int().min(0).default(0),
  open_rate: percent,
  click_through_rate: percent,
});

/** One subscription of a seed with its defaults filled in. */
export type SeedSubscription = z.output<typeof subscription>;
