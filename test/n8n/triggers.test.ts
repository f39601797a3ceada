/** What publishing does with the polling trigger in n8n; triggerLives.test.ts has its events. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { n8n, test } from './harness/test.ts';
import { unscheduled, watchSubscriptions } from './harness/watching.ts';

test('publishing fails with the reason where the trigger cannot poll', async ({ sandboxOnPort }) => {
  const { clientOptions } = sandboxOnPort;
  const workflow = await watchSubscriptions(n8n, { clientOptions: { ...clientOptions, token: 'no-such-key' } });
  const outcome = await workflow.activate().then(() => 'published', String);
  expect(outcome).toMatch(/API key|authoriz/i);
  expect(outcome).not.toContain('no-such-key');
});

describe('a publication that the activation reads only in part', () => {
  test.override({ sandboxOptions: { seed: 'demo', seedSize: 1_000, profile: 'unlimited' } });

  test('is read by further polls, whose state an execution without items saves', async ({
    sandboxOnPort: sandbox,
    api,
  }) => {
    const workflow = await watchSubscriptions(n8n, sandbox, { ...unscheduled, events: ['subscriptionStatusChanged'] });
    const saved = async () => JSON.stringify((await n8n.workflow(workflow.id)).staticData).length;
    const ada = 'ada.lovelace@example.com';
    try {
      sandbox.faults.add({ match: 'subscriptions.list', effect: { status: 429, retryAfter: 30 }, nth: 5 });
      await workflow.activate();
      sandbox.faults.clear();
      // The pause that the service asked for, in which the trigger asks it nothing.
      await sleep(30_000);
      expect(await workflow.executions()).toEqual([]);
      const before = await saved();
      await workflow.poll();
      await expect.poll(async () => (await workflow.executions()).length, { interval: 500 }).toBeGreaterThan(0);
      const [empty] = await workflow.executions();
      expect(empty).toMatchObject({ status: 'success' });
      expect([...(empty?.output('Subscribed') ?? []), ...(empty?.output('Read again') ?? [])]).toEqual([]);
      expect(await saved()).toBeGreaterThan(before + 5_000);
      const { items } = await api.subscriptions.list({ email: ada });
      await api.subscriptions.updateStatus({ subscription_ids: [items[0]?.id ?? ''], new_status: 'inactive' });
      sandbox.clock.advance('PT1M');
      await workflow.poll();
      await workflow.arrived(1);
      expect(await workflow.given()).toMatchObject([{ email: ada, previous_status: 'active' }]);
      expect(await workflow.executions()).toHaveLength(2);
    } finally {
      await n8n.deactivate(workflow.id);
    }
  });
});
