/**
 * What is known of a quota, and when the next request may go. Pure state: times come in as milliseconds, none is asked for.
 *
 * Headers tell everything. Without them a 429 is all there is to learn from, and it tells a lot: so many requests passed
 * before it. Whether they passed a *window* (a count that begins anew each minute) or a *bucket* (that refills all the time)
 * shows a moment later: a bucket lets one request through again, a window none before its end.
 */
import type { HostAnswer } from './host.ts';
import { retryAfterMs, toldQuota, type ToldQuota } from './limits.ts';

/** A request that was sent. */
export interface Sent {
  readonly at: number;
}

/** One idea of the quota. */
interface Model {
  /** The earliest moment for one more request; Infinity where only an answer under way can tell. */
  nextAt(now: number, inFlight: number, mayProbe: boolean): number;
  sent(now: number): void;
  passed(sent: Sent, now: number): void;
  /** A 429. @returns the model to go on with */
  refused(sent: Sent, now: number, askedMs: number | undefined): Model;
}

/** The quota as the pacer uses it. */
export interface Quota {
  /**
   * The earliest moment for one more request, by the host's clock; in the past for at once, Infinity for not before an answer.
   *
   * @param mayProbe - whether this request may find out that the quota has grown, at the price of a 429
   */
  nextAt(now: number, inFlight: number, mayProbe: boolean): number;
  /** Until when a 429 asks everyone to wait; in the past where none does. */
  readonly pausedUntil: number;
  sent(now: number): Sent;
  /** @returns true where the answer was a 429 that says something new: not one of several that were refused together */
  answered(sent: Sent, answer: Pick<HostAnswer, 'status' | 'headers'>, now: number): boolean;
}

/** The length that quotas are told in: requests *a minute*. Another length shows in what the service asks to wait. */
const usualWindowMs = 60_000;

/** The part of a window's time over which its second half is spread: the rest is left for answers that take long. */
const spreadOver = 0.9;

/** Pause after a 429 that says nothing, where nothing passed before it either; doubles with each, in milliseconds. */
const blindPauseMs = { first: 1000, longest: 30_000 };

/** Full windows until a probe whether the quota has grown; three times as many after each probe in vain. */
const probeAfter = { first: 2, factor: 3, most: 12 };

/** So many answers in a row without headers, and there are none any more; a few come from a proxy, or from a fault. */
const longSilence = 20;

/** Longest wait for the first answer of a window before others follow, in milliseconds. */
const openingMs = 2_000;

/** Requests that must have passed beyond the limit for one more at a time. */
const probeStep = 10;

/** Requests that pass before a guessed rate is doubled, and the most it grows to. */
const climbStep = 3;
const climbMost = 256;

/** A little less than what was measured: a rate that is met exactly is missed at the next delay. */
const margin = 0.995;

/** A service that asks for less is no window that has just begun: it names the time in which a bucket refills. */
const shortWaitMs = 5_000;

/** Longest pause that is believed, in milliseconds: a wrong header must not stop everything for a year. */
const longestPauseMs = 3_600_000;

export function createQuota(): Quota {
  let model: Model = learning();
  let told: ReturnType<typeof telling> | null = null;
  let silent = 0;
  let pausedUntil = 0;
  let lastRefusal = Number.NEGATIVE_INFINITY;
  let refusalsInARow = 0;

  return {
    get pausedUntil() {
      return pausedUntil;
    },
    nextAt(now, inFlight, mayProbe) {
      if (pausedUntil > now) return pausedUntil;
      // After a 429 one request feels the way before the others follow.
      if (refusalsInARow > 0 && inFlight > 0) return Number.POSITIVE_INFINITY;
      return (told ?? model).nextAt(now, inFlight, mayProbe);
    },
    sent(now) {
      (told ?? model).sent(now);
      return { at: now };
    },
    answered(sent, answer, now) {
      const quota = toldQuota(answer.headers, now);
      silent = quota ? 0 : silent + 1;
      if (quota) (told ??= telling()).heard({ ...quota, resetAt: Math.min(quota.resetAt, now + longestPauseMs) });
      else if (told && silent >= longSilence) {
        told = null;
        model = learning();
      }
      if (answer.status !== 429) {
        if (sent.at > lastRefusal) refusalsInARow = 0;
        model.passed(sent, now);
        return false;
      }
      if (sent.at <= lastRefusal) return false;
      lastRefusal = now;
      refusalsInARow += 1;
      const wish = retryAfterMs(answer, now);
      const asked = wish === undefined ? undefined : Math.min(wish, longestPauseMs);
      if (!told) model = model.refused(sent, now, asked);
      const blind = asked === undefined || asked === 0;
      const pauseMs = blind ? Math.min(blindPauseMs.longest, blindPauseMs.first * 2 ** (refusalsInARow - 1)) : asked;
      // A model that knows better than a blind pause says so by itself.
      if (!blind || told || model.nextAt(now, 0, false) <= now) pausedUntil = Math.max(pausedUntil, now + pauseMs);
      return true;
    },
  };
}

