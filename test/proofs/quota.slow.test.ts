/**
 * The pacer under quotas, for one hour of virtual time each: the fixed windows of the sandbox, and token buckets, with
 * and without rate limit headers.
 *
 * `QUOTA_LIMITS=30,180,600` runs the large quotas too, which take half a minute.
 */
import { createEngine } from '@newsletter-kit/core/engine';
import { describe, expect, test } from 'vitest';
import { baseUrl, engineCaller, runAgainst, type Enforced, type Outcome } from '../bench/core/quota-run.ts';
import { createVirtualClock, virtualHost } from '../clock/virtual.ts';

const limits = (process.env['QUOTA_LIMITS'] ?? '30,180').split(',').map(Number);
const variants = {
  'with headers': { headers: true },
  'with Retry-After alone': { headers: false, retryAfter: true },
  'without headers': { headers: false },
} as const;
const quotas = (['window', 'bucket'] as const).flatMap((kind) =>
  Object.entries(variants).flatMap(([variant, options]) =>
    limits.map(
      (limit) => [`a ${kind} of ${limit} a minute ${variant}`, { kind, limit, ...options } satisfies Enforced] as const,
    ),
  ),
);
const call = engineCaller(8);

/** Share of a quota that was used in the last minutes of a run. */
function usedLately({ minutes }: Outcome, limit: number, count: number): number {
  return minutes.slice(-count).reduce((sum, { passed }) => sum + passed, 0) / (limit * count);
}

describe.each(quotas)('%s', (_, quota) => {
  test('is used fully; calls exceed it never with headers, and rarely without', async () => {
    const { used, refusedShare } = await runAgainst(quota, call);
    expect(used).toBeGreaterThan(quota.headers ? 0.98 : 0.95);
    expect(refusedShare).toBeLessThanOrEqual(quota.headers ? 0 : 0.03);
  });

  test('is used by background calls to nine tenths, and exceeded as rarely', async () => {
    const background = engineCaller(8, undefined, { background: true });
    const { used, refusedShare } = await runAgainst(quota, background);
    expect(used).toBeGreaterThan(0.9);
    expect(refusedShare).toBeLessThanOrEqual(quota.headers ? 0 : 0.03);
  });

  test('is used fully again ten minutes after it was doubled', async () => {
    const doubled = await runAgainst(quota, call, { minutes: 30, cut: { minute: 10, limit: quota.limit * 2 } });
    expect(usedLately(doubled, quota.limit * 2, 10)).toBeGreaterThan(quota.headers ? 0.98 : 0.8);
  });

  test('is kept soon after it was cut to a third', async () => {
    const { minutes, ...rest } = await runAgainst(quota, call, {
      minutes: 25,
      cut: { minute: 10, limit: quota.limit / 3 },
    });
    expect(usedLately({ minutes, ...rest }, quota.limit / 3, 10)).toBeGreaterThan(quota.headers ? 0.98 : 0.7);
    expect(minutes.slice(-10).reduce((sum, { refused }) => sum + refused, 0)).toBeLessThanOrEqual(
      quota.headers ? 0 : 15,
    );
  });
});

describe('a 429 without a quota', () => {
  test.each([
    ['with Retry-After', { 'retry-after': '2' }],
    ['without headers', {}],
  ])('%s holds up a walk for seconds, not for minutes', async (_, headers) => {
    const clock = createVirtualClock();
    const begun = clock.now();
    let requests = 0;
    const host = virtualHost(clock, async (request) => {
      requests += 1;
      if (requests === 19) return new Response('{}', { status: 429, headers });
      const cursor = Number(new URL(request.url).searchParams.get('cursor') ?? 0);
      return Response.json({ data: [], has_more: cursor < 49, next_cursor: cursor < 49 ? String(cursor + 1) : null });
    });
    const engine = createEngine({ host, baseUrl, token: 'key', publicationId: 'pub_1' });
    let pages = 0;
    await clock.run(
      (async () => {
        for await (const _page of engine.list('subscriptions.list', {}).pages()) pages += 1;
      })(),
    );
    expect(pages).toBe(50);
    expect((clock.now() - begun) / 1000).toBeLessThan(30);
  });
});
