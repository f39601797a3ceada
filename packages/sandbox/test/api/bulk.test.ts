import { expect, test } from 'vitest';
import type { Sandbox } from '../../src/index.ts';
import { ask, create, errorsOf, fresh, list, publicationPath, send, subscriptionsPath } from '../caller.ts';
import { known } from './known.ts';

const bulkPath = `${publicationPath}/bulk_subscriptions`;
const actionsPath = `${subscriptionsPath}/bulk_actions`;
const updatesPath = `${publicationPath}/bulk_subscription_updates`;
const demo = () => fresh({ seed: 'demo' });
const one = async (sandbox: Sandbox, email: string) =>
  (await list(sandbox, { email, 'expand[]': ['custom_fields', 'newsletter_lists', 'subscription_premium_tiers'] }))
    .data[0];
const update = async (sandbox: Sandbox, subscriptions: readonly object[]) => {
  const { data } = await ask(sandbox, 'subscriptions.bulkUpdate', actionsPath, { subscriptions });
  sandbox.clock.advance(2000);
  return (await ask(sandbox, 'bulkSubscriptionUpdates.get', `${updatesPath}/${data.subscription_update_id}`)).data;
};

test('an import answers at once and creates subscriptions later by the clock; no operation shows it', async () => {
  const sandbox = demo();
  const answer = await ask(sandbox, 'subscriptions.bulkCreate', bulkPath, {
    subscriptions: [
      { email: 'one@example.com', utm_source: 'crm', custom_fields: [{ name: 'First Name', value: 'One' }] },
      { email: 'two@example.com', premium_tiers: ['Nope'] },
      { email: 'ZOË@example.com', reactivate_existing: true },
    ],
  });
  expect(Object.keys(answer)).toEqual(['message', 'import_id']);
  expect(await one(sandbox, 'one@example.com')).toBeUndefined();
  sandbox.clock.advance(2000);
  expect(await one(sandbox, 'one@example.com')).toMatchObject({
    utm_channel: 'import',
    utm_source: 'crm',
    custom_fields: [{ name: 'First Name', value: 'One' }],
  });
  expect(await one(sandbox, 'two@example.com')).toBeUndefined();
  expect((await one(sandbox, 'zoë@example.com'))?.status).toBe('active');
  expect((await ask(sandbox, 'bulkSubscriptionUpdates.list', updatesPath)).data).toEqual([]);
  expect((await send(sandbox, 'GET', `${updatesPath}/${answer.import_id}`)).status).toBe(404);
});

test('a bulk update is pending, processing, complete; its changes appear only when complete', async () => {
  const sandbox = demo();
  const { subscription } = await known(sandbox);
  const { data } = await ask(sandbox, 'subscriptions.bulkUpdatePut', actionsPath, {
    subscriptions: [{ subscription_id: subscription.id, unsubscribe: true }],
  });
  const job = async () =>
    (await ask(sandbox, 'bulkSubscriptionUpdates.get', `${updatesPath}/${data.subscription_update_id}`)).data;
  const first = await job();
  expect(first).toMatchObject({ type: 'bulk', status: 'pending', completed: null, error_log: [] });
  expect(JSON.parse(first.params ?? '')).toEqual({
    subscriptions: [{ subscription_id: subscription.id, unsubscribe: true }],
  });
  sandbox.clock.advance(1000);
  expect(await job()).toMatchObject({ status: 'processing' });
  expect((await one(sandbox, subscription.email))?.status).toBe('active');
  sandbox.clock.advance(1000);
  expect(await job()).toMatchObject({ status: 'complete', completed: (first.created ?? 0) + 2, failure_reason: null });
  expect((await one(sandbox, subscription.email))?.status).toBe('inactive');
});

test('an item sets tier, customer, custom fields and lists; delete removes a field', async () => {
  const sandbox = demo();
  const row = await one(sandbox, 'annie.easley@example.org');
  const tide =
    (await list(sandbox, { email: 'ada.lovelace@example.com', 'expand[]': 'newsletter_lists' })).data[0]
      ?.newsletter_list_ids ?? [];
  const done = await update(sandbox, [
    {
      subscription_id: row?.id,
      tier: 'premium',
      stripe_customer_id: 'cus_1',
      newsletter_list_ids: tide,
      custom_fields: [
        { name: 'First Name', delete: true },
        { name: 'Team size', value: 9 },
        { name: 'Nope', value: 1 },
      ],
    },
  ]);
  expect(done).toMatchObject({ status: 'complete', error_log: [expect.stringContaining('"Nope"')] });
  const after = await one(sandbox, 'annie.easley@example.org');
  expect(after).toMatchObject({ subscription_tier: 'premium', newsletter_list_ids: tide });
  expect(after?.custom_fields?.map((field) => field.name)).not.toContain('First Name');
  expect(after?.custom_fields).toContainEqual({ name: 'Team size', kind: 'integer', value: 9 });
  await update(sandbox, [
    { subscription_id: row?.id, tier: 'free', unsubscribe_newsletter_list_ids: tide.slice(0, 1) },
  ]);
  expect(await one(sandbox, 'annie.easley@example.org')).toMatchObject({
    subscription_tier: 'free',
    newsletter_list_ids: tide.slice(1),
  });
});

