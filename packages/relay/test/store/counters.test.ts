/** The counters of rate limits in memory. */
import { expect, it } from 'vitest';
import { MemoryCounters } from '../../src/store/counters.ts';
import { describeCounting } from './counter-conformance.ts';

describeCounting(() => Promise.resolve(new MemoryCounters()));

it('holds at least the newest ten thousand counts, and no more than twenty thousand', async () => {
  const counters = new MemoryCounters();
  const of = (n: number) => [{ key: `key-${n}`, most: 1, windowMs: 3_600_000 }];
  for (let n = 0; n < 60_000; n += 1) await counters.count(of(n), 0);
  for (const [n, reached] of [
    [59_999, 1],
    [50_000, 1],
    [39_999, 0],
    [0, 0],
  ] as const)
    expect(await counters.count(of(n), 0)).toHaveLength(reached);
});
