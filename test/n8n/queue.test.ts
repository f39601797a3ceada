/** n8n in queue mode: main polls, webhook processes take signups, a worker executes; Redis connects them. */
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { startOwnN8n, type OwnN8n } from './harness/own.ts';
import { hasRedis, type Redis, startRedis } from './harness/redis.ts';
import { items, newsletterType, start } from './harness/nodes.ts';
import { publish } from './harness/signupForm.ts';
import { test, underTest } from './harness/test.ts';
import { unscheduled, watchSubscriptions } from './harness/watching.ts';

test.override({ sandboxOptions: { seed: 'empty' } });

// CI must have Redis; elsewhere it is optional.
describe.skipIf(!hasRedis && !process.env['CI'])('in queue mode', () => {
  let redis: Redis;
  let n8n: OwnN8n;
  let worker: Awaited<ReturnType<OwnN8n['startAlso']>>;
  beforeAll(async () => {
    redis = await startRedis();
    n8n = await startOwnN8n({
      EXECUTIONS_MODE: 'queue',
      QUEUE_BULL_REDIS_HOST: '127.0.0.1',
      QUEUE_BULL_REDIS_PORT: String(redis.port),
      // Manual runs go to the worker too.
      OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
    });
  });
  afterAll(async () => {
    await n8n?.close();
    await redis?.stop();
  });

  test('two webhook processes keep one limit per mailbox and one Idempotency-Key, and signups wait for a worker', async () => {
    const webhooks = [await n8n.startAlso('webhook'), await n8n.startAlso('webhook')];
    const form = await publish({}, [], n8n.rest);
    const post = (turn: number, email: string, key?: string) =>
      form.post({ email }, key === undefined ? {} : { 'idempotency-key': key }, webhooks[turn % 2]?.url);
    for (let turn = 0; turn < 6; turn += 1) {
      expect((await post(turn, 'limit@example.com')).status).toBe(202);
      expect((await post(turn, 'once@example.com', 'once')).status).toBe(202);
    }
    const ids = await n8n.rest.executionIds(form.workflow);
    expect(ids).toHaveLength(4);
    expect(await n8n.rest.execution(ids[0] ?? '')).toBeUndefined();
    await n8n.kill();
    await n8n.start();
    worker = await n8n.startAlso('worker');
    const emails = (await form.items(4)).map(({ email }) => email);
    expect(emails.filter((email) => email === 'limit@example.com')).toHaveLength(3);
  });

  test('polls run in main, executions and a bulk import in the worker', async ({ sandboxOnPort, api }) => {
    worker ??= await n8n.startAlso('worker');
    const workflow = await watchSubscriptions(n8n.rest, sandboxOnPort, {
      ...unscheduled,
      events: ['subscriptionCreated'],
    });
    await workflow.activate();
    const addresses = ['jörg@bücher.example', 'ada+letters@example.com', 'grace@example.org'];
    for (const email of addresses) await api.subscriptions.create({ email });
    await workflow.poll();
    expect((await workflow.arrived(3)).toSorted()).toEqual(addresses.toSorted());
    await api.subscriptions.create({ email: 'later@example.com' });
    await workflow.poll();
    expect(await workflow.arrived(4)).toContain('later@example.com');

    const executions = await workflow.executions();
    expect(executions.map(({ status }) => status)).toEqual(['success', 'success']);

    const run = await n8n.rest.run(
      await n8n.rest.createWorkflow([
        start,
        ...items(
          "Array.from({ length: 2500 }, (_, index) => ({ email: index === 7 ? 'no address' : 'reader.' + index + '@example.com' }))",
        ),
        {
          name: underTest,
          type: newsletterType,
          parameters: { resource: 'subscription', operation: 'bulkImport', options: { allowLargeImport: true } },
          credentials: workflow.credentials,
        },
      ]),
    );
    const outcomes = run.output(underTest).map(({ import_status }) => import_status);
    expect(outcomes).toEqual(Array.from({ length: 2_500 }, (_, index) => (index === 7 ? 'rejected' : 'accepted')));
    sandboxOnPort.clock.advance('PT1H');
    expect((await api.subscriptions.list({ email: 'reader.2499@example.com' })).items).toHaveLength(1);

    for (const { id } of [...executions, run]) expect(worker.output()).toMatch(new RegExp(`started execution ${id} `));
  });
});
