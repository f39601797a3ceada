/** The signup trigger when n8n is killed, in queue mode, and as the editor shows it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, inject } from 'vitest';
import { openBrowser } from '../e2e/visitor.ts';
import { openEditor, openPanel, openWorkflow, panelText, picture } from './harness/editor.ts';
import { startOwnN8n } from './harness/own.ts';
import { hasRedis, startRedis } from './harness/redis.ts';
import { owner } from './harness/rest.ts';
import { publish, whole } from './harness/signupForm.ts';
import { test } from './harness/test.ts';

/** Posts to n8n's own API as its owner. */
async function signedIn(url: string): Promise<(path: string, body: unknown) => Promise<unknown>> {
  const post = (path: string, body: unknown, cookie = '') =>
    fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie },
      body: JSON.stringify(body),
    });
  const login = await post('/rest/login', { emailOrLdapLoginId: owner.email, password: owner.password });
  const cookie = login.headers
    .getSetCookie()
    .find((each) => each.startsWith('n8n-auth='))
    ?.split(';')[0];
  return async (path, body) => (await post(path, body, cookie)).json();
}

describe('the answer 202', () => {
  test('is sent after n8n saved the execution; execution and limit per address survive a restart', async () => {
    const own = await startOwnN8n();
    try {
      const wait = {
        name: 'Wait',
        type: 'n8n-nodes-base.wait',
        typeVersion: 1.1,
        webhookId: crypto.randomUUID(),
        parameters: { amount: 10, unit: 'seconds' },
      };
      const form = await publish({}, [wait], { rest: own.rest, url: own.url });
      expect((await form.post({ email: 'ada@example.com' })).status).toBe(202);
      await own.kill();
      await own.start();
      const [id = ''] = await own.rest.executionIds(form.workflow);
      expect((await own.rest.ended(id)).status).toBe('crashed');
      // Two more tries start an execution, a fourth does not.
      for (let tries = 0; tries < 3; tries += 1)
        expect(await whole(await form.post({ email: 'ada@example.com' }))).toMatchObject({ status: 202 });
      await sleep(1_000);
      expect(await own.rest.executionIds(form.workflow)).toHaveLength(3);
      // Same as "Retry" in the list of executions.
      const retried = await (await signedIn(own.url))(`/rest/executions/${id}/retry`, { loadWorkflow: false });
      expect(retried).toMatchObject({ data: { id: expect.any(String) } });
      const again = String((retried as { data: { id: string } }).data.id);
      const execution = await own.rest.ended(again);
      expect([execution.status, execution.output('Wait')]).toMatchObject(['success', [{ email: 'ada@example.com' }]]);
    } finally {
      await own.close();
    }
  });

  test('is for the last signup what it was for the first: limit and Idempotency-Key survive a restart', async () => {
    const own = await startOwnN8n();
    try {
      const form = await publish({}, [], { rest: own.rest, url: own.url });
      const email = 'limit@example.com';
      for (const person of ['ada', 'bob', 'cyd']) await form.post({ email: `${person}@example.com` });
      for (let tries = 0; tries < 3; tries += 1) await form.post({ email });
      await form.post({ email: 'dee@example.com' }, { 'idempotency-key': 'once' });
      expect(await form.items(7)).toHaveLength(7);
      await own.kill();
      await own.start();
      const answers = [
        await form.post({ email }),
        await form.post({ email: 'dee@example.com' }, { 'idempotency-key': 'once' }),
        await form.post({ email: 'eve@example.com' }),
      ];
      expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
      const items = await form.items(8);
      expect(items.at(-1)).toMatchObject({ email: 'eve@example.com' });
    } finally {
      await own.close();
    }
  });

  // CI must have Redis; elsewhere it is optional.
  test.skipIf(!hasRedis && !process.env['CI'])(
    'is kept in queue mode without a worker and across a restart of the main process',
    async () => {
      const redis = await startRedis();
      try {
        const own = await startOwnN8n({
          EXECUTIONS_MODE: 'queue',
          QUEUE_BULL_REDIS_HOST: '127.0.0.1',
          QUEUE_BULL_REDIS_PORT: String(redis.port),
        });
        try {
          const form = await publish({ signupsPerAddress: 1 }, [], { rest: own.rest, url: own.url });
          expect((await form.post({ email: 'ada@example.com' })).status).toBe(202);
          const ids = await own.rest.executionIds(form.workflow);
          expect(ids).toHaveLength(1);
          expect(await own.rest.execution(ids[0] ?? '')).toBeUndefined();
          await own.kill();
          await own.start();
          expect((await form.post({ email: 'ada@example.com' })).status).toBe(202);
          await own.startWorker();
          expect(await form.items(1)).toMatchObject([{ email: 'ada@example.com' }]);
        } finally {
          await own.close();
        }
      } finally {
        await redis.stop();
      }
    },
  );
});

test('the editor shows the labels of all parameters', async () => {
  const session = await openBrowser();
  try {
    const { n8nUrl } = inject('newsletter');
    const page = await openEditor(session.browser, n8nUrl);
    await openWorkflow(page, n8nUrl, 'signupForm');
    await picture(page, 'signup-workflow');
    await openPanel(page, 'Signup');
    const text = await panelText(page);
    for (const label of [
      'Path',
      'Allowed Origins',
      'Accepted Custom Field Names or IDs',
      'Signups per Address and Hour',
      'Redirect Without JavaScript',
      'Options',
    ])
      expect(text).toContain(label);
    await picture(page, 'signup-trigger');
  } finally {
    await session.close();
  }
});
