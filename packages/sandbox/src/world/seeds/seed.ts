/** The format of a seed, as zod schemas: workspace, publications, subscriptions, automations, content. */
import {
  authorTypes,
  automationEmailStatuses,
  automationStatuses,
  automationTriggers,
  conditionSetPurposes,
  conditionSetStatuses,
  customFieldKinds,
  journeyStatuses,
  publicationFieldKinds,
  publicationFieldStatuses,
  responseKeyKinds,
  subscriptionStatuses,
  subscriptionTiers,
  tierStatuses,
  timeUnits,
  utmChannels,
} from '@newsletter-kit/core/contract';
import { address, customFieldValue } from '@newsletter-kit/core/schema';
import * as z from 'zod';
import { addDuration } from '../clock.ts';
import { conditions } from '../conditions.ts';
import { grantTypes, isRedirectUri } from '../client-registration.ts';

/** Unix seconds. */
const seconds = z.int().min(0);
const text = z.string().default('');
const percent = z.number().min(0).max(100).default(0);

/** Nothing is due for a subscription of a seed: it keeps its status until something changes it. */
const subscription = z.strictObject({
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
  referred_by: z.optional(address),
  tags: z
    .array(z.string().min(1))
    .refine((tags) => new Set(tags).size === tags.length, 'contains a tag twice')
    .default([]),
  custom_fields: z.array(z.strictObject({ name: z.string(), value: customFieldValue })).default([]),
  emails_received: z.int().min(0).default(0),
  open_rate: percent,
  click_through_rate: percent,
});

/** One subscription of a seed with its defaults filled in. */
export type SeedSubscription = z.output<typeof subscription>;

const count = z.int().min(0).default(0);

const waitDuration = z.string().default('PT0S').refine(isDuration, 'must be a duration such as P2D or PT6H');

const automationEmail = z.strictObject({
  subject_line: z.string(),
  preview_text: z.string().default(''),
  status: z.enum(automationEmailStatuses).default('active'),
  /** How long after the e-mail before it, or after the start: an ISO 8601 duration. */
  wait: waitDuration,
  created: seconds.optional(),
  first_sent_at: seconds.optional(),
  last_sent_at: seconds.optional(),
  recipients: count,
  delivered: count,
  opens: count,
  unique_opens: count,
  clicks: count,
  unique_clicks: count,
  unsubscribes: count,
  spam_reports: count,
  links: z.array(z.strictObject({ url: z.string(), clicks: count, unique_clicks: count })).default([]),
});

const seedJourney = z.strictObject({
  /** Address of a subscription of the publication. */
  email: address,
  /** A journey in progress continues with the clock: its next e-mail is due after that one's wait. */
  status: z.enum(journeyStatuses).default('in_progress'),
  started: seconds.optional(),
  completed: seconds.optional(),
  /** How many e-mails have been sent. */
  step: count,
});

const automation = z.strictObject({
  name: z.string().min(1),
  description: z.string().default(''),
  status: z.enum(automationStatuses).default('running'),
  /** `api` is the Add by API trigger. */
  trigger_events: z.array(z.enum(automationTriggers)).min(1),
  created: seconds.optional(),
  emails: z.array(automationEmail).default([]),
  journeys: z.array(seedJourney).default([]),
});

/** One automation of a seed with its defaults filled in. */
export type SeedAutomation = z.output<typeof automation>;

function isDuration(text: string): boolean {
  try {
    return addDuration(0, text) >= 0;
  } catch {
    return false;
  }
}

const author = z.strictObject({
  name: z.string().min(1),
  type: z.enum(authorTypes).default('user'),
  bio: text,
  bio_image_url: text,
  social_media_links: z.record(z.string(), z.string()).default({}),
  created: seconds.optional(),
});

const advertisementOpportunity = z.strictObject({
  advertiser_name: z.string().min(1),
  payout_rate: z.string(),
  advertisement_kind: z.string(),
  send_by_window_start_at: seconds,
  send_by_window_end_at: seconds,
});

const complimentaryAccess = z
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

const conditionSet = z.strictObject({
  name: z.string().min(1),
  status: z.enum(conditionSetStatuses).default('active'),
  purpose: z.enum(conditionSetPurposes).default('dynamic_content'),
  conditions,
  created: seconds.optional(),
  updated: seconds.optional(),
});

