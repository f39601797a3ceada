/**
 * Rate limit of the workspace: a profile, or a custom quota; and `/_sandbox/profile`. The specification defines neither
 * quota nor headers.
 */
import { Hono } from 'hono';
import * as z from 'zod';
import { apiError } from '../http/errors.ts';
import { readBody } from '../http/read-request.ts';
import type { Clock } from '../world/clock.ts';
import type { Feature } from './feature.ts';

export const profiles = ['spec', 'service-30', 'service', 'service-500', 'service-800', 'unlimited'] as const;

/**
 * - `spec`: as the specification – no headers. Since it names no quota, none is enforced.
 * - `service`: 180 requests a minute for all keys together, with `RateLimit-*` headers, 429 beyond. `service-30`,
 *   `service-500` and `service-800`: as many as other plans have.
 * - `unlimited`: nothing at all.
 */
export type Profile = (typeof profiles)[number];

/** A custom quota. */
export const quotaSchema = z.strictObject({
  /** Requests in a window. */
  limit: z.int().min(0).max(1_000_000_000),
  windowSeconds: z.int().min(1).max(86_400).default(60),
  /** Whether every answer carries `RateLimit-Limit`, `-Remaining` and `-Reset`. */
  headers: z.boolean().default(true),
  /** Whether a 429 says `Retry-After`. */
  retryAfter: z.boolean().default(false),
});

export type QuotaRequest = z.input<typeof quotaSchema>;
export type QuotaSettings = z.output<typeof quotaSchema>;

/** How requests are limited right now; without a `limit` they are not. */
export interface RateLimitState {
  readonly profile: Profile | 'custom';
  readonly limit: number | null;
  readonly windowSeconds: number | null;
  readonly headers: boolean;
  readonly retryAfter: boolean;
}

const aMinute = (limit: number): QuotaSettings => ({ limit, windowSeconds: 60, headers: true, retryAfter: false });
const quotas: Readonly<Record<Profile, QuotaSettings | null>> = {
  spec: null,
  'service-30': aMinute(30),
  service: aMinute(180),
  'service-500': aMinute(500),
  'service-800': aMinute(800),
  unlimited: null,
};

export interface RateLimit extends Feature {
  /** Counts one request and returns the headers to send. @throws ApiError 429 with the same headers beyond the quota */
  count(): Readonly<Record<string, string>>;
  /** Changes the profile or the quota, and starts a new window. */
  use(limit: Profile | QuotaRequest): void;
  readonly state: RateLimitState;
  /** Seconds until the window ends. */
  resetsIn(): number;
}

export function createRateLimit(initial: Profile | QuotaRequest, clock: Clock): RateLimit {
  let current = initial;
  let quota: QuotaSettings | null = null;
  let ends = 0;
  let used = 0;
  const use = (limit: Profile | QuotaRequest): void => {
    quota = typeof limit === 'string' ? quotas[limit] : quotaSchema.parse(limit);
    current = limit;
    ends = 0;
    used = 0;
  };
  const resetsIn = (): number => Math.max(0, ends - clock.seconds());
  use(initial);

  const rateLimit: RateLimit = {
    use,
    resetsIn,
    count() {
      if (quota === null) return {};
      const now = clock.seconds();
      if (now >= ends) {
        ends = now + quota.windowSeconds;
        used = 0;
      }
      used += 1;
      const rateLimitHeaders = {
        'RateLimit-Limit': String(quota.limit),
        'RateLimit-Remaining': String(Math.max(0, quota.limit - used)),
        'RateLimit-Reset': String(ends),
      };
      const headers = quota.headers ? rateLimitHeaders : {};
      if (used <= quota.limit) return headers;
      const window = quota.windowSeconds === 60 ? 'a minute' : `${quota.windowSeconds} seconds`;
      throw apiError(
        429,
        'RATE_LIMIT_EXCEEDED',
        `More than ${quota.limit} requests in ${window}; try again in ${resetsIn()} s.`,
        {
          ...headers,
          ...(quota.retryAfter && { 'Retry-After': String(resetsIn()) }),
        },
      );
    },
    get state(): RateLimitState {
      return {
        profile: typeof current === 'string' ? current : 'custom',
        limit: null,
        windowSeconds: null,
        headers: false,
        retryAfter: false,
        ...quota,
      };
    },
    reset: () => use(initial),
    routes: () => profileRoutes(rateLimit),
  };
  return rateLimit;
}

const choice = z.union([z.strictObject({ profile: z.enum(profiles) }), quotaSchema], {
  error: `must be {"profile": ${profiles.map((name) => `"${name}"`).join(' or ')}}, or a quota such as {"limit": 5, "windowSeconds": 10, "headers": true, "retryAfter": true}`,
});

function profileRoutes(rateLimit: RateLimit): Hono {
  return new Hono()
    .get('/profile', (context) => context.json(rateLimit.state))
    .put('/profile', async (context) => {
      const chosen = await readBody(context.req.raw, choice);
      rateLimit.use('profile' in chosen ? chosen.profile : chosen);
      return context.json(rateLimit.state);
    });
}
