/** Several items at a time: what belongs together stays in order, and a failure starts nothing more. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { toLines, workInLines } from '../../nodes/Newsletter/operations/lines.ts';

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

it('works on every item once, on those of a line in their order and never two at a time', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.record({ key: fc.integer({ min: 0, max: 5 }), takes: fc.integer({ min: 0, max: 2 }) }), { maxLength: 40 }), async (given) => {
      const items = given.map((item, index) => ({ ...item, index }));
      const done: number[] = [];
      const busy = new Set<number>();
      await workInLines(toLines(items, ({ key }) => String(key)), async ({ key, takes, index }) => {
        expect(busy.has(key)).toBe(false);
        busy.add(key);
        await pause(takes);
        busy.delete(key);
        done.push(index);
        return true;
      });
      expect(done.toSorted((a, b) => a - b)).toEqual(items.map(({ index }) => index));
      for (const [key] of Map.groupBy(items, (item) => item.key)) {
        const ofLine = done.filter((index) => items[index]?.key === key);
        expect(ofLine).toEqual(ofLine.toSorted((a, b) => a - b));
      }
    }),
    { numRuns: 40 },
  );
});

it('works on several lines at a time, but not on all of many', async () => {
  let now = 0;
  let most = 0;
  await workInLines(toLines(Array.from({ length: 60 }, (_, index) => index), String), async () => {
    most = Math.max(most, ++now);
    await pause(1);
    now -= 1;
    return true;
  });
  expect(most).toBe(10);
});

it('starts nothing more once it was told to stop, and waits for what is under way', async () => {
  const begun: number[] = [];
  let ended = 0;
  await workInLines(toLines(Array.from({ length: 60 }, (_, index) => index), String), async (index) => {
    begun.push(index);
    await pause(index === 3 ? 0 : 5);
    ended += 1;
    return index !== 3;
  });
  expect(begun).toHaveLength(10);
  expect(ended).toBe(10);
});
