/** The rate limit after single answers; test/proofs/quota.slow.test.ts simulates an hour of calls. */
import { describe, expect, it } from 'vitest';
import { clockSkewMs, createQuota, readQuotaHeaders, retryAfterMs } from '../../src/engine/rate-limit.ts';

const start = Date.UTC(2026, 0, 1);
const minute = 60_000;
const ok = { status: 200, headers: {} };
const tooMany = (headers: Record<string, string> = {}) => ({ status: 429, headers });
const quotaHeaders = (remaining: number, resetAfterMs = minute) => ({
  status: 200,
  headers: {
    'ratelimit-limit': '100',
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String((start + resetAfterMs) / 1000),
  },
});

/** A quota, with times counted from its beginning. */
function watched() {
  const quota = createQuota();
  let inFlight = 0;
  const send = (at: number) => {
    const sent = quota.sent(start + at);
    inFlight += 1;
    return {
      answer(answer: Parameters<typeof quota.answered>[1], after = at) {
        inFlight -= 1;
        return quota.answered(sent, answer, start + after, start + after);
      },
    };
  };
  /** When one more may go, as of `at`; Infinity where only an answer can tell. */
  const next = (at: number): number => Math.max(at, quota.nextAt(start + at, inFlight) - start);
  /** How many may go at this moment, each answered at once. */
  const room = (at: number, most = 200): number => {
    let count = 0;
    for (; count < most && next(at) <= at; count += 1) send(at).answer(ok, at);
    return count;
  };
  return { quota, send, next, room };
}

describe('after a 429', () => {
  it('one request is sent alone, also where an answer to an earlier request comes in', () => {
    const { send, next } = watched();
    const [refused, earlier] = [send(0), send(0)];
    refused.answer(tooMany({ 'retry-after': '10' }), 100);
    earlier.answer(ok, 200);
    expect(next(200)).toBe(10_100);
    const first = send(10_100);
    expect(next(10_100)).toBe(Infinity);
    first.answer(ok, 10_200);
    expect(next(10_200)).toBe(10_200);
  });

  it('without Retry-After and before any success, the pause triples each time, up to a minute', () => {
    const { send, next } = watched();
    let at = 0;
    const pauses = Array.from({ length: 7 }, () => {
      send(at).answer(tooMany(), at);
      const pause = next(at) - at;
      at += pause;
      return pause;
    });
    expect(pauses).toEqual([1_500, 4_500, 13_500, 40_500, 60_000, 60_000, 60_000]);
  });

  it('429s of requests sent together count as one', () => {
    const { quota, send } = watched();
    const [one, other] = [send(0), send(0)];
    expect(one.answer(tooMany({ 'retry-after': '10' }), 100)).toBe(true);
    expect(other.answer(tooMany({ 'retry-after': '60' }), 200)).toBe(false);
    expect(quota.pausedUntil).toBe(start + 10_100);
  });

  it('a shorter pause does not end a longer one', () => {
    const { quota, send } = watched();
    send(0).answer(tooMany({ 'retry-after': '60' }), 0);
    send(1_000).answer(tooMany({ 'retry-after': '5' }), 1_000);
    expect(quota.pausedUntil).toBe(start + 60_000);
  });
});

describe('headers', () => {
  it('stay in effect over a few answers without them, and are dropped after many', () => {
    const { send, next } = watched();
    const others = Array.from({ length: 4 }, () => send(0));
    send(0).answer(quotaHeaders(0), 0);
    for (const other of others) other.answer(ok, 100);
    expect(next(100)).toBe(minute);
    for (let n = 0; n < 20; n += 1) send(minute + n).answer(ok, minute + n);
    send(2 * minute);
    expect(next(2 * minute)).toBe(2 * minute);
  });

  it('of answers out of order give the smallest remaining number', () => {
    const { send, next } = watched();
    const [first, second] = [send(0), send(0)];
    second.answer(quotaHeaders(0), 100);
    first.answer(quotaHeaders(1), 200);
    expect(next(200)).toBe(minute);
  });

  it('of a past window do not change the current one', () => {
    const { send, next } = watched();
    const [late, early] = [send(minute - 1), send(minute)];
    early.answer(quotaHeaders(99, 2 * minute), minute + 100);
    late.answer(quotaHeaders(0), minute + 200);
    expect(next(minute + 200)).toBe(minute + 200);
  });
});

describe('without headers', () => {
  it('a single 429 pauses, and sets no rate: it may have another reason', () => {
    const { send, room } = watched();
    for (let n = 0; n < 20; n += 1) send(0).answer(ok, 0);
    send(0).answer(tooMany(), 1);
    expect(room(1_501)).toBe(200);
  });

  /** Between two 429s 60 requests pass in 30 seconds. */
  function twoASecond() {
    const seen = watched();
    seen.send(0).answer(ok, 0);
    seen.send(0).answer(tooMany(), 1);
    for (let n = 0; n < 60; n += 1) seen.send(1_001).answer(ok, 1_001);
    seen.send(30_001).answer(tooMany(), 30_001);
    seen.send(31_001).answer(ok, 31_001);
    return seen;
  }

  it('the requests accepted between two 429s give the rate', () => {
    const { send, next } = twoASecond();
    const sentAt: number[] = [];
    for (let at = next(31_001); at < 61_000; at = next(at)) {
      sentAt.push(at);
      send(at).answer(ok, at);
    }
    expect(sentAt.length).toBeGreaterThanOrEqual(57);
    expect(sentAt.length).toBeLessThanOrEqual(61);
  });

  it('the rate grows a little after a busy minute, more after the next, and falls back at a 429', () => {
    const { send, next } = twoASecond();
    let at = 31_001;
    /** Sends all that the rate allows until then. @returns milliseconds between the last two */
    const run = (until: number): number => {
      let before = at;
      for (at = next(at); at < until; at = next(at)) {
        before = at;
        send(at).answer(ok, at);
      }
      return at - before;
    };
    const gaps = [1, 2, 3, 4].map((n) => run(31_001 + n * minute));
    const fastest = run(at + 5_000);
    expect(gaps).toEqual(gaps.toSorted((a, b) => b - a));
    expect(fastest).toBeLessThan((gaps[0] ?? 0) * 0.9);
    send(at).answer(tooMany(), at);
    at += 1_000;
    expect(run(at + minute / 2)).toBeGreaterThan(fastest);
  });

  it('the rate does not grow in minutes without full use', () => {
    const { send, next, quota } = twoASecond();
    for (let n = 1; n <= 20; n += 1) {
      quota.nextAt(start + 31_001 + n * minute, 0);
      send(31_001 + n * minute).answer(ok, 31_001 + n * minute);
    }
    const at = 31_001 + 21 * minute;
    for (let n = 0; n < 3; n += 1) send(at).answer(ok, at);
    expect(next(at) - at).toBeGreaterThan(450);
  });
});

