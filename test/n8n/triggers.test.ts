/** What publishing does with the polling trigger in n8n; triggerLives.test.ts has its events. */
import { expect } from 'vitest';
import { n8n, test } from './harness/test.ts';
import { unscheduled, watchSubscriptions } from './harness/watching.ts';

test('Created Since includes earlier subscriptions', async ({ sandboxOnPort: sandbox, api }) => {
  await api.subscriptions.create({ email: 'yesterday@example.com' });
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
