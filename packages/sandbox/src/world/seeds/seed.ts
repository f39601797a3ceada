/** What a seed is – data in a documented format – and how it is planted. */
import { customFieldKinds, tierStatuses } from '@newsletter-kit/core/contract';
import * as z from 'zod';
import { grantTypes } from '../../oauth/grant-types.ts';
import { isRedirectUri } from '../../oauth/redirect.ts';
import { automation } from './automation-seed.ts';
import {
  advertisementOpportunity,
  author,
  complimentaryAccess,
  conditionSet,
  publicationField,
} from './content-seed.ts';
import { subscription } from './subscription-seed.ts';

const seconds = z.int().min(0);

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
      const message = `it has ${size} different tags; a publication has at most ${mostTags}`;
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
export const seedSchema = z.strictObject({
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
/** A seed that can't be planted, in words for the person who wrote it. */
export class SeedError extends Error {
  override readonly name = 'SeedError';
}

/** Checks a seed and fills in its defaults. @throws {@link SeedError} that names the place and what is wrong there */
export function readSeed(input: unknown): ReadSeed {
  const read = seedSchema.safeParse(input);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new SeedError(`The seed is not usable: ${issue?.path.join('.') || 'it'}: ${issue?.message}.`);
}
