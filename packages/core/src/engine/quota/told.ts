/** A quota that headers tell of. */
import type { ToldQuota } from '../limits.ts';
import { usualWindowMs, type Model } from './model.ts';
import { spread, spreadOver } from './spread.ts';

/** Headers tell. What they say last is believed: another process may use the same key. */
export function telling(): Pick<Model, 'nextAt' | 'sent'> & { heard(quota: ToldQuota, resetsAt: number): void } {
  let left = 0;
  let limit = 0;
  let resetAt = 0;
  let lastSentAt = 0;
  return {
    heard(quota, resetsAt) {
      // The same window, give or take a second of rounding: answers may arrive in another order than they were counted.
      const same = Math.abs(resetsAt - resetAt) <= 1000;
      if (!same && resetsAt < resetAt) return;
      left = same ? Math.min(left, quota.remaining) : quota.remaining;
      resetAt = same ? resetAt : resetsAt;
      limit = quota.limit ?? Math.max(limit, quota.remaining + 1);
    },
    nextAt(now, inFlight) {
      // A window has ended: one request finds out about the next.
      if (now >= resetAt) return inFlight === 0 ? now : Number.POSITIVE_INFINITY;
      const free = left - inFlight;
      if (free <= 0) return inFlight === 0 ? resetAt : Number.POSITIVE_INFINITY;
      return spread({ free, limit, lastSentAt, endsAt: resetAt - usualWindowMs * (1 - spreadOver) });
    },
    sent(now) {
      lastSentAt = now;
    },
  };
}