/** As the specification has it (PublicationField, PublicationFieldResponseKey). */
const publicationField = z
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
      wrong('default_value', `is required for the kind ${kind}; only json and rss_feed_url may omit it`);
    if (value_source === 'fetched' && endpoint_url === null)
      wrong('endpoint_url', 'is required where value_source is fetched');
    if (value_source === 'static' && endpoint_url !== null)
      wrong('endpoint_url', 'is allowed only where value_source is fetched');
    if (kind !== 'json' && response_keys.length > 0) wrong('response_keys', 'is allowed only for the kind json');
    if (new Set(response_keys.map(({ key }) => key)).size < response_keys.length)
      wrong('response_keys', 'contains a key twice');
    if (created !== undefined && updated !== undefined && updated < created)
      wrong('updated', 'is earlier than "created"');
  });

/** Different tags a publication can have (specification, Limits). */
const mostTags = 100;

const publication = z.strictObject({
  id: z.string().regex(/^pub_[0-9a-zA-Z-]+$/, 'must look like pub_<uuid>'),
  name: z.string().min(1),
  double_opt_in: z.boolean().default(false),
  created: seconds.optional(),
  tiers: z
    .array(
      z.strictObject({
        name: z.string().min(1),
        description: z.string().default(''),
        status: z.enum(tierStatuses).default('active'),
      }),
    )
    .default([]),
  newsletter_lists: z
    .array(z.strictObject({ name: z.string().min(1), auto_subscribe: z.boolean().default(false) }))
    .default([]),
  custom_fields: z
    .array(
      z.strictObject({
        display: z.string().trim().min(1),
        kind: z.enum(customFieldKinds),
        options: z.array(z.string()).default([]),
        created: seconds.optional(),
      }),
    )
    .default([]),
  subscriptions: z
    .array(subscription)
    .check(({ value, issues }) => {
      const { size } = new Set(value.flatMap(({ tags }) => tags));
      if (size <= mostTags) return;
      const message = `has ${size} different tags; a publication can have at most ${mostTags}`;
      issues.push({ code: 'custom', message, input: value });
    })
    .default([]),
  automations: z.array(automation).default([]),
  authors: z.array(author).default([]),
  advertisement_opportunities: z.array(advertisementOpportunity).default([]),
  complimentary_access: z.array(complimentaryAccess).default([]),
  condition_sets: z.array(conditionSet).default([]),
});

const oauthClient = z.strictObject({
  uid: z.string().min(1),
  /** Shown on the consent page. */
  name: z.string().min(1),
  /** null makes a public client, which has to use PKCE. */
  secret: z.string().min(1).nullable(),
  /**
   * Compared to the letter, except that a port does not count on `http://127.0.0.1`, `http://localhost` and
   * `http://[::1]`.
   */
  redirect_uris: z.array(z.string().refine(isRedirectUri, 'must be an absolute URI without a fragment')),
  /** Without `refresh_token` the client gets none. */
  grant_types: z
    .array(z.enum(grantTypes))
    .min(1)
    .default([...grantTypes]),
});

/**
 * The format of a seed file. Times are Unix seconds and now where left out; what refers to something names it by name
 * or address. Keys and OAuth clients that are left out are the standard ones.
 */
const seedSchema = z.strictObject({
  publications: z.array(publication).min(1),
  /** Fields of the whole workspace. */
  publication_fields: z.array(publicationField).default([]),
  /** `publications` restricts a key; left out, it reaches the whole workspace. */
  keys: z.array(z.strictObject({ key: z.string().min(1), publications: z.array(z.string()).optional() })).optional(),
  oauth_clients: z.array(oauthClient).optional(),
});

/** A seed as it is written. */
export type Seed = z.input<typeof seedSchema>;
/** A seed with its defaults filled in. */
export type ReadSeed = z.output<typeof seedSchema>;
/** A seed that cannot be loaded, with a message for its author. */
export class SeedError extends Error {
  override readonly name = 'SeedError';
}

/** Checks a seed and fills in its defaults. @throws {@link SeedError} that names the place and what is wrong there */
export function readSeed(input: unknown): ReadSeed {
  const read = seedSchema.safeParse(input);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new SeedError(`The seed is not valid: ${issue?.path.join('.') || 'it'}: ${issue?.message}.`);
}

/** What a generated seed depends on: the time and the id seed of the sandbox. */
export interface SeedContext {
  /** Unix seconds. */
  readonly now: number;
  /** A pseudorandom number from 0 up to 1 for the `n`th decision of a kind; the same for the same id seed. */
  readonly chance: (kind: string, n: number) => number;
}
