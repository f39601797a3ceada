/** The signup trigger where n8n is killed: what it promised then holds, for the last signup as for the first. */
import { expect } from 'vitest';
import { startOwnN8n } from './harness/own.ts';
import { publish } from './harness/signupForm.ts';
import { test } from './harness/test.ts';

const wait = {
  name: 'Wait',
  type: 'n8n-nodes-base.wait',
  typeVersion: 1.1,
  webhookId: crypto.randomUUID(),
  parameters: { amount: 10, unit: 'seconds' },
};

test('limit per mailbox, Idempotency-Key and accepted signups survive a kill of n8n', async () => {
  const own = await startOwnN8n();
  try {
    const on = { rest: own.rest, url: own.url };
    const form = await publish({}, [], on);
    const slow = await publish({}, [wait], on);
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

    // n8n 1 answers before it saves the execution.
    const [interrupted] = await own.rest.executionIds(slow.workflow);
    if (interrupted === undefined) return;
    expect((await own.rest.ended(interrupted)).status).toBe('crashed');
    const execution = await own.rest.ended(await own.rest.retry(interrupted));
    expect([execution.status, execution.output('Wait')]).toMatchObject(['success', [{ email: 'ada@example.com' }]]);
  } finally {
    await own.close();
  }
});
