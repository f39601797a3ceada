/** A quota that is refilled all the time. */
import { usualWindowMs, type Model } from './model.ts';
import { probing } from './probing.ts';

/** Requests that pass before a guessed rate is doubled, and the most it grows to. */
const climbStep = 3;
const climbMost = 256;

/** A little less than what was measured: a rate that is met exactly is missed at the next delay. */
const margin = 0.995;

/**
 * Refills all the time. Between two 429s it was emptied twice, so what passed in between is exactly what it refilled.
 *
 * @param climbs - whether the rate is a guess after a single 429, which may have been a fault and no quota at all:
 *   until a second one it doubles with every few requests
 */
export function bucket({
  ratePerMs,
  emptyAt,
  climbs = false,
}: {
  ratePerMs: number;
  emptyAt: number;
  climbs?: boolean;
}): Model {
  let tokens = 0;
  let countedAt = emptyAt;
  let passed = 0;
  let idle = false;
  let cleanSince = emptyAt;
  let saturated = false;
  let boost = 2;
  /** How many times the guess is asked for, and how many passed at this height after waiting for their turn. */
  let height = 1;
  let waited = false;
  let passedHere = 0;
  const probe = probing();
  const most = (): number => Math.max(1, (ratePerMs * usualWindowMs) / 4);
  /** A probe asks for twice as much, and twice as much again each minute, until the bucket is empty. */
  const pace = (): number => (climbs ? height : probe.due ? boost : 1) * ratePerMs;

  const refill = (now: number): void => {
    tokens = Math.min(most(), tokens + Math.max(0, now - countedAt) * pace());
    idle ||= tokens >= most();
    countedAt = Math.max(countedAt, now);
    if (now - cleanSince < usualWindowMs) return;
    if (saturated && probe.due) boost *= 2;
    if (saturated) probe.clean();
    cleanSince = now;
    saturated = false;
  };
  return {
    nextAt(now, _inFlight, mayProbe) {
      refill(now);
      if (tokens >= 1) return now;
      saturated = true;
      waited = true;
      return now + (1 - tokens) / (mayProbe ? pace() : ratePerMs);
    },
    sent(now) {
      refill(now);
      tokens = Math.max(-1, tokens - 1);
    },
    passed(sent) {
      if (sent.at <= emptyAt) return;
      passed += 1;
      if (!climbs || !waited || (passedHere += 1) < climbStep) return;
      height = Math.min(climbMost, height * 2);
      passedHere = 0;
      waited = false;
    },
    refused(_sent, now) {
      if (climbs && height > 1) {
        // The height before this one held.
        climbs = false;
        return bucket({ ratePerMs: (ratePerMs * height) / 2, emptyAt: now });
      }
      climbs = false;
      const measured = passed / Math.max(1, now - emptyAt);
      const gain = measured / ratePerMs;
      const enough = passed >= 10;
      if (!enough) ratePerMs *= 0.7;
      // The bucket was full for a while, so more was refilled than passed: what was known before is the better guess.
      else if (idle && gain < 1) ratePerMs *= 0.9;
      // Much more than expected: the bucket was full for long, and refills faster still.
      else ratePerMs = measured * (gain > 1.5 ? 2 : margin);
      probe.refused(gain);
      emptyAt = now;
      countedAt = now;
      cleanSince = now;
      tokens = -1;
      passed = 0;
      idle = false;
      boost = 2;
      return this;
    },
  };
}
