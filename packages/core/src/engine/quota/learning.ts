/** A quota of which nothing is known but what passed before a 429. */
import { bucket } from './bucket.ts';
import { shortWaitMs, usualWindowMs, type Model } from './model.ts';
import { windows } from './windows.ts';

/** Nothing is known yet: everything may go, and is counted. */
export function learning(): Model {
  let begun: number | null = null;
  let count = 0;
  return {
    nextAt: (now) => now,
    sent() {},
    passed(sent, now) {
      if (begun === null || sent.at >= begun + usualWindowMs) {
        begun = now;
        count = 0;
      }
      count += 1;
    },
    refused(_sent, now, asked) {
      // Where nothing passed of late, somebody else has used the quota up, and nothing is learnt.
      if (begun === null || now >= begun + usualWindowMs) return this;
      if (asked !== undefined && asked >= shortWaitMs)
        return windows({ limit: count, begun, lengthMs: now + asked - begun, closed: true });
      return trying({ count, begun, refusedAt: now, asked });
    },
  };
}

/** So many passed, then came a 429: one request shortly after shows whether a bucket refills or a window has to end. */
function trying({
  count,
  begun,
  refusedAt,
  asked,
}: {
  count: number;
  readonly begun: number;
  readonly refusedAt: number;
  readonly asked: number | undefined;
}): Model {
  const tryAt = refusedAt + (asked || Math.min(shortWaitMs, Math.max(1000, (2 * usualWindowMs) / count)));
  let passed = false;
  const asWindow = (): Model => windows({ limit: count, begun, lengthMs: usualWindowMs, closed: true });
  const asBucket = (): Model =>
    bucket({
      // A bucket that asks for a wait names the time in which one request's worth refills, rounded up.
      ratePerMs: Math.max(count / (usualWindowMs + refusedAt - begun), asked ? 1 / asked : 0),
      emptyAt: refusedAt,
      climbs: true,
    });
  let settled: Model | null = null;
  return {
    nextAt(now, inFlight, mayProbe) {
      if (settled) return settled.nextAt(now, inFlight, mayProbe);
      if (inFlight > 0) return Number.POSITIVE_INFINITY;
      return tryAt;
    },
    sent(now) {
      settled?.sent(now);
    },
    passed(sent, now) {
      if (settled) return settled.passed(sent, now);
      if (sent.at <= refusedAt) count += 1;
      else {
        passed = true;
        settled = asBucket();
        settled.passed(sent, now);
      }
    },
    refused(sent, now, again) {
      if (passed && settled) return settled.refused(sent, now, again);
      return asWindow();
    },
  };
}