describe('the headers of a quota', () => {
  const soon = String(start / 1000 + 30);

  it.each<[headers: Record<string, string>, quota: object | null]>([
    [{}, null],
    [{ 'ratelimit-remaining': '5' }, null],
    [{ 'ratelimit-reset': '60' }, null],
    [{ 'ratelimit-remaining': '', 'ratelimit-reset': '60' }, null],
    [{ 'ratelimit-remaining': 'many', 'ratelimit-reset': '60' }, null],
    [{ 'ratelimit-remaining': '-1', 'ratelimit-reset': '60' }, null],
    [{ 'ratelimit-remaining': '5', 'ratelimit-reset': ' ' }, null],
    [
      { 'ratelimit-remaining': '0', 'ratelimit-reset': '0' },
      { limit: null, remaining: 0, resetInMs: 0 },
    ],
    [
      { 'ratelimit-limit': '9', 'ratelimit-remaining': '5', 'ratelimit-reset': '60' },
      { limit: 9, remaining: 5, resetInMs: 60_000 },
    ],
    [
      { 'x-ratelimit-limit': '9', 'x-ratelimit-remaining': '5', 'x-ratelimit-reset': soon },
      { limit: 9, remaining: 5, resetInMs: 30_000 },
    ],
    [
      { 'ratelimit-remaining': '5', 'x-ratelimit-remaining': '4', 'x-ratelimit-reset': '7' },
      { limit: null, remaining: 4, resetInMs: 7000 },
    ],
    [
      { 'ratelimit-remaining': '5', 'ratelimit-reset': '1', 'x-ratelimit-remaining': '4', 'x-ratelimit-reset': '7' },
      { limit: null, remaining: 5, resetInMs: 1000 },
    ],
    [
      { 'ratelimit-remaining': '5', 'ratelimit-reset': '999999999' },
      { limit: null, remaining: 5, resetInMs: 999_999_999_000 },
    ],
    [
      { 'ratelimit-remaining': '5', 'ratelimit-reset': '1000000000' },
      { limit: null, remaining: 5, resetInMs: 0 },
    ],
    [
      { 'ratelimit-remaining': '5', 'ratelimit-reset': soon, date: new Date(start + 10_000).toUTCString() },
      { limit: null, remaining: 5, resetInMs: 20_000 },
    ],
  ])('%j give %j', (headers, quota) => {
    expect(readQuotaHeaders(headers, start)).toEqual(quota);
  });

  it.each<[status: number, headers: Record<string, string>, ms: number | undefined]>([
    [429, {}, undefined],
    [503, { 'retry-after': '2' }, 2000],
    [503, { 'retry-after': ' 1.5 ' }, 1500],
    [503, { 'retry-after': '0' }, 0],
    [503, { 'retry-after': new Date(start + 5000).toUTCString() }, 5000],
    [503, { 'retry-after': new Date(start - 5000).toUTCString() }, 0],
    [
      503,
      { 'retry-after': new Date(start + 15_000).toUTCString(), date: new Date(start + 10_000).toUTCString() },
      5000,
    ],
    [503, { 'retry-after': 'soon' }, undefined],
    [503, { 'retry-after': '2 minutes' }, undefined],
    [503, { 'ratelimit-reset': '60' }, undefined],
    [429, { 'ratelimit-reset': '60', 'x-ratelimit-reset': '7' }, 60_000],
    [429, { 'ratelimit-reset': 'soon', 'x-ratelimit-reset': '7' }, 7000],
    [429, { 'retry-after': 'soon', 'x-ratelimit-reset': '7' }, 7000],
    [429, { 'retry-after': '2', 'ratelimit-reset': '60' }, 2000],
  ])('of %i ask to wait: %j', (status, headers, ms) => {
    expect(retryAfterMs({ status, headers }, start)).toBe(ms);
  });

  it('tell how far the clock of the service is ahead', () => {
    const skew = (ms: number) => clockSkewMs({ date: new Date(start).toUTCString() }, start - ms);
    expect([-3001, -3000, 0, 3000, 3001].map(skew)).toEqual([-3001, 0, 0, 0, 3001]);
    expect(clockSkewMs({}, start)).toBeNull();
    expect(clockSkewMs({ date: 'today' }, start)).toBeNull();
  });

  it('stop no call for more than an hour', () => {
    const { quota, send } = watched();
    send(0).answer(tooMany({ 'retry-after': '4000' }), 0);
    expect(quota.pausedUntil).toBe(start + 3_600_000);
    const other = watched();
    other.send(0).answer(quotaHeaders(0, 2 * 3_600_000), 0);
    expect(other.next(0)).toBe(3_600_000);
  });
});
