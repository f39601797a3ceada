/** Reads the rate limit headers of an answer: limit, remaining requests, reset time, and Retry-After. Pure. */
import type { HostAnswer } from './host.ts';

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

/** Smaller values of a reset header are a number of seconds, larger ones a time in Unix seconds. */
const smallestEpoch = 1e9;

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
    const resetInMs = untilReset(headers, names.reset, nowMs);
    if (resetInMs !== null) return { limit: numberIn(headers, names.limit), remaining, resetInMs };
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
  const retryAfter = headers['retry-after'];
  if (retryAfter !== undefined) {
    const wait = /^\s*\d+(\.\d+)?\s*$/.test(retryAfter)
      ? Number(retryAfter) * 1000
      : byHostClock(Date.parse(retryAfter), headers, nowMs) - nowMs;
    if (Number.isFinite(wait)) return Math.max(0, wait);
  }
  if (status !== 429) return undefined; // other answers usually carry a reset, too
  for (const { reset } of spellings) {
    const resetInMs = untilReset(headers, reset, nowMs);
    if (resetInMs !== null) return resetInMs;
  }
  return undefined;
}

/** Milliseconds until the moment in a reset header; 0 where it has passed, null where the header is missing. */
function untilReset(headers: Headers, name: string, nowMs: number): number | null {
  const reset = numberIn(headers, name);
  if (reset === null) return null;
  return reset < smallestEpoch ? reset * 1000 : Math.max(0, byHostClock(reset * 1000, headers, nowMs) - nowMs);
}

/**
 * A moment of the service's clock by the host's: where `Date` shows that the two differ, a wait must not grow by the
 * difference.
 */
function byHostClock(momentMs: number, headers: Headers, nowMs: number): number {
  return momentMs - (clockSkewMs(headers, nowMs) ?? 0);
}

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
