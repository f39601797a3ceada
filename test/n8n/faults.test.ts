/** The service fails now and then during an execution. */
import { expect } from 'vitest';
import { test, underTest } from './harness/test.ts';

test.override({ sandboxOptions: { seed: 'demo', seedSize: 5_000 } });

/** The number of answers of the list with this status. */
const answered = (requests: readonly { operation: string | null; status: number }[], status: number): number =>
  requests.filter((request) => request.operation === 'subscriptions.list' && request.status === status).length;

test('Return All returns 5,000 subscriptions exactly once through 429 and 5xx answers', async ({
  sandboxOnPort: sandbox,
  api,
  runNode,
}) => {
  const kept = (await Array.fromAsync(api.subscriptions.list({ limit: 100 }))).map(({ id }) => id);
  expect(new Set(kept).size).toBe(5_000);
  const before = sandbox.requests().length;

  sandbox.faults.add({
    match: 'subscriptions.list',
    effect: { status: 503, retryAfter: 1 },
    probability: 0.08,
    seed: 3,
  });
  sandbox.faults.add({
    match: 'subscriptions.list',
    effect: { status: 500, body: 'html' },
    probability: 0.05,
    seed: 5,
  });
  // Late, because the engine slows down to the assumed quota afterwards.
  sandbox.faults.add({ match: 'subscriptions.list', effect: { status: 429, retryAfter: 2 }, nth: 45 });
  sandbox.faults.add({ match: 'subscriptions.list', effect: 'truncate', nth: 11 });
  sandbox.faults.add({ match: 'subscriptions.list', effect: 'reset', nth: 29 });
  const parameters = { resource: 'subscription', operation: 'getMany', returnAll: true };
  const run = await runNode({ parameters, within: 110_000 });

  expect(run.error).toBeUndefined();
  expect(run.output(underTest).map(({ id }) => id)).toEqual(kept);
  const requests = sandbox.requests().slice(before);
  for (const status of [429, 500, 503]) expect(answered(requests, status), `answers with ${status}`).toBeGreaterThan(0);
});
