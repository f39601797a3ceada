/** How many requests the workspace may make, by profile. The specification shows neither quota nor headers. */
import type { Clock } from '../world/clock.ts';
import { apiError } from './errors.ts';

export const profiles = ['spec', 'service', 'unlimited'] as const;

/**
 * - `spec`: as the specification – no headers. Since it names no quota, none is enforced.
 * - `service`: 180 requests a minute for all keys together, with `RateLimit-*` headers, 429 beyond.
 * - `unlimited`: nothing at all.
 */
export type Profile = (typeof profiles)[number];

const quotas: Readonly<Record<Profile, number | null>> = { spec: null, service: 180, unlimited: null };
const window = 60;

export interface RateLimit {
  /** Counts one request; answers the headers to send. @throws ApiError 429 with the same headers beyond the quota */
  count(): Readonly<Record<string, string>>;
  reset(): void;
}

export function createRateLimit(profile: Profile, clock: Clock): RateLimit {
  const quota = quotas[profile];
  let ends = 0;
  let used = 0;
  return {
    count() {
      if (quota === null) return {};
      const now = clock.seconds();
      if (now >= ends) {
        ends = now + window;
        used = 0;
      }
      used += 1;
      const headers = {
        'RateLimit-Limit': String(quota),
        'RateLimit-Remaining': String(Math.max(0, quota - used)),
        'RateLimit-Reset': String(ends),
      };
      if (used > quota) {
        throw apiError(429, 'RATE_LIMIT_EXCEEDED', `More than ${quota} requests in a minute; try again in ${ends - now} s.`, headers);
      }
      return headers;
    },
    reset() {
      ends = 0;
      used = 0;
    },
  };
}
