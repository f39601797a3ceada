/** Every event of the polling trigger, caused in the sandbox and received in n8n. */
import type { Client } from '@newsletter-kit/core';
import type { SandboxOnPort } from '@newsletter-kit/sandbox/vitest';
import { describe, expect } from 'vitest';
import { triggerType } from './harness/nodes.ts';
import type { NodeOutput } from './harness/rest.ts';
import { n8n, test } from './harness/test.ts';
import { unscheduled, watchSubscriptions } from './harness/watching.ts';

interface World {
  readonly api: Client;
  readonly sandbox: SandboxOnPort;
}

interface EventCase {
  readonly event: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** Prepares the publication before the workflow is published. */
  before?(world: World): Promise<void>;
  /** Causes the event, and other changes that must not be reported. */
  cause(world: World): Promise<void>;
  readonly expected: NodeOutput;
}

async function idOf({ api }: World, email: string): Promise<string> {
  const { items } = await api.subscriptions.list({ email });
  return items[0]?.id ?? '';
}

async function change(
  world: World,
  email: string,
  changes: Readonly<{ tier?: 'free' | 'premium'; custom_fields?: { name: string; value: string }[] }>,
): Promise<void> {
  await world.api.subscriptions.bulkUpdate({
    subscriptions: [{ subscription_id: await idOf(world, email), ...changes }],
  });
  world.sandbox.clock.advance('PT1M');
}

async function deactivate(world: World, email: string): Promise<void> {
  await world.api.subscriptions.updateStatus({ subscription_ids: [await idOf(world, email)], new_status: 'inactive' });
  world.sandbox.clock.advance('PT1M');
}

const create = async ({ api, sandbox }: World, email: string): Promise<void> => {
  await api.subscriptions.create({ email });
  sandbox.clock.advance('PT1S');
};

const ada = 'ada.lovelace@example.com';
const grace = 'grace@example.org';

const cases: readonly EventCase[] = [
  {
    event: 'subscriptionBecameActive',
    async before({ api, sandbox }) {
      sandbox.clock.freeze();
      await api.subscriptions.create({ email: 'käthe@bücher.example' });
    },
    async cause(world) {
      world.sandbox.clock.advance('PT1S');
      await deactivate(world, ada);
    },
    expected: [
      expect.objectContaining({ email: 'käthe@bücher.example', status: 'active', previous_status: 'validating' }),
    ],
  },
  {
    event: 'subscriptionCreated',
    async cause(world) {
      await create(world, 'jörg@bücher.example');
      await create(world, 'new@example.com');
      await deactivate(world, ada);
    },
    expected: [
      expect.objectContaining({ email: 'jörg@bücher.example' }),
      expect.objectContaining({ email: 'new@example.com', created: expect.stringMatching(/Z$/) }),
    ],
  },
  {
    event: 'subscriptionStatusChanged',
    async cause(world) {
      await deactivate(world, ada);
      await change(world, grace, { tier: 'premium' });
    },
    expected: [expect.objectContaining({ email: ada, status: 'inactive', previous_status: 'active' })],
  },
  {
    event: 'subscriptionUnsubscribed',
    async cause(world) {
      await deactivate(world, grace);
      await create(world, 'new@example.com');
    },
    expected: [expect.objectContaining({ email: grace, status: 'inactive' })],
  },
  {
    event: 'subscriptionUpdated',
    parameters: { changes: ['custom_fields'], fieldNames: ['First Name'] },
    async cause(world) {
      await change(world, ada, { custom_fields: [{ name: 'First Name', value: 'Augusta' }] });
      await change(world, grace, { tier: 'premium' });
    },
    expected: [
      expect.objectContaining({
        email: ada,
        changed: ['custom_fields'],
        custom_fields: expect.objectContaining({ 'First Name': 'Augusta' }),
      }),
    ],
  },
];

describe('the events of the trigger', () => {
  test('are exactly the cases below', async () => {
    const { properties } = await n8n.nodeType(triggerType);
    const offered = properties.find(({ name }) => name === 'events')?.options ?? [];
    expect(cases.map(({ event }) => event)).toEqual(offered.map(({ value }) => value).toSorted());
  });

  test.for(cases)(
    'start the workflow once: $event',
    async ({ event, parameters, before, cause, expected }, { sandboxOnPort: sandbox, api }) => {
      const world = { api, sandbox };
      await before?.(world);
      const workflow = await watchSubscriptions(n8n, sandbox, { ...unscheduled, events: [event], ...parameters });
      try {
        await workflow.activate();
        expect(await workflow.given()).toEqual([]);
        await cause(world);
        await workflow.poll();
        await workflow.arrived(expected.length);
        expect(await workflow.given()).toEqual(expected);
        // Nothing is reported again.
        await workflow.poll();
        await workflow.arrived(expected.length);
        expect(await workflow.given()).toHaveLength(expected.length);
      } finally {
        await n8n.deactivate(workflow.id);
      }
    },
  );

  test('include earlier subscriptions with Created Since', async ({ sandboxOnPort: sandbox, api }) => {
    await create({ api, sandbox }, 'yesterday@example.com');
    sandbox.clock.advance('P1D');
    const since = new Date(sandbox.clock.now() - 86_400_000 - 60_000).toISOString();
    const workflow = await watchSubscriptions(n8n, sandbox, {
      ...unscheduled,
      events: ['subscriptionCreated'],
      options: { since },
    });
    try {
      await workflow.activate();
      expect(await workflow.arrived(1)).toEqual(['yesterday@example.com']);
    } finally {
      await n8n.deactivate(workflow.id);
    }
  });
});

test('publishing fails with the reason where the trigger cannot poll', async ({ sandboxOnPort }) => {
  const { clientOptions } = sandboxOnPort;
  const workflow = await watchSubscriptions(n8n, {
    ...sandboxOnPort,
    clientOptions: { ...clientOptions, token: 'no-such-key' },
  });
  const outcome = await workflow.activate().then(() => 'published', String);
  expect(outcome).toMatch(/API key|authoriz/i);
  expect(outcome).not.toContain('no-such-key');
});
