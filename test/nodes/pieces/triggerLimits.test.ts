/** How long a poll may take. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { timeOf } from '../../../nodes/Newsletter/trigger/limits.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it.each([
  { what: 'n8n of today', context: { getPollBudgetMs: () => 300_000 }, whole: 45_000 },
  { what: 'its durable scheduler', context: { getPollBudgetMs: () => 36_000 }, whole: 24_000 },
  { what: 'n8n of before, which does not say', context: {}, whole: 45_000 },
])('ends before the next poll begins, and before $what abandons it', ({ context, whole }) => {
  const time = timeOf(context);
  vi.advanceTimersByTime(whole - 1);
  expect(time.has()).toBe(true);
  vi.advanceTimersByTime(1);
  expect(time.has()).toBe(false);
  // A request that begins at the last moment is over within the budget too.
  expect(whole + time.ofRequest).toBeLessThanOrEqual(context.getPollBudgetMs?.() ?? Number.POSITIVE_INFINITY);
});