/** Headers tell. What they say last is believed: another process may use the same key. */
function telling(): Pick<Model, 'nextAt' | 'sent'> & { heard(quota: ToldQuota): void } {
  let left = 0;
  let limit = 0;
  let resetAt = 0;
  let lastSentAt = 0;
  return {
    heard(quota) {
      // The same window, give or take a second of rounding: answers may arrive in another order than they were counted.
      const same = Math.abs(quota.resetAt - resetAt) <= 1000;
      if (!same && quota.resetAt < resetAt) return;
      left = same ? Math.min(left, quota.remaining) : quota.remaining;
      resetAt = same ? resetAt : quota.resetAt;
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

/** The first half of a window goes at once. The second is spread out, so that whoever comes late need not wait for the next one. */
function spread({ free, limit, lastSentAt, endsAt }: { readonly free: number; readonly limit: number; readonly lastSentAt: number; readonly endsAt: number }): number {
  if (free > limit / 2 || endsAt <= lastSentAt) return lastSentAt;
  return lastSentAt + (endsAt - lastSentAt) / free;
}

/** Nothing is known yet: everything may go, and is counted. */
function learning(): Model {
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
      if (asked !== undefined && asked >= shortWaitMs) return windows({ limit: count, begun, lengthMs: now + asked - begun, closed: true });
      return trying({ count, begun, refusedAt: now, asked });
    },
  };
}

/** So many passed, then came a 429: one request shortly after shows whether a bucket refills or a window has to end. */
function trying({ count, begun, refusedAt, asked }: { count: number; readonly begun: number; readonly refusedAt: number; readonly asked: number | undefined }): Model {
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

/** So many requests in each window; a window begins with its first request. */
function windows({ limit, begun, lengthMs, closed }: { limit: number; begun: number; lengthMs: number; closed: boolean }): Model {
  let used = limit;
  let passed = limit;
  let lastSentAt = begun;
  /** Requests sent from here on belong to this window. */
  let openedAt = begun;
  let firstAnswered = true;
  let refusedAtStart = 0;
  /** Where the last window began that was used up; null where it was not. */
  let lastFull: number | null = begun;
  const probe = probing();
  const endsAt = (): number => begun + lengthMs;

  return {
    nextAt(now, inFlight, mayProbe) {
      if (now >= endsAt()) return now;
      if (closed) return endsAt();
      // Requests overtake each other: sent all at once, some would arrive before the end of the window before.
      if (!firstAnswered && inFlight > 0) return begun + openingMs;
      if (used < limit) return spread({ free: limit - used, limit, lastSentAt, endsAt: begun + lengthMs * spreadOver });
      // Only as many of those that may be refused are under way as have passed before them.
      if (probe.due && mayProbe) return inFlight <= (used - limit) / probeStep ? now : Number.POSITIVE_INFINITY;
      return endsAt();
    },
    sent(now) {
      if (now >= endsAt()) {
        if (refusedAtStart === 0) lastFull = used >= limit ? begun : null;
        if (!closed && used >= limit) {
          limit = Math.max(limit, passed);
          probe.clean();
        }
        begun = now;
        openedAt = now;
        firstAnswered = false;
        closed = false;
        used = 0;
        passed = 0;
      }
      used += 1;
      lastSentAt = now;
    },
    passed(sent, now) {
      if (sent.at < openedAt) return;
      passed += 1;
      // The service cannot have begun to count later than this; sooner would mean that our windows begin too early.
      if (!firstAnswered) begun = Math.max(begun, now);
      firstAnswered = true;
      refusedAtStart = 0;
      // A window that was closed by a 429 counts what is still coming in.
      if (closed) limit = Math.max(1, passed);
    },
    refused(sent, now, asked) {
      if (sent.at < openedAt) return this;
      if (passed === 0) {
        // The window before has not ended yet: it is longer than was thought, or somebody else uses this one.
        refusedAtStart += 1;
        if (asked && lastFull !== null) lengthMs = wholeSeconds(now + asked - lastFull);
        // A quarter of a window, then half, then all of it: few attempts, since each is one of some call's retries.
        begun = now - lengthMs + (asked || (lengthMs / 4) * Math.min(4, 2 ** (refusedAtStart - 1)));
        closed = true;
        return this;
      }
      if (asked !== undefined && asked < shortWaitMs && passed <= limit / 4 && now - begun < lengthMs / 2) {
        return bucket({ ratePerMs: limit / lengthMs, emptyAt: now });
      }
      if (asked) lengthMs = wholeSeconds(now + asked - begun);
      probe.refused(passed / limit);
      limit = passed;
      closed = true;
      return this;
    },
  };
}

/** Windows last whole seconds; what is measured includes the way of the answers. */
function wholeSeconds(ms: number): number {
  return Math.max(1, Math.round(ms / 1000)) * 1000;
}

/**
 * Refills all the time. Between two 429s it was emptied twice, so what passed in between is exactly what it refilled.
 *
 * @param climbs - whether the rate is a guess after a single 429, which may have been a fault and no quota at all: until a
 * second one it doubles with every few requests
 */
function bucket({ ratePerMs, emptyAt, climbs = false }: { ratePerMs: number; emptyAt: number; climbs?: boolean }): Model {
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

/** When it is time to ask for more than is known to be there. */
function probing() {
  let interval = probeAfter.first;
  let full = 0;
  return {
    get due() {
      return full >= interval;
    },
    /** A window was used up without a 429. */
    clean() {
      full += 1;
    },
    /** A 429. @param gain - what there was, against what was expected; above 1 the probe was worth it */
    refused(gain: number) {
      const inVain = gain <= 1.03;
      if (full >= interval && inVain) interval = Math.min(probeAfter.most, interval * probeAfter.factor);
      else if (!inVain || gain < 0.9) interval = probeAfter.first;
      full = 0;
    },
  };
}
