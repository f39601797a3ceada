/** The state of the trigger survives the end of n8n. */
import { expect } from 'vitest';
import { startOwnN8n } from './harness/own.ts';
import { test } from './harness/test.ts';
import { unscheduled, watchSubscriptions } from './harness/watching.ts';

test.override({ sandboxOptions: { seed: 'empty' } });

test('subscriptions created while n8n is killed are reported once after its restart', async ({
  sandboxOnPort,
  api,
}) => {
  const own = await startOwnN8n();
  try {
    const workflow = await watchSubscriptions(own.rest, sandboxOnPort, {
      ...unscheduled,
      events: ['subscriptionCreated'],
    });
    await api.subscriptions.create({ email: 'before@example.com' });
    await workflow.activate();

    await api.subscriptions.create({ email: 'first@example.com' });
    sandboxOnPort.clock.advance(1_000);
    await workflow.poll();
    expect(await workflow.arrived(1)).toEqual(['first@example.com']);

    // One in the same second as a reported one, and one while n8n is down.
    sandboxOnPort.clock.freeze();
    await api.subscriptions.create({ email: 'second@example.com' });
    await workflow.poll();
    expect(await workflow.arrived(2)).toEqual(['first@example.com', 'second@example.com']);
    await own.kill();
    await api.subscriptions.create({ email: 'third@example.com' });
    sandboxOnPort.clock.thaw();
    await api.subscriptions.create({ email: 'fourth@example.com' });

    // n8n polls at its start, since the workflow is still published.
    await own.start();
    expect((await workflow.arrived(4)).toSorted()).toEqual([
      'first@example.com',
      'fourth@example.com',
      'second@example.com',
      'third@example.com',
    ]);
    await workflow.poll();
    expect(await workflow.arrived(4)).toHaveLength(4);
  } finally {
    await own.close();
  }
});
