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
  const send = (at: number, background = false) => {
    quota.sent(start + at, background);
    inFlight += 1;
    return {
      answer(answer: Parameters<typeof quota.answered>[1], after = at) {
        inFlight -= 1;
        return quota.answered(start + at, answer, start + after, start + after);
      },
    };
  };
  /** When one more may go, as of `at`; Infinity where only an answer can tell. */
  const next = (at: number): number => Math.max(at, quota.nextAt(start + at, inFlight) - start);
  /** The same for a background call. */
  const nextInBackground = (at: number): number => Math.max(at, quota.nextAt(start + at, inFlight, true) - start);
  /** How many may go at this moment, each answered at once. */
  const room = (at: number, most = 200): number => {
    let count = 0;
    for (; count < most && next(at) <= at; count += 1) send(at).answer(ok, at);
    return count;
  };
  return { quota, send, next, nextInBackground, room };
}

describe('after a 429', () => {
  it('one request is sent alone, also where an answer to an earlier request comes in', () => {
    const { send, next } = watched();
    const [refused, earlier] = [send(0), send(100)];
    refused.answer(tooMany({ 'retry-after': '10' }), 100);
    expect(earlier.answer(ok, 200)).toBe(false);
    expect(next(200)).toBe(10_100);
    const first = send(10_100);
    expect(next(10_100)).toBe(Infinity);
    expect(first.answer(ok, 10_200)).toBe(false);
    expect(next(10_200)).toBe(10_200);
  });

  it('without Retry-After and before any success, the pause triples each time, up to a minute', () => {
    const { send, next, room } = watched();
    let at = 0;
    const pauses = Array.from({ length: 7 }, () => {
      send(at).answer(tooMany(), at);
      const pause = next(at) - at;
      at += pause;
      return pause;
    });
    expect(pauses).toEqual([1_500, 4_500, 13_500, 40_500, 60_000, 60_000, 60_000]);
    send(at).answer(ok, at);
    expect(room(at)).toBe(200);
  });

  it('429s of requests sent together count as one', () => {
    const { quota, send } = watched();
    const [one, other] = [send(0), send(100)];
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
    for (let n = 0; n < 15; n += 1) send(minute + n).answer(ok, minute + n);
    const [twentieth] = [send(2 * minute), send(2 * minute)];
    expect(next(2 * minute)).toBe(Infinity);
    twentieth.answer(ok, 2 * minute);
    expect(next(2 * minute)).toBe(2 * minute);
  });

  it('allow the remaining requests in flight, and after the window one that asks about the next', () => {
    const { send, next } = watched();
    send(0).answer(quotaHeaders(1), 0);
    expect(next(0)).toBe(0);
    const last = send(0);
    expect(next(0)).toBe(Infinity);
    last.answer(quotaHeaders(0), 100);
    expect(next(100)).toBe(minute);
    send(100).answer(quotaHeaders(5, 2 * minute), 100);
    expect(next(2 * minute)).toBe(2 * minute);
    send(2 * minute);
    expect(next(2 * minute)).toBe(Infinity);
  });

  it('with resets up to a second apart state the same window', () => {
    const { send, next } = watched();
    send(0).answer(quotaHeaders(0), 0);
    send(100).answer(quotaHeaders(9, minute + 1000), 100);
    expect(next(100)).toBe(minute);
    send(200).answer(quotaHeaders(9, minute + 1001), 200);
    expect(next(200)).toBe(200);
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
    early.answer(quotaHeaders(99, 3 * minute), minute + 100);
    late.answer(quotaHeaders(0, 2 * minute), minute + 200);
    expect(next(minute + 200)).toBe(minute + 200);
  });
});

