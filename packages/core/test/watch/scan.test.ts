/** Staleness: the age of the oldest read is never too low. */
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { oldestReadAge, recordRead, type ReadStretch } from '../../src/watch/scan.ts';

const length = 1000;
/** Passes from the beginning to the end, each in slices of random sizes, at times that only grow. */
const slices = fc.array(
  fc.record({ seconds: fc.integer({ min: 1, max: 12 }), later: fc.integer({ min: 0, max: 50 }) }),
  { maxLength: 300, size: 'max' },
);

it('is exact for few stretches, and never too low for many', () => {
  fc.assert(
    fc.property(slices, (parts) => {
      const exact = Array<number | undefined>(length).fill(undefined);
      let stretches: readonly ReadStretch[] = [];
      let now = 0;
      let reached = -1;
      for (const { seconds, later } of parts) {
        now += later;
        const to = Math.min(length - 1, reached + seconds);
        stretches = recordRead(stretches, reached === -1 ? Number.NEGATIVE_INFINITY : reached, to, now);
        exact.fill(now, reached + 1, to + 1);
        reached = to === length - 1 ? -1 : to;
        const oldest = Math.min(...exact.filter((at) => at !== undefined));
        const age = oldestReadAge(stretches, now) ?? -1;
        expect(stretches.length).toBeLessThanOrEqual(64);
        if (new Set(exact).size < 20) expect(age).toBe(now - oldest);
        else expect(age).toBeGreaterThanOrEqual(now - oldest);
      }
    }),
    { numRuns: 60 },
  );
});

it('is unknown before the first read', () => {
  expect(oldestReadAge([], 5)).toBeNull();
});
