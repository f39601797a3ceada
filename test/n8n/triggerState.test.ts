/** The stored state of the trigger in n8n: with scheduled polls, across a restart, and with a manual run. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@newsletter-kit/core';
import type { SandboxOnPort } from '@newsletter-kit/sandbox/vitest';
import { describe, expect } from 'vitest';
import { n8n, test } from './harness/test.ts';
import { unscheduled, watchSubscriptions } from './harness/watching.ts';

test.override({ sandboxOptions: { seed: 'demo', profile: 'unlimited' } });

const ada = 'ada.lovelace@example.com';

async function deactivate({ api, sandbox }: { api: Client; sandbox: SandboxOnPort }, email: string): Promise<void> {
  const { items } = await api.subscriptions.list({ email });
  await api.subscriptions.updateStatus({ subscription_ids: [items[0]?.id ?? ''], new_status: 'inactive' });
  sandbox.clock.advance('PT1M');
}

test('scheduled polls start the workflow once per event', async ({ sandboxOnPort: sandbox, api }) => {
  const changed = await watchSubscriptions(n8n, sandbox, { events: ['subscriptionStatusChanged'] });
  try {
    await changed.activate();
    await deactivate({ api, sandbox }, ada);
    await changed.arrived(1);
    expect(await changed.given()).toContainEqual(expect.objectContaining({ email: ada, previous_status: 'active' }));
    // The next tick finds nothing new.
    const requests = () => sandbox.requests().at(-1)?.n ?? 0;
    const asked = requests();
    await until(async () => requests() > asked + 2);
    expect((await changed.given()).filter(({ email }) => email === ada)).toHaveLength(1);
  } finally {
    await n8n.deactivate(changed.id);
  }
});

test('a manual run returns a subscription and leaves the state unchanged', async ({ sandboxOnPort: sandbox }) => {
  const workflow = await watchSubscriptions(n8n, sandbox, { events: ['subscriptionUnsubscribed'] });
  try {
    await workflow.activate();
    const { staticData } = await n8n.workflow(workflow.id);
    expect(JSON.stringify(staticData)).toContain('inactive');
    const run = await n8n.run(workflow.id, 'Subscribed');
    expect(run.output('Subscribed')).toMatchObject([{ status: 'inactive', email: expect.stringContaining('@') }]);
    expect((await n8n.workflow(workflow.id)).staticData).toEqual(staticData);
  } finally {
    await n8n.deactivate(workflow.id);
  }
});

describe('a publication that the activation reads only in part', () => {
  test.override({ sandboxOptions: { seed: 'demo', seedSize: 1_000, profile: 'unlimited' } });

  test('is read by further polls, whose state an execution without items saves', async ({
    sandboxOnPort: sandbox,
    api,
  }) => {
    const workflow = await watchSubscriptions(n8n, sandbox, { ...unscheduled, events: ['subscriptionStatusChanged'] });
    const saved = async () => JSON.stringify((await n8n.workflow(workflow.id)).staticData).length;
    try {
      sandbox.faults.add({ match: 'subscriptions.list', effect: { status: 429, retryAfter: 30 }, nth: 5 });
      await workflow.activate();
      sandbox.faults.clear();
      // The pause that the service asked for, in which the trigger asks it nothing.
      await sleep(30_000);
      expect(await workflow.executions()).toEqual([]);
      const before = await saved();
      await workflow.poll();
      await until(async () => (await workflow.executions()).length > 0);
      const [empty] = await workflow.executions();
      expect(empty).toMatchObject({ status: 'success' });
      expect([...(empty?.output('Subscribed') ?? []), ...(empty?.output('Read again') ?? [])]).toEqual([]);
      expect(await saved()).toBeGreaterThan(before + 5_000);
      await deactivate({ api, sandbox }, ada);
      await workflow.poll();
      await workflow.arrived(1);
      expect(await workflow.given()).toMatchObject([{ email: ada, previous_status: 'active' }]);
      expect(await workflow.executions()).toHaveLength(2);
    } finally {
      await n8n.deactivate(workflow.id);
    }
  });
});

describe('a publication of 10,000 subscriptions', () => {
  test.override({ sandboxOptions: { seed: 'demo', seedSize: 10_000, profile: 'unlimited' } });

  test('is read during the activation, and stored in about 10 characters per subscription, twice', async ({
    sandboxOnPort: sandbox,
    api,
  }) => {
    const workflow = await watchSubscriptions(n8n, sandbox, {
      events: ['subscriptionStatusChanged'],
      options: { pages: 100 },
    });
    try {
      await workflow.activate();
      const { staticData } = await n8n.workflow(workflow.id);
      expect(JSON.stringify(staticData).length / 10_000).toBeGreaterThan(2 * 9);
      expect(JSON.stringify(staticData).length / 10_000).toBeLessThan(2 * 12);
      await deactivate({ api, sandbox }, ada);
      await workflow.poll();
      await workflow.poll();
      await workflow.arrived(1);
      expect(await workflow.given()).toMatchObject([{ email: ada }]);
    } finally {
      await n8n.deactivate(workflow.id);
    }
  });
});

/** Waits until the condition holds. */
function until(isSo: () => Promise<boolean>): Promise<void> {
  return expect.poll(isSo, { interval: 500 }).toBe(true);
}
