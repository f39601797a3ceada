import { expect, it } from 'vitest';
import { createEngine } from '../../src/engine/index.ts';
import { awaitUpdate, readErrorLog, UpdatePendingError } from '../../src/import/index.ts';
import { json, scriptedHost } from '../engine/scripted-host.ts';

const job = (status: string, more: object = {}) => json({ data: { id: 'job', status, ...more } });
const items = [
  { subscription_id: 'sub_a', tier: 'free' },
  { subscription_id: 'sub_b', tier: 'free' },
] as const;
function waiting(script: Parameters<typeof scriptedHost>[0], options: object = {}) {
  const host = scriptedHost(script);
  const engine = createEngine({ host, baseUrl: 'http://api.test/v2', publicationId: 'pub_1', retry: false });
  return { host, update: awaitUpdate({ engine, id: 'job', items, ...options }) };
}

it.each(['complete', 'completed'])(
  'polls at growing intervals until the job is %s, and lists the items that were not applied',
  async (word) => {
    const log = ['subscriptions[1] (sub_b): There is no subscription with this id.'];
    const { host, update } = waiting(
      [job('pending'), job('processing'), job('processing'), job(word, { error_log: log })],
      { maxDelayMs: 2000 },
    );
    expect(await update).toMatchObject({
      outcome: 'complete',
      problems: [{ index: 1, item: items[1], message: log[0] }],
    });
    expect(host.slept).toEqual([1000, 1500, 2000]);
  },
);

it('reports a failed job', async () => {
  expect(await waiting([job('failed', { failure_reason: 'Nothing could be applied.' })]).update).toMatchObject({
    outcome: 'failed',
    update: { failure_reason: 'Nothing could be applied.' },
  });
});

it('stops at its deadline, not later, and says that the job continues', async () => {
  const { host, update } = waiting(
    Array.from({ length: 9 }, () => job('processing')),
    { deadlineMs: 5000 },
  );
  await expect(update).rejects.toThrow(UpdatePendingError);
  expect(host.slept.reduce((sum, ms) => sum + ms, 0)).toBe(5000);
});

it('matches the lines of an error log by index, id and address', () => {
  const given = ['sub_a', { subscription_id: 'sub_b' }, { email: 'Ada@example.com' }];
  const log = [
    'subscriptions[1]: no such field.',
    { index: 0, message: 'bad tier' },
    { subscription_id: 'sub_b', error: 'gone' },
    { email: 'ada@example.com', reason: 'unsubscribed' },
    'could not update ADA@example.com.',
    'subscription_ids[9]: out of reach',
    'something happened',
    null,
  ];
  expect(readErrorLog(log, given).map(({ index, message }) => [index, message])).toEqual([
    [1, 'subscriptions[1]: no such field.'],
    [0, 'bad tier'],
    [1, 'gone'],
    [2, 'unsubscribed'],
    [2, 'could not update [address].'],
    [undefined, 'subscription_ids[9]: out of reach'],
    [undefined, 'something happened'],
    [undefined, 'null'],
  ]);
});
