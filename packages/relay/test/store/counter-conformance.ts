/** The conformance suite of the counters of rate limits, run by every store, and by the counters in memory. */
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Counter, Counters } from '../../src/index.ts';
import { newSignup } from '../new-signup.ts';
import type { Place } from './conformance.ts';

const start = Date.UTC(2026, 10, 20, 12);
const minute = 60_000;
const of = (key: string, most = 2, windowMs = minute): Counter => ({ key, most, windowMs });

/** @param fresh - counters of a test's own */
export function describeCounting(fresh: () => Promise<Counters>): void {
  describe('the counters of rate limits', () => {
    it('count up to the limit, and name the end of the window then', async () => {
      const counters = await fresh();
      expect(await counters.count([of('a')], start)).toEqual([]);
      expect(await counters.count([of('a')], start + 10)).toEqual([]);
      for (let n = 0; n < 3; n += 1)
        expect(await counters.count([of('a')], start + 20)).toMatchObject([{ key: 'a', until: start + minute }]);
      expect(await counters.count([of('a', 3)], start + 20)).toEqual([]);
    });

    it('count all or none', async () => {
      const counters = await fresh();
      await counters.count([of('a', 1)], start);
      for (let n = 0; n < 3; n += 1)
        expect(await counters.count([of('b', 1), of('a', 1), of('c', 1)], start)).toMatchObject([{ key: 'a' }]);
      expect(await counters.count([of('b', 1), of('c', 1)], start)).toEqual([]);
      expect(await counters.count([of('b', 1), of('a', 1)], start)).toHaveLength(2);
    });

    it('count no more than the limit for posts at the same time', async () => {
      const counters = await fresh();
      const keys = ['x', 'a', 'y', 'b', 'z'];
      const reached = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          // In different orders: none may wait for another one that waits for it.
          counters.count(
            (n % 2 ? keys : keys.toReversed()).map((key) => of(key, 5)),
            start,
          ),
        ),
      );
      expect(reached.filter(({ length }) => length === 0).length).toBeLessThanOrEqual(5);
      expect(reached.filter(({ length }) => length > 0).length).toBeGreaterThanOrEqual(15);
    });

    it.each([
      ['once the window is over', minute, true],
      ['not before', minute - 1, false],
      ['after the clock was set back by years', -1e11, true],
      ['not on a machine whose clock is a little behind', -500, false],
    ])('begin anew: %s', async (_case, passMs, isAnew) => {
      const counters = await fresh();
      await counters.count([of('a', 1)], start);
      const [reached] = await counters.count([of('a', 1)], start + passMs);
      expect(reached === undefined).toBe(isAnew);
      if (isAnew)
        expect(await counters.count([of('a', 1)], start + passMs)).toMatchObject([{ until: start + passMs + minute }]);
    });

    it('take counts back', async () => {
      const counters = await fresh();
      await counters.count([of('a', 1), of('b')], start);
      await counters.release([of('a', 1), of('b'), of('never counted')]);
      expect(await counters.count([of('a', 1), of('b', 1)], start)).toEqual([]);
      expect(await counters.count([of('a', 1)], start)).toHaveLength(1);
    });

    it('count one that is given twice as one', async () => {
      const counters = await fresh();
      for (let n = 0; n < 2; n += 1) expect(await counters.count([of('a'), of('a')], start)).toEqual([]);
      expect(await counters.count([of('a')], start)).toHaveLength(1);
    });

    it('lose only those whose window is over when they expire', async () => {
      const counters = await fresh();
      for (let n = 0; n < 12; n += 1)
        await counters.count(
          Array.from({ length: 100 }, (_, k) => of(`${n % 2}-${n}-${k}`, 1, minute + (n % 2))),
          start,
        );
      await counters.expire(start + minute);
      expect(await counters.count([of('0-0-1', 1)], start)).toEqual([]);
      for (let n = 1; n < 12; n += 2)
        expect(await counters.count([of(`1-${n}-99`, 1, minute + 1)], start)).toHaveLength(1);
    });
  });
}

/** @param place - makes room for a store of a test's own */
export function describeCounters(place: () => Promise<Place>): void {
  describeCounting(async () => {
    const store = await (await place()).open();
    onTestFinished(() => store.close());
    return store.counters;
  });

  it.each([
    ['stored a signup', async (store) => void (await store.accept(newSignup('ada@example.com')))],
    ['stored nothing', () => Promise.resolve()],
  ] satisfies [string, (store: Awaited<ReturnType<Place['open']>>) => Promise<void>][])(
    'keeps counts over a restart after it has %s',
    async (_case, store) => {
      const { open } = await place();
      const before = await open();
      await before.counters.count([of('a', 1), of('b')], start);
      await store(before);
      await before.counters.release([of('b')]);
      await before.close();
      const after = await open();
      onTestFinished(() => after.close());
      expect(await after.counters.count([of('a', 1)], start)).toMatchObject([{ key: 'a', until: start + minute }]);
      expect(await after.counters.count([of('b', 1)], start)).toEqual([]);
    },
  );
}
