/**
 * The rate limit of one key: reads it from headers or learns it from 429s, and decides when the next request may be
 * sent. Holds state only: the caller passes the time, in milliseconds of the host's monotonic clock.
 *
 * The service states the quota in `RateLimit-*` headers on every answer. Where a proxy removes them, a 429 pauses all
 * calls, and the number of requests accepted between two 429s gives the rate limit (decision 0014).
 */
import { waitOf } from '../facts/moment.ts';
import type { HostAnswer } from './host.ts';

/**
 * Pause after a 429 without `Retry-After`, in milliseconds; three times as long with each in succession, so that the
 * default of four retries outlasts a rate limit per minute.
 */
const defaultPauseMs = { first: 1500, factor: 3, longest: 60_000 };

/** After this many answers in succession without headers, the service sends none; a few may come from a proxy. */
const maxAnswersWithoutHeaders = 20;

/** Longest pause that is accepted, in milliseconds, so that a wrong header does not stop all calls for a year. */
const longestPauseMs = 3_600_000;

/** The quota as the pacer uses it. */
export function createQuota() {
  let stated: ReturnType<typeof statedQuota> | null = null;
  let rate = learnedRate();
  let answersWithoutHeaders = 0;
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let lastRefusal = Number.NEGATIVE_INFINITY;
  let refusalsInARow = 0;

  return {
    /** The end of the pause that a 429 asks for; in the past where there is none. */
    get pausedUntil(): number {
      return pausedUntil;
    },
    /** The earliest moment for one more request; in the past for now, Infinity for not before an answer has come. */
    nextAt(now: number, inFlight: number, background?: boolean): number {
      if (pausedUntil > now) return pausedUntil;
      // After a 429, one request is sent alone and the others follow its answer.
      if (refusalsInARow > 0 && inFlight > 0) return Number.POSITIVE_INFINITY;
      return stated ? stated.nextAt(now, inFlight, background) : rate.nextAt(now);
    },
    sent(now: number, background?: boolean): void {
      rate.sent(now);
      if (background) stated?.sentInBackground(now);
    },
    /**
     * @param timeOfDay - milliseconds since the Unix epoch, to read dates in headers
     * @returns true for a 429, unless it is one of several that were sent before the first of them came back
     */
    answered(sentAt: number, answer: Pick<HostAnswer, 'status' | 'headers'>, now: number, timeOfDay: number): boolean {
      const quota = readQuotaHeaders(answer.headers, timeOfDay);
      answersWithoutHeaders = quota ? 0 : answersWithoutHeaders + 1;
      if (quota) (stated ??= statedQuota()).read(quota, now);
      else if (stated && answersWithoutHeaders >= maxAnswersWithoutHeaders) {
        stated = null;
        rate = learnedRate();
      }
      if (answer.status !== 429) {
        if (sentAt <= lastRefusal) return false; // sent before the 429, so it says nothing about the time after it
        refusalsInARow = 0;
        rate.passed();
        return false;
      }
      if (sentAt <= lastRefusal) return false;
      lastRefusal = now;
      refusalsInARow += 1;
      rate.refused(now);
      const retryAfter = retryAfterMs(answer, timeOfDay);
      const pauseMs =
        retryAfter ||
        Math.min(defaultPauseMs.longest, defaultPauseMs.first * defaultPauseMs.factor ** (refusalsInARow - 1));
      pausedUntil = Math.max(pausedUntil, now + Math.min(pauseMs, longestPauseMs));
      return true;
    },
  };
}

/** Share of a window's calls that background calls leave to other calls, and the fewest they leave. */
const reserved = { share: 0.05, min: 2 };

/** The rate limit that headers state. The last answer counts: another process may use the same key. */
function statedQuota() {
  let remaining = 0;
  let resetAt = Number.NEGATIVE_INFINITY;
  /** The window as its first answer stated it, and the background calls sent since. */
  let window = { readAt: 0, remaining: 0, background: 0 };
  let lastBackground = Number.NEGATIVE_INFINITY;

  /** The rule of {@link CallOptions.background}. */
  function nextBackgroundAt(now: number, inFlight: number): number {
    const left = resetAt - now;
    const free = remaining - inFlight;
    const others = Math.max(0, window.remaining - free - window.background);
    // A few calls in a short time say little about the rest of the window.
    const elapsed = Math.max(now - window.readAt, (resetAt - window.readAt) / 4);
    const othersPerMs = others / elapsed;
    const spare = free - Math.max(reserved.min, reserved.share * window.remaining) - othersPerMs * left;
    // Without a spare call there is one as soon as the others turn out to need fewer, else in the next window.
    return spare < 1 ? Math.min(resetAt, now + (1 - spare) / othersPerMs) : lastBackground + left / (spare + 1);
  }

  return {
    read(quota: StatedQuota, now: number): void {
      const newResetAt = now + Math.min(quota.resetInMs, longestPauseMs);
      // The same window, give or take a second of rounding: answers may overtake each other.
      const same = Math.abs(newResetAt - resetAt) <= 1000;
      if (!same && newResetAt < resetAt) return;
      if (!same) window = { readAt: now, remaining: quota.remaining, background: 0 };
      remaining = same ? Math.min(remaining, quota.remaining) : quota.remaining;
      resetAt = same ? resetAt : newResetAt;
    },
    sentInBackground(now: number): void {
      window.background += 1;
      lastBackground = now;
    },
    nextAt(now: number, inFlight: number, background = false): number {
      // After the end of a window, one request finds out about the next.
      if (now >= resetAt) return inFlight === 0 ? now : Number.POSITIVE_INFINITY;
      if (background) return nextBackgroundAt(now, inFlight);
      if (remaining > inFlight) return now;
      return inFlight === 0 ? resetAt : Number.POSITIVE_INFINITY;
    },
  };
}