describe('background calls', () => {
  /** A window of a minute with 100 calls, of which so many were sent at its beginning. */
  function window({ background, others = 0 }: { readonly background: number; readonly others?: number }) {
    const seen = watched();
    seen.send(0).answer(quotaHeaders(100), 0);
    for (let n = 0; n < others; n += 1) seen.send(0).answer(quotaHeaders(99 - n), 0);
    for (let n = 0; n < background; n += 1) seen.send(0, true).answer(quotaHeaders(99 - others - n), 0);
    return seen;
  }

  it('are spread evenly over the calls that are left without the reserve of 5 %', () => {
    expect(window({ background: 0 }).nextInBackground(0)).toBe(0);
    expect(window({ background: 1 }).nextInBackground(0)).toBeCloseTo(minute / 95);
    expect(window({ background: 94 }).nextInBackground(0)).toBe(minute / 2);
    expect(window({ background: 95 }).nextInBackground(0)).toBe(minute);
  });

  it('leave the other calls as many as those need at their present rate, measured over a quarter of the window or more', () => {
    // One other call in a quarter of the window: four in all.
    expect(window({ background: 1, others: 1 }).nextInBackground(0)).toBeCloseTo(minute / 90);
    const inFlight = window({ background: 1 });
    inFlight.send(0);
    expect(inFlight.nextInBackground(0)).toBeCloseTo(minute / 90);
    // 40 others in half of the window will need the 40 again; 20 remain, and 5 of them are reserved.
    expect(window({ background: 40, others: 40 }).nextInBackground(minute / 2)).toBeCloseTo(minute / 2 + 26 * 750);
  });

  it('leave two calls of a small window', () => {
    const { send, nextInBackground } = watched();
    send(0).answer(quotaHeaders(4), 0);
    send(0, true).answer(quotaHeaders(3), 0);
    expect(nextInBackground(0)).toBe(minute / 2);
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

  /** Milliseconds between two requests where 60 in 30 seconds are the limit, with the safety margin. */
  const usual = 500 / 0.99;

  it('up to three requests are sent at once where a timer was late', () => {
    expect(twoASecond().room(60_000)).toBe(3);
  });

  /** The gaps between two requests in successive minutes of a learned rate. */
  function minutes({ send, next }: ReturnType<typeof watched>, began: number) {
    let begin = began;
    /** Ends the minute. */
    const end = () => {
      begin += minute;
      next(begin);
    };
    return {
      /** The gap in a minute with more requests than the rate allows. */
      busy(): number {
        const at = begin + 2_000;
        for (let n = 0; n < 5; n += 1) send(at).answer(ok, at);
        const first = next(at);
        send(first).answer(ok, first);
        const gap = next(first) - first;
        end();
        return gap;
      },
      idle: end,
      /** Begins a new minute with a 429. */
      refuse(): void {
        begin += 10_000;
        send(begin).answer(tooMany(), begin);
      },
    };
  }

  it('the rate grows by 4 % after a busy minute and by twice that after the next; a 429 takes the last growth back', () => {
    const { busy, refuse } = minutes(twoASecond(), 30_001);
    expect(busy()).toBeCloseTo(usual);
    expect(busy()).toBeCloseTo(usual / 1.04);
    const grownTwice = usual / 1.04 / 1.08;
    expect(busy()).toBeCloseTo(grownTwice);
    refuse();
    expect(busy()).toBeCloseTo(grownTwice);
    expect(busy()).toBeCloseTo(grownTwice / 1.04);
  });

  it('the rate grows after three busy minutes where the first growth was too much, then after nine at most', () => {
    const { busy, idle, refuse } = minutes(twoASecond(), 30_001);
    busy();
    for (const wait of [3, 9, 9]) {
      refuse();
      for (let n = 1; n <= wait; n += 1) {
        idle();
        expect(busy()).toBeCloseTo(usual);
      }
      idle();
    }
    expect(busy()).toBeCloseTo(usual / 1.04);
  });

  it('the rate does not grow in minutes without full use', () => {
    const { busy, idle } = minutes(twoASecond(), 30_001);
    for (let n = 0; n < 20; n += 1) idle();
    expect(busy()).toBeCloseTo(usual);
    expect(busy()).toBeCloseTo(usual / 1.04);
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
      // Nobody asks to wait for more than a day.
      { 'ratelimit-remaining': '5', 'ratelimit-reset': '86400' },
      { limit: null, remaining: 5, resetInMs: 86_400_000 },
    ],
    [
      { 'ratelimit-remaining': '5', 'ratelimit-reset': '1000000000' },
      { limit: null, remaining: 5, resetInMs: 0 },
    ],
    [{ 'ratelimit-remaining': '5', 'ratelimit-reset': '86401' }, null],
    [
      { 'ratelimit-remaining': '5', 'ratelimit-reset': String(start + 30_000) },
      { limit: null, remaining: 5, resetInMs: 30_000 },
    ],
    [
      { 'ratelimit-remaining': '5', 'ratelimit-reset': new Date(start + 30_000).toISOString() },
      { limit: null, remaining: 5, resetInMs: 30_000 },
    ],
    [{ 'ratelimit-remaining': '5', 'ratelimit-reset': String(start + 86_401_000) }, null],
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
    [503, { 'retry-after': '' }, undefined],
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
