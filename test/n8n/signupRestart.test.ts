/**
 * The triggers where n8n is killed: what they promised holds the second time, for the last event as for the first, with
 * each of n8n's schedulers.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject } from 'vitest';
import { schedulers, startOwnN8n } from './harness/own.ts';
import { publish } from './harness/signupForm.ts';
import { test } from './harness/test.ts';
import { watchSubscriptions } from './harness/watching.ts';

test.override({ sandboxOptions: { seed: 'empty' } });

const isDeciding = process.env['TRIGGER_LIVES'] === 'deciding';

const wait = {
  name: 'Wait',
  type: 'n8n-nodes-base.wait',
  typeVersion: 1.1,
  webhookId: crypto.randomUUID(),
  parameters: { amount: 10, unit: 'seconds' },
};

test.for(Object.entries(schedulers).slice(0, isDeciding ? 1 : undefined))(
  '%s: limits, keys, accepted signups and the place in the list survive a kill of n8n',
  async ([scheduler, settings], { sandboxOnPort, api }) => {
    const own = await startOwnN8n(settings);
    try {
      const watching = await watchSubscriptions(own.rest, sandboxOnPort);
      await watching.activate();
      const subscribed: string[] = [];
      const subscribe = async (person: string): Promise<void> => {
        subscribed.push(`${person}@example.com`);
        await api.subscriptions.create({ email: `${person}@example.com`, double_opt_override: 'off' });
        if (subscribed.length < 3) await watching.poll();
        expect(await watching.arrived(subscribed.length)).toEqual(subscribed);
      };
      for (const person of ['one', 'two']) await subscribe(person);
      // Where n8n stands still, its durable scheduler then runs all polls that it has missed at once.
      process.kill(own.pid() ?? 0, 'SIGSTOP');
      const third = subscribe('three');
      await sleep(scheduler === 'default' ? 0 : 35_000);
      process.kill(own.pid() ?? 0, 'SIGCONT');
      await third;
      const form = await publish({}, [], own.rest);
      const slow = await publish({}, [wait], own.rest);
      const once = () => form.post({ email: 'dee@example.com' }, { 'idempotency-key': 'once' });
      for (const person of ['ada', 'bob', 'cyd']) await form.post({ email: `${person}@example.com` });
      for (let tries = 0; tries < 3; tries += 1) await form.post({ email: 'limit@example.com' });
      await once();
      expect(await form.items(7)).toHaveLength(7);
      expect((await slow.post({ email: 'ada@example.com' })).status).toBe(202);
      await own.kill();
      await own.start();
      const answers = [await form.post({ email: 'limit@example.com' }), await once()];
      answers.push(await form.post({ email: 'eve@example.com' }));
      expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
      expect((await form.items(8)).at(-1)).toMatchObject({ email: 'eve@example.com' });
      await subscribe('four');

      // n8n 1 answers before it saves the execution.
      if (inject('newsletter').age === 'oldest') return;
      const [interrupted = ''] = await own.rest.executionIds(slow.workflow);
      expect((await own.rest.ended(interrupted)).status).toBe('crashed');
      const execution = await own.rest.ended(await own.rest.retry(interrupted));
      expect([execution.status, execution.output('Wait')]).toMatchObject(['success', [{ email: 'ada@example.com' }]]);
    } finally {
      await own.close();
    }
  },
);
