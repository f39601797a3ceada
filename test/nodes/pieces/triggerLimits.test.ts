/** How long a poll may take, and how many subscriptions an event can watch. */
import { createClient } from '@newsletter-kit/core';
import { createSandbox, publicationId } from '@newsletter-kit/sandbox';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { checkSize, timeBudget } from '../../../nodes/Newsletter/trigger/limits.ts';
import { toTriggerFailure } from '../../../nodes/Newsletter/trigger/poll.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it.each([
  { what: 'n8n of today', context: { getPollBudgetMs: () => 300_000 }, whole: 45_000 },
  { what: 'its durable scheduler', context: { getPollBudgetMs: () => 36_000 }, whole: 24_000 },
  { what: 'n8n of before, which does not say', context: {}, whole: 45_000 },
])('ends before the next poll begins, and before $what abandons it', ({ context, whole }) => {
  const time = timeBudget(context);
  vi.advanceTimersByTime(whole - 1);
  expect(time.hasTime()).toBe(true);
  vi.advanceTimersByTime(1);
  expect(time.hasTime()).toBe(false);
  // A request that begins at the last moment is over within the budget too.
  expect(whole + time.requestMs).toBeLessThanOrEqual(context.getPollBudgetMs?.() ?? Number.POSITIVE_INFINITY);
});

it('gives the activation more time, within the 84 seconds that n8n allows, but not under its durable scheduler', () => {
  const time = timeBudget({ getPollBudgetMs: () => 300_000 }, true);
  vi.advanceTimersByTime(49_999);
  expect(time.hasTime()).toBe(true);
  expect(50_000 + time.requestMs).toBeLessThan(84_000);
  const scheduled = timeBudget({ getPollBudgetMs: () => 36_000 }, true);
  vi.advanceTimersByTime(24_000);
  expect(scheduled.hasTime()).toBe(false);
});

it('asks for the size of the list with one request, and refuses too many subscriptions with the remedy', async () => {
  const sandbox = createSandbox({ seed: 'demo', seedSize: 20 });
  try {
    const { engine } = createClient({
      baseUrl: 'http://sandbox.test/v2',
      token: 'sandbox-key',
      publicationId,
      fetch: sandbox.fetch,
    });
    const refusal: unknown = await checkSize(engine, { reads: 'all' }, 10).catch((error: unknown) => error);
    expect(sandbox.requests()).toHaveLength(1);
    const node = {
      id: '1',
      name: 'Trigger',
      type: 'trigger',
      typeVersion: 1,
      position: [0, 0] as [number, number],
      parameters: {},
    };
    expect(toTriggerFailure(node, refusal)).toMatchObject({
      message: expect.stringMatching(/^This event can watch 10 subscriptions at most, and there are \d+$/),
      description: expect.stringMatching(/"New Subscriber".*"Subscriber Unsubscribed".*newsletter watch/),
      failure: { cause: 'configuration-invalid' },
    });
    await expect(checkSize(engine, { reads: 'all' }, 1_000)).resolves.toBeUndefined();
    await expect(checkSize(engine, { reads: 'newest' }, 1)).resolves.toBeUndefined();
    expect(sandbox.requests()).toHaveLength(2);
  } finally {
    sandbox.close();
  }
});
