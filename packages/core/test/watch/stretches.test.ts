/** The staleness of the scan: the age of the oldest read is never too low. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { oldestReadAge, recordRead, type ReadStretch } from '../../src/watch/stretches.ts';

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

it('is unknown before the first read, and never negative', () => {
  expect(oldestReadAge([], 5)).toBeNull();
  const stretches = [
    { to: 10, at: 3 },
    { to: 20, at: 2 },
  ];
  expect(oldestReadAge(stretches, 5)).toBe(3);
  expect(oldestReadAge(stretches, 1)).toBe(0);
});

describe('a stretch that was read', () => {
  const stretch = (to: number, at: number): ReadStretch => ({ to, at });
  const earlier = [stretch(20, 1), stretch(40, 5), stretch(100, 3)];

  it.each<[name: string, from: number, to: number, result: readonly ReadStretch[]]>([
    ['after the others', 100, 120, [...earlier, stretch(120, 9)]],
    ['from the beginning', Number.NEGATIVE_INFINITY, 20, [stretch(20, 9), stretch(40, 5), stretch(100, 3)]],
    ['in place of another', 20, 40, [stretch(20, 1), stretch(40, 9), stretch(100, 3)]],
    ['within another', 50, 60, [stretch(20, 1), stretch(40, 5), stretch(50, 3), stretch(60, 9), stretch(100, 3)]],
    ['over parts of two', 10, 30, [stretch(10, 1), stretch(30, 9), stretch(40, 5), stretch(100, 3)]],
    ['over all of them', 0, 200, [stretch(0, 1), stretch(200, 9)]],
  ])('is recorded %s', (_, from, to, result) => {
    expect(recordRead(earlier, from, to, 9)).toEqual(result);
  });

  it('is merged with its neighbour where the two were read closest to each other', () => {
    const many = Array.from({ length: 64 }, (_, n) => stretch(n * 10, n === 40 ? 393 : n * 10));
    const merged = recordRead(many, 630, 640, 640);
    expect(merged).toHaveLength(64);
    expect(merged).toEqual([...many.slice(0, 39), stretch(400, 390), ...many.slice(41), stretch(640, 640)]);
  });
});