/** Minutes of full use without a 429 until a learned rate grows; three times as many where the next 429 comes soon. */
const minutesToGrow = { first: 1, max: 9 };

/** Share by which a learned rate grows; doubles with each further minute without a 429. */
const growth = 0.04;

/** Safety margin: at exactly the limit, one quick answer would exceed it. */
const margin = 0.99;

/**
 * The rate limit learned without headers: a rate, measured from one 429 to the next. Unlimited before the second 429,
 * since a single one may have another reason.
 */
function learnedRate() {
  let perMs = Number.POSITIVE_INFINITY;
  let due = Number.NEGATIVE_INFINITY;
  let lastRefusal: number | null = null;
  let passed = 0;
  let minuteBegan = 0;
  /** Whether a request had to wait in this minute; otherwise it says nothing about the quota. */
  let busy = false;
  let busyMinutes = 0;
  let interval = minutesToGrow.first;
  let grown = 0;

  function endMinute(now: number): void {
    minuteBegan = now;
    if (busy) busyMinutes += 1;
    if (busy && busyMinutes >= interval) {
      grown = grown === 0 ? growth : grown * 2;
      perMs *= 1 + grown;
    }
    busy = false;
  }

  return {
    nextAt(now: number): number {
      if (now - minuteBegan >= 60_000) endMinute(now);
      busy ||= due > now;
      return due;
    },
    sent(now: number): void {
      // Up to two requests catch up where a timer was late.
      due = Math.max(due, now - 2 / perMs) + 1 / perMs;
    },
    passed(): void {
      passed += 1;
    },
    refused(now: number): void {
      if (passed === 0) return; // the pause before this 429 was too short
      if (lastRefusal !== null) {
        perMs = grown > 0 ? perMs / (1 + grown) : (passed / (now - lastRefusal)) * margin;
        const grewTooFar = grown === growth;
        interval = grewTooFar ? Math.min(minutesToGrow.max, interval * 3) : minutesToGrow.first;
      }
      lastRefusal = now;
      passed = 0;
      minuteBegan = now;
      busy = false;
      busyMinutes = 0;
      grown = 0;
    },
  };
}

type Headers = HostAnswer['headers'];

/** The rate limit as the headers of one answer state it. */
export interface StatedQuota {
  /** Requests per window; null where it is not stated. */
  readonly limit: number | null;
  /** Remaining requests in this window. */
  readonly remaining: number;
  /** Milliseconds until the next window begins. */
  readonly resetInMs: number;
}

/** Clocks that differ by less count as equal: `Date` is in whole seconds, and the answer takes time to arrive. */
const sameClockMs = 3_000;

/** The two spellings of the headers, the standard's first. */
const spellings = ['ratelimit', 'x-ratelimit'].map((prefix) => ({
  limit: `${prefix}-limit`,
  remaining: `${prefix}-remaining`,
  reset: `${prefix}-reset`,
}));

/** Reads `RateLimit-*`, else `X-RateLimit-*`; null unless both the remaining requests and the reset are stated. */
export function readQuotaHeaders(headers: Headers, nowMs: number): StatedQuota | null {
  for (const names of spellings) {
    const remaining = numberIn(headers, names.remaining);
    if (remaining === null) continue;
    const resetInMs = waitIn(headers, names.reset, nowMs);
    if (resetInMs !== undefined) return { limit: numberIn(headers, names.limit), remaining, resetInMs };
  }
  return null;
}

/**
 * How long the service asks to wait, in milliseconds: `Retry-After` (seconds or date), then, on a 429,
 * `RateLimit-Reset` and `X-RateLimit-Reset`. Undefined where it does not say.
 */
export function retryAfterMs(
  { status, headers }: Pick<HostAnswer, 'status' | 'headers'>,
  nowMs: number,
): number | undefined {
  // Other answers usually carry a reset, too.
  const names = ['retry-after', ...(status === 429 ? spellings.map(({ reset }) => reset) : [])];
  return names.map((name) => waitIn(headers, name, nowMs)).find((wait) => wait !== undefined);
}

/** Milliseconds that a header asks to wait, by the service's own clock; undefined where it is missing or of no use. */
const waitIn = (headers: Headers, name: string, nowMs: number): number | undefined =>
  waitOf(headers[name], nowMs + (clockSkewMs(headers, nowMs) ?? 0));

/**
 * How far the service's clock is ahead of the host's, in milliseconds; 0 where they agree, null where the answer has no
 * `Date`.
 */
export function clockSkewMs(headers: Headers, nowMs: number): number | null {
  const theirs = Date.parse(headers['date'] ?? '');
  if (Number.isNaN(theirs)) return null;
  return Math.abs(theirs - nowMs) > sameClockMs ? theirs - nowMs : 0;
}

function numberIn(headers: Headers, name: string): number | null {
  const text = headers[name];
  if (text === undefined || text.trim() === '') return null;
  const value = Number(text);
  return Number.isFinite(value) && value >= 0 ? value : null;
}
