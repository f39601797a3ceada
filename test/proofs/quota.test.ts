/**
 * The pacer against quotas nobody told it about, an hour of virtual time each: the sandbox's windows, and buckets that refill
 * all the time. What is asserted is stricter than what the benchmark must reach, so that a model which has got worse shows.
 *
 * `QUOTA_LIMITS=30,180,600` runs the large quotas too, which take half a minute.
 */
import { describe, expect, test } from 'vitest';
import { engineCaller, runAgainst, type Enforced, type Outcome } from '../bench/core/quota-run.ts';

const limits = (process.env['QUOTA_LIMITS'] ?? '30,180').split(',').map(Number);
const tellings = { 'with headers': { headers: true }, 'with Retry-After alone': { headers: false, retryAfter: true }, 'that says nothing': { headers: false } } as const;
const quotas = (['window', 'bucket'] as const).flatMap((kind) =>
  Object.entries(tellings).flatMap(([telling, told]) => limits.map((limit) => [`a ${kind} of ${limit} a minute ${telling}`, { kind, limit, ...told } satisfies Enforced] as const)),
);
const call = engineCaller(8);

/** Share of a quota that was used in the last minutes of a run. */
function usedLately({ minutes }: Outcome, limit: number, count: number): number {
  return minutes.slice(-count).reduce((sum, { passed }) => sum + passed, 0) / (limit * count);
}

describe.each(quotas)('%s', (_, quota) => {
  test('is used up, and hardly ever exceeded: never where headers tell, three times in ten minutes where they do not', async () => {
    const { used, refused } = await runAgainst(quota, call);
    expect(used).toBeGreaterThan(0.99);
    expect(refused).toBeLessThanOrEqual(quota.headers ? 0 : 18);
  });

  test('is used up again ten minutes after it has doubled', async () => {
    const doubled = await runAgainst(quota, call, { minutes: 30, cut: { minute: 10, limit: quota.limit * 2 } });
    expect(usedLately(doubled, quota.limit * 2, 10)).toBeGreaterThan(0.98);
  });

  test('is kept to again soon after it was cut to a third', async () => {
    const { minutes, ...rest } = await runAgainst(quota, call, { minutes: 25, cut: { minute: 10, limit: quota.limit / 3 } });
    expect(usedLately({ minutes, ...rest }, quota.limit / 3, 10)).toBeGreaterThan(0.98);
    expect(minutes.slice(-10).reduce((sum, { refused }) => sum + refused, 0)).toBeLessThanOrEqual(quota.headers ? 0 : 5);
  });
});
