/** What is concluded from single answers; test/proofs/quota.slow.test.ts shows what comes of it in an hour. */
import { describe, expect, it } from 'vitest';
import { createQuota } from '../../src/engine/quota.ts';

const start = Date.UTC(2026, 0, 1);
const minute = 60_000;
const ok = { status: 200, headers: {} };
const tooMany = (headers: Record<string, string> = {}) => ({ status: 429, headers });
const told = (remaining: number, resetAfterMs = minute) => ({
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
  let underWay = 0;
  const send = (at: number) => {
    const sent = quota.sent(start + at);
    underWay += 1;
    return {
      answer(answer: Parameters<typeof quota.answered>[1], after = at) {
        underWay -= 1;
        return quota.answered(sent, answer, start + after, start + after);
      },
    };
  };
  /** When one more may go, as of `at`; Infinity where only an answer can tell. */
  const next = (at: number, mayProbe = false): number =>
    Math.max(at, quota.nextAt(start + at, underWay, mayProbe) - start);
  /** How many may go at this moment, each answered at once. */
  const room = (at: number, most = 200): number => {
    let count = 0;
    for (; count < most && next(at) <= at; count += 1) send(at).answer(ok, at);
    return count;
  };
  return { quota, send, next, room };
}

describe('after a 429', () => {
  it('one feels the way, also where an answer comes in that was sent before', () => {
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

  it('that says nothing and comes before anything has passed, the pause doubles each time, up to half a minute', () => {
    const { send, next } = watched();
    let at = 0;
    const pauses = Array.from({ length: 7 }, () => {
      send(at).answer(tooMany(), at);
      const pause = next(at) - at;
      at += pause;
      return pause;
    });
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  });

  it('those that were refused together are one, and say nothing new', () => {
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

  it('long after anything passed, nothing is learnt: somebody else has used the quota up', () => {
    const { send, room } = watched();
    for (let n = 0; n < 3; n += 1) send(0).answer(ok, 0);
    send(3 * minute).answer(tooMany(), 3 * minute);
    expect(room(3 * minute + 1_000)).toBe(200);
  });
});

describe('headers', () => {
  it('are believed over a few answers that have none, and forgotten after many', () => {
    const { send, next } = watched();
    const others = Array.from({ length: 4 }, () => send(0));
    send(0).answer(told(0), 0);
    for (const other of others) other.answer(ok, 100);
    expect(next(100)).toBe(minute);
    for (let n = 0; n < 20; n += 1) send(minute + n).answer(ok, minute + n);
    send(2 * minute);
    expect(next(2 * minute)).toBe(2 * minute);
  });

  it('of answers that overtook each other tell the least that is left', () => {
    const { send, next } = watched();
    const [first, second] = [send(0), send(0)];
    second.answer(told(0), 100);
    first.answer(told(1), 200);
    expect(next(200)).toBe(minute);
  });

  it('of a window that is over say nothing about the one that has begun', () => {
    const { send, next } = watched();
    const [late, early] = [send(minute - 1), send(minute)];
    early.answer(told(99, 2 * minute), minute + 100);
    late.answer(told(0), minute + 200);
    expect(next(minute + 200)).toBe(minute + 200);
  });
});

/** Nine pass and the tenth is refused, twice: a window of nine, which began with the first. */
function windowOfNine() {
  const seen = watched();
  const all = Array.from({ length: 10 }, () => seen.send(0));
  for (const sent of all.slice(0, 5)) sent.answer(ok, 100);
  all[9]?.answer(tooMany(), 100);
  for (const sent of all.slice(5, 9)) sent.answer(ok, 200);
  const tryAt = seen.next(200);
  seen.send(tryAt).answer(tooMany(), tryAt + 100);
  return { ...seen, tryAt };
}

describe('a window that was learnt', () => {
  it('ends a minute after it began, and has room for all that passed, those on their way at the 429 included', () => {
    const { next, send } = windowOfNine();
    const opens = next(10_000);
    expect(opens).toBe(100 + minute);
    // The second half of it is spread over its time.
    const times: number[] = [];
    for (let at = opens; times.length < 9; at = Math.max(at, next(at))) {
      times.push(at);
      send(at).answer(ok, at);
    }
    expect(times.filter((at) => at === opens)).toHaveLength(5);
    expect(times.at(-1)).toBeLessThanOrEqual(opens + minute * 0.9);
    expect(next(opens + minute * 0.95)).toBe(opens + minute);
  });

  it('is begun by one request, and the others follow its answer, or do not wait for ever', () => {
    const { next, send } = windowOfNine();
    const opens = next(10_000);
    send(opens).answer(ok, opens);
    const again = opens + minute;
    const first = send(again);
    expect(next(again)).toBe(again + 2_000);
    first.answer(ok, again + 300);
    expect(next(again + 300)).toBe(again + 300);
    for (let n = 0; n < 8; n += 1) send(again + 300).answer(ok, again + 300);
    // Counted from the first answer: the service cannot have begun later.
    expect(next(again + 1_000)).toBe(again + 300 + minute);
  });

  it('is not begun by an answer of the window before', () => {
    const { next, send } = windowOfNine();
    const opens = next(10_000);
    send(opens).answer(ok, opens);
    const late = send(opens + minute - 1_000);
    const again = opens + minute;
    send(again);
    late.answer(ok, again + 100);
    expect(next(again + 100)).toBe(again + 2_000);
  });

  it('is one that refills where the try after the 429 passes', () => {
    const { send, next, room } = watched();
    const all = Array.from({ length: 60 }, () => send(0));
    for (const sent of all.slice(1)) sent.answer(ok, 100);
    all[0]?.answer(tooMany(), 100);
    const tryAt = next(100);
    expect(tryAt).toBeLessThan(10_000);
    send(tryAt).answer(ok, tryAt);
    expect(room(tryAt)).toBeLessThan(5);
    expect(next(tryAt) - tryAt).toBeGreaterThan(0);
    expect(next(tryAt) - tryAt).toBeLessThan(2_000);
  });
});
