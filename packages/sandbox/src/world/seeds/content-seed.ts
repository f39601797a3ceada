/** What surrounds the subscriptions, as a seed writes it. */
import {
  authorTypes,
  conditionSetPurposes,
  conditionSetStatuses,
  publicationFieldKinds,
  publicationFieldStatuses,
  responseKeyKinds,
  timeUnits,
} from '@newsletter-kit/core/contract';
import { address } from '@newsletter-kit/core/schema';
import * as z from 'zod';
import { conditions } from '../conditions.ts';

const seconds = z.int().min(0);
const text = z.string().default('');

export const author = z.strictObject({
  name: z.string().min(1),
  type: z.enum(authorTypes).default('user'),
  bio: text,
  bio_image_url: text,
  social_media_links: z.record(z.string(), z.string()).default({}),
  created: seconds.optional(),
});

export const advertisementOpportunity = z.strictObject({
  advertiser_name: z.string().min(1),
  payout_rate: z.string(),
  advertisement_kind: z.string(),
  send_by_window_start_at: seconds,
  send_by_window_end_at: seconds,
});

export const complimentaryAccess = z
  .strictObject({
    /** Name of a tier of the publication. */
    tier: z.string(),
    /** Null where it lasts forever. */
    duration: z.int().min(1).nullable(),
    time_unit: z.enum(timeUnits),
    description: z.string(),
    created: seconds.optional(),
    /** Addresses of subscriptions that are given it now. */
    given_to: z.array(address).default([]),
  })
  .refine(
    ({ duration, time_unit }) => (duration === null) === (time_unit === 'forever'),
    'needs a duration, unless its time_unit is forever',
  );

export const conditionSet = z.strictObject({
  name: z.string().min(1),
  status: z.enum(conditionSetStatuses).default('active'),
  purpose: z.enum(conditionSetPurposes).default('dynamic_content'),
  conditions,
  created: seconds.optional(),
  updated: seconds.optional(),
});

/** As the specification has it (PublicationField, PublicationFieldResponseKey). */
export const publicationField = z
  .strictObject({
    /** The key of its merge tag. */
    name: z.string().regex(/^[a-z][a-z0-9_]*$/, 'must be a key such as city_name'),
    display: z.string().min(1),
    kind: z.enum(publicationFieldKinds),
    value_source: z.enum(['static', 'fetched']).default('static'),
    response_keys: z.array(z.strictObject({ key: z.string(), kind: z.enum(responseKeyKinds) })).default([]),
    status: z.enum(publicationFieldStatuses).default('active'),
    default_value: z.string().nullable().default(null),
    endpoint_url: z.string().nullable().default(null),
    created: seconds.optional(),
    updated: seconds.optional(),
  })
  .check(({ value, issues }) => {
    const { kind, value_source, default_value, endpoint_url, response_keys, created, updated } = value;
    const wrong = (key: keyof typeof value, message: string): void =>
      void issues.push({ code: 'custom', message, input: value, path: [key] });
    if (default_value === null && kind !== 'json' && kind !== 'rss_feed_url')
      wrong('default_value', `a field of kind ${kind} needs one; only json and rss_feed_url do without`);
    if (value_source === 'fetched' && endpoint_url === null)
      wrong('endpoint_url', 'a field whose value is fetched needs one');
    if (value_source === 'static' && endpoint_url !== null)
      wrong('endpoint_url', 'only a field whose value_source is fetched has one');
    if (kind !== 'json' && response_keys.length > 0) wrong('response_keys', 'only a field of kind json has some');
    if (new Set(response_keys.map(({ key }) => key)).size < response_keys.length)
      wrong('response_keys', 'a key stands there twice');
    if (created !== undefined && updated !== undefined && updated < created) wrong('updated', 'it is before "created"');
  });
