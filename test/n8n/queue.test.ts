/** n8n in queue mode: main polls, a worker executes, connected by Redis. */
import { expect } from 'vitest';
import { startOwnN8n, type OwnN8n } from './harness/own.ts';
import type { RunningProcess } from '../../scripts/program.ts';
import { hasRedis, startRedis } from './harness/redis.ts';
import { items, newsletterType, start } from './harness/nodes.ts';
import { test, underTest } from './harness/test.ts';
import { unscheduled, watchSubscriptions } from './harness/watching.ts';

test.override({ sandboxOptions: { seed: 'empty' } });

/** The settings of queue mode; manual runs go to the worker too. */
const settings = (port: number) => ({
  EXECUTIONS_MODE: 'queue',
  QUEUE_BULL_REDIS_HOST: '127.0.0.1',
  QUEUE_BULL_REDIS_PORT: String(port),
  OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
});

/** Runs `work` in an n8n with one worker, and cleans up. */
async function inQueueMode(work: (n8n: OwnN8n, worker: RunningProcess) => Promise<void>): Promise<void> {
  const redis = await startRedis();
  try {
    const n8n = await startOwnN8n(settings(redis.port));
    try {
      await work(n8n, await n8n.startWorker());
    } finally {
      await n8n.close();
    }
  } finally {
    await redis.stop();
  }
}

// CI must have Redis; elsewhere it is optional.
test.skipIf(!hasRedis && !process.env['CI'])(
  'polls run in main, executions and a bulk import in the worker',
  async ({ sandboxOnPort, api }) => {
    await inQueueMode(async (n8n, worker) => {
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

      for (const { id } of [...executions, run])
        expect(worker.output()).toMatch(new RegExp(`started execution ${id} `));
    });
  },
);