test('unsubscribe: false reactivates no subscription', async () => {
  const sandbox = demo();
  const zoe = await one(sandbox, 'zoë@example.com');
  await update(sandbox, [{ subscription_id: zoe?.id, unsubscribe: false }]);
  expect((await one(sandbox, 'zoë@example.com'))?.status).toBe('inactive');
});

test('a failed item is listed in error_log and changes nothing; the job fails where every item fails', async () => {
  const sandbox = demo();
  const row = await one(sandbox, 'annie.easley@example.org');
  const [weekly] = row?.newsletter_list_ids ?? [];
  const wrong = [
    { subscription_id: 'sub_00000000-0000-4000-8000-000000000009', tier: 'free' },
    { subscription_id: row?.id, unsubscribe: true, newsletter_list_ids: [weekly] },
    {
      subscription_id: row?.id,
      tier: 'premium',
      newsletter_list_ids: [weekly],
      unsubscribe_newsletter_list_ids: [weekly],
    },
    { subscription_id: row?.id, tier: 'premium', newsletter_list_ids: ['nl_list_1'] },
    { subscription_id: row?.id, tier: 'premium', complimentary_gift_id: 'comp_access_1' },
  ];
  const failed = await update(sandbox, wrong);
  expect(failed.status).toBe('failed');
  expect(failed.failure_reason).toMatch(/error_log/);
  expect(failed.error_log?.map((line) => /^subscriptions\[(\d)\]/.exec(String(line))?.[1])).toEqual([
    '0',
    '1',
    '2',
    '3',
    '4',
  ]);
  expect(await one(sandbox, 'annie.easley@example.org')).toEqual(row);
  expect(await update(sandbox, [...wrong, { subscription_id: row?.id, tier: 'premium' }])).toMatchObject({
    status: 'complete',
    failure_reason: null,
  });
  expect((await ask(sandbox, 'bulkSubscriptionUpdates.list', updatesPath)).data.map((job) => job.status)).toEqual([
    'failed',
    'complete',
  ]);
});

test('a thousand items are accepted, one more is refused', async () => {
  const sandbox = demo();
  const { subscription } = await known(sandbox);
  const items = (n: number) => ({
    subscriptions: Array.from({ length: n }, () => ({ subscription_id: subscription.id })),
  });
  expect((await send(sandbox, 'PATCH', actionsPath, items(1000))).status).toBe(200);
  const refused = await send(sandbox, 'PATCH', actionsPath, items(1001));
  expect(refused.status).toBe(400);
  expect(errorsOf(refused)[0]?.message).toContain('at most 1000');
});

test.each(['PUT', 'PATCH'])(
  'a status update by %s answers 200 without a body, and its job is of type status',
  async (method) => {
    const sandbox = demo();
    const rows = await Promise.all(
      ['ada.lovelace@example.com', 'zoë@example.com', 'typo@example.invalid'].map((email) => one(sandbox, email)),
    );
    const answered = await send(sandbox, method, subscriptionsPath, {
      subscription_ids: [...rows.map((row) => row?.id), 'sub_none'],
      new_status: 'active',
    });
    expect([answered.status, answered.body, answered.headers.get('content-type')]).toEqual([200, null, null]);
    sandbox.clock.advance(2000);
    const { data } = await ask(sandbox, 'bulkSubscriptionUpdates.list', updatesPath);
    expect(data).toMatchObject([
      {
        type: 'status',
        status: 'complete',
        error_log: [expect.stringContaining('[2]'), expect.stringContaining('[3]')],
      },
    ]);
    expect((await list(sandbox, { email: 'zoë@example.com' })).data[0]?.status).toBe('active');
    expect((await list(sandbox, { email: 'typo@example.invalid' })).data[0]?.status).toBe('invalid');
  },
);

test('a subscription whose address is still being checked is not made active by a status update', async () => {
  const sandbox = fresh();
  const { data } = await create(sandbox, { email: 'ada@example.com' });
  await send(sandbox, 'PATCH', subscriptionsPath, { subscription_ids: [data.id], new_status: 'inactive' });
  sandbox.clock.advance(2000);
  expect((await list(sandbox)).data[0]?.status).toBe('inactive');
});
