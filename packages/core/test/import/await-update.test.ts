import { describe, expect, it } from 'vitest';
import { awaitUpdate, readErrorLog } from '../../src/import/index.ts';
import { engineOn } from '../engine/calling.ts';
import { json, type Scripted } from '../engine/scripted-host.ts';

const job = (status: string, more: object = {}) => json({ data: { id: 'job', status, ...more } });
const items = [
  { subscription_id: 'sub_a', tier: 'free' },
  { subscription_id: 'sub_b', tier: 'free' },
] as const;
function waiting(script: readonly Scripted[], options: object = {}) {
  const { host, engine } = engineOn(script, { retry: false });
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

it('measures the time to its deadline from its beginning', async () => {
  const { host, engine } = engineOn([job('processing'), job('complete')], { retry: false });
  await host.sleep(5000);
  expect(await awaitUpdate({ engine, id: 'job', deadlineMs: 5000 })).toMatchObject({ outcome: 'complete' });
});

it('matches no line of the error log without the items of the job', async () => {
  const { update } = waiting([job('complete', { error_log: ['items[0] failed'] })], { items: undefined });
  expect(await update).toMatchObject({ problems: [{ index: undefined, message: 'items[0] failed' }] });
});

it('reads every item that a line names, and logs in another form', () => {
  const given = ['sub_a', 'sub_b'];
  const found = (log: unknown) => readErrorLog(log, given).map(({ index, message }) => [index, message]);
  expect(found(['[sub_a,sub_b]'])).toEqual([
    [0, '[sub_a,sub_b]'],
    [1, '[sub_a,sub_b]'],
  ]);
  expect(found('sub_b: gone\n\nsomething happened')).toEqual([
    [1, 'sub_b: gone'],
    [undefined, 'something happened'],
  ]);
  expect(found({ sub_a: 'gone', errors: { message: 'more' } })).toEqual([
    [0, 'sub_a: gone'],
    [undefined, 'errors: more'],
  ]);
  expect(found({ items: ['sub_b: gone'] })).toEqual([[1, 'sub_b: gone']]);
  expect(found({ items: [] })).toEqual([]);
  expect(found(3)).toEqual([[undefined, '3']]);
  expect([found(undefined), found(null), found('')]).toEqual([[], [], []]);
});

it('polls half as often each time up to every 30 seconds, and gives up after ten minutes', async () => {
  const { host, update } = waiting(Array.from({ length: 40 }, () => job('processing')));
  await expect(update).rejects.toMatchObject({
    name: 'UpdatePendingError',
    id: 'job',
    message:
      'The bulk update job is still "processing" after 600 s. Read it again later, or wait longer with deadlineMs.',
  });
  expect(host.slept.slice(0, 10)).toEqual([
    1000, 1500, 2250, 3375, 5062.5, 7593.75, 11_390.625, 17_085.9375, 25_628.90625, 30_000,
  ]);
  expect(host.slept.slice(10, -1).every((ms) => ms === 30_000)).toBe(true);
  expect(host.slept.reduce((sum, ms) => sum + ms, 0)).toBe(600_000);
});

it('waits no longer than maxDelayMs before the second poll, and calls an unnamed status unknown', async () => {
  const { host, update } = waiting(
    Array.from({ length: 5 }, () => json({ data: { id: 'job' } })),
    { maxDelayMs: 400, deadlineMs: 1000 },
  );
  await expect(update).rejects.toThrow('is still "unknown" after 1 s');
  expect(host.slept).toEqual([400, 400, 200]);
});

describe('a job whose status is a word that nobody knows', () => {
  const asked = [{ subscription_id: 'sub_b', email: 'b@example.com', tier: 'premium' }] as const;
  const person = (tier: string, id = 'sub_b') =>
    json({ data: [{ id, email: 'b@example.com', status: 'active', subscription_tier: tier }], page: 1 });

  it.each(['COMPLETE', 'done', 'succeeded', 'finished'])(
    '%s has ended once its last item shows the changes',
    async (word) => {
      const { host, update } = waiting([job('processing'), job(word), person('free'), job(word), person('premium')], {
        items: asked,
      });
      expect(await update).toMatchObject({ outcome: 'complete', problems: [], update: { status: word } });
      expect(host.sent[2]?.url).toContain('email=b%40example.com');
    },
  );

  it.each(['error', 'cancelled', 'aborted'])('%s has failed after three polls, and says the word', async (word) => {
    const log = { error_log: ['subscriptions[0]: no.'] };
    const { host, update } = waiting(
      [job('queued'), person('free'), ...[1, 2, 3].flatMap(() => [job(word, log), person('free')])],
      { items: asked },
    );
    expect(await update).toMatchObject({
      outcome: 'failed',
      problems: [
        { index: 0, message: 'subscriptions[0]: no.' },
        { index: undefined, message: `The job ended with the status "${word}", and its changes were not seen.` },
      ],
    });
    expect(host.slept).toHaveLength(3);
  });

  it('is not ended by the people of another address, by changes that no record shows, or by a failed read', async () => {
    const answers = [person('premium', 'sub_z'), json({ data: [] }), json({}, { status: 500 })];
    for (const answer of answers)
      await expect(waiting([job('queued'), answer, job('failed')], { items: asked }).update).resolves.toMatchObject({
        outcome: 'failed',
      });
    const unseen = [{ subscription_id: 'sub_b', email: 'b@example.com', payments_customer_id: 'cus_1' }];
    const { update } = waiting([job('queued'), person('free'), job('complete')], { items: unseen });
    expect(await update).toMatchObject({ outcome: 'complete', update: { status: 'complete' } });
  });

  it('is waited for while its first word stays', async () => {
    const { update } = waiting(
      Array.from({ length: 9 }, () => job('queued')),
      { deadlineMs: 5000 },
    );
    await expect(update).rejects.toThrow('still "queued"');
  });
});

it('asks for the publication of the call, and stops at its signal', async () => {
  const stop = new AbortController();
  const { host, update } = waiting([job('processing'), job('complete')], {
    publicationId: 'pub_2',
    signal: stop.signal,
  });
  stop.abort(new Error('no more'));
  await expect(update).rejects.toThrow();
  expect(host.sent.length).toBeLessThan(2);
  const stopped = waiting([job('complete')], { signal: stop.signal });
  await expect(stopped.update).rejects.toThrow();
  expect(stopped.host.sent).toEqual([]);
  const other = waiting([job('complete')], { publicationId: 'pub_2' });
  expect(await other.update).toMatchObject({ outcome: 'complete', problems: [] });
  expect(other.host.sent[0]?.url).toContain('/publications/pub_2/');
});

describe('a line of an error log', () => {
  const given = ['sub_a', 'sub_b', { email: 'Ada@example.com' }, { subscription_id: 'sub_d', email: 'd@example.com' }];
  it.each<[line: unknown, index: number | undefined, message: string]>([
    ['Not found: (sub_b)', 1, 'Not found: (sub_b)'],
    ["Not found: 'sub_b'", 1, "Not found: 'sub_b'"],
    ['Not found:\tsub_b;', 1, 'Not found:\tsub_b;'],
    ['id=sub_b|gone', 1, 'id=sub_b|gone'],
    ['subscriptions/sub_b', 1, 'subscriptions/sub_b'],
    ['sub_d.', 3, 'sub_d.'],
    ['<d@example.com>', 3, '<[address]>'],
    ['items[2] failed', 2, 'items[2] failed'],
    ['subscription_ids[3] failed', 3, 'subscription_ids[3] failed'],
    ['items[02] failed', 2, 'items[02] failed'],
    ['items[4] failed', undefined, 'items[4] failed'],
    ['myitems[2] failed', undefined, 'myitems[2] failed'],
    ['items[] failed', undefined, 'items[] failed'],
    [{ index: 2, error: 'no' }, 2, 'no'],
    [{ email: 'ada@example.com', reason: 'no' }, 2, 'no'],
    ['could not update ADA@example.com.', 2, 'could not update [address].'],
    [null, undefined, 'null'],
    [{ index: 2, subscription_id: 'sub_b', reason: 'no' }, 1, 'no'],
    [{ index: 1.5, message: 'no' }, undefined, 'no'],
    [{ index: null, where: 'items[1]', message: 'no' }, 1, 'no'],
    [{ index: 'one', message: 'no' }, undefined, 'no'],
    [{ message: 'first', error: 'second', reason: 'third' }, undefined, 'first'],
    [{ error: 'second', reason: 'third' }, undefined, 'second'],
    [{ code: 7 }, undefined, '{"code":7}'],
    [{ message: { text: 'no' } }, undefined, '{"message":{"text":"no"}}'],
    [7, undefined, '7'],
  ])('%j is matched with the item %s', (line, index, message) => {
    expect(readErrorLog([line], given)).toEqual([
      { index, message, item: index === undefined ? undefined : given[index] },
    ]);
  });
});
