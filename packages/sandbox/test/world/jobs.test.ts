import { expect, test } from 'vitest';
import { publicationId, type Sandbox, type SandboxEvent, type Seed } from '../../src/index.ts';
import { known } from '../api/known.ts';
import { control, ask, errorsOf, fresh, list, noon, publicationPath, send, subscriptionsPath } from '../caller.ts';

const seed: Seed = {
  publications: [
    {
      id: publicationId,
      name: 'P',
      tiers: [{ name: 'Gold' }],
      newsletter_lists: [{ name: 'Weekly' }],
      custom_fields: [{ display: 'City', kind: 'string' }],
      complimentary_access: [{ tier: 'Gold', duration: 1, time_unit: 'days', description: 'A day' }],
      subscriptions: [
        { email: 'ada@example.com', newsletter_lists: ['Weekly'], premium_tiers: ['Gold'] },
        { email: 'invalid@example.com', status: 'invalid' },
        { email: 'checked@example.com', status: 'validating' },
      ],
    },
  ],
};
const updatesPath = `${publicationPath}/bulk_subscription_updates`;
const idOf = async (sandbox: Sandbox, email = 'ada@example.com') => (await list(sandbox, { email })).data[0]?.id ?? '';
const unknown = 'sub_00000000-0000-4000-8000-000000000009';

async function bulk(sandbox: Sandbox, subscriptions: readonly object[]) {
  const { data } = await ask(sandbox, 'subscriptions.bulkUpdate', `${subscriptionsPath}/bulk_actions`, {
    subscriptions,
  });
  sandbox.clock.advance(2000);
  return (await ask(sandbox, 'bulkSubscriptionUpdates.get', `${updatesPath}/${data.subscription_update_id}`)).data;
}

test('the error log of a bulk update names each item and its problem', async () => {
  const sandbox = fresh({ seed });
  const subscription_id = await idOf(sandbox);
  const [weekly = ''] = (await list(sandbox, { 'expand[]': 'newsletter_lists' })).data[0]?.newsletter_list_ids ?? [];
  const noList = 'nl_list_00000000-0000-4000-8000-000000000009';
  const wrong: readonly (readonly [object, string])[] = [
    [{ subscription_id: unknown }, 'There is no subscription with this id on this publication.'],
    [
      { subscription_id, unsubscribe: true, newsletter_list_ids: [weekly] },
      '"newsletter_list_ids" cannot be combined with "unsubscribe".',
    ],
    [
      { subscription_id, newsletter_list_ids: [weekly], unsubscribe_newsletter_list_ids: [weekly] },
      'A newsletter list is in both "newsletter_list_ids" and "unsubscribe_newsletter_list_ids".',
    ],
    [
      { subscription_id, newsletter_list_ids: [noList] },
      'It contains the id of a newsletter list that this publication does not have.',
    ],
    [
      { subscription_id, unsubscribe_newsletter_list_ids: [noList] },
      'It contains the id of a newsletter list that this publication does not have.',
    ],
    [
      { subscription_id, complimentary_gift_id: 'comp_access_00000000-0000-4000-8000-000000000009' },
      '"complimentary_gift_id" is not a complimentary access of this publication.',
    ],
  ];
  const items = wrong.map(([item]) => item);
  const before = await list(sandbox, { 'expand[]': 'newsletter_lists' });
  const job = await bulk(sandbox, items);
  expect(await list(sandbox, { 'expand[]': 'newsletter_lists' })).toEqual(before);
  expect(await bulk(sandbox, [...items, { subscription_id }])).toMatchObject({
    status: 'complete',
    failure_reason: null,
    error_log: job.error_log,
  });
  expect(job).toMatchObject({ status: 'failed', failure_reason: 'No item could be applied; see error_log.' });
  expect(job.error_log).toEqual(
    wrong.map(([item, problem], index) => {
      const id = (item as { subscription_id: string }).subscription_id;
      return `subscriptions[${index}] (${id}): ${problem}`;
    }),
  );
});

test('an unsubscribe of a list without another is applied', async () => {
  const sandbox = fresh({ seed });
  const [weekly = ''] = (await list(sandbox, { 'expand[]': 'newsletter_lists' })).data[0]?.newsletter_list_ids ?? [];
  const job = await bulk(sandbox, [
    { subscription_id: await idOf(sandbox), unsubscribe: true, unsubscribe_newsletter_list_ids: [weekly] },
  ]);
  expect(job).toMatchObject({ status: 'complete', failure_reason: null, error_log: [] });
  expect((await list(sandbox, { email: 'ada@example.com', 'expand[]': 'newsletter_lists' })).data[0]).toMatchObject({
    status: 'inactive',
    newsletter_list_ids: [],
  });
});

test('an unknown custom field of an item is in the error log, and the rest of the item is applied', async () => {
  const sandbox = fresh({ seed });
  const subscription_id = await idOf(sandbox);
  const job = await bulk(sandbox, [
    {
      subscription_id,
      custom_fields: [
        { name: 'Town', value: 'x' },
        { name: 'City', value: 'Ulm' },
      ],
    },
  ]);
  expect(job).toMatchObject({
    status: 'complete',
    error_log: [
      `subscriptions[0] (${subscription_id}): Custom field "Town" does not exist on this publication; its value was dropped.`,
    ],
  });
  const city = async () =>
    (await list(sandbox, { email: 'ada@example.com', 'expand[]': 'custom_fields' })).data[0]?.custom_fields;
  expect(await city()).toMatchObject([{ name: 'City', value: 'Ulm' }]);
  await bulk(sandbox, [{ subscription_id, custom_fields: [{ name: 'City', delete: false, value: 'Bonn' }] }]);
  expect(await city()).toMatchObject([{ name: 'City', value: 'Bonn' }]);
  await bulk(sandbox, [{ subscription_id, custom_fields: [{ name: 'City', delete: true, value: 'Rom' }] }]);
  expect(await city()).toEqual([]);
});

test('an item without a tier keeps the tiers, and tier free ends them and the gifts', async () => {
  const sandbox = fresh({ seed });
  const subscription_id = await idOf(sandbox);
  const tiers = async () => (await list(sandbox)).data[0]?.subscription_premium_tier_names;
  const invalid = 'invalid@example.com';
  await bulk(sandbox, [{ subscription_id: await idOf(sandbox, invalid) }]);
  expect((await list(sandbox, { email: invalid })).data[0]?.subscription_tier).toBe('free');
  await bulk(sandbox, [{ subscription_id }]);
  expect(await tiers()).toEqual(['Gold']);
  await bulk(sandbox, [{ subscription_id, tier: 'free' }]);
  expect(await tiers()).toEqual([]);
  expect((await list(sandbox)).data[0]?.subscription_tier).toBe('free');
});

test('an item joins one newsletter list and leaves another', async () => {
  const [first] = seed.publications ?? [];
  if (!first) throw new Error('The seed has no publication.');
  const lists = [{ name: 'Weekly' }, { name: 'Daily' }];
  const subscriptions = [
    { email: 'ada@example.com', newsletter_lists: ['Weekly'] },
    { email: 'bob@example.com', newsletter_lists: ['Daily'] },
  ];
  const sandbox = fresh({ seed: { publications: [{ ...first, newsletter_lists: lists, subscriptions }] } });
  const listsOf = async (email: string) =>
    (await list(sandbox, { email, 'expand[]': 'newsletter_lists' })).data[0]?.newsletter_list_ids;
  const weekly = await listsOf('ada@example.com');
  const daily = await listsOf('bob@example.com');
  await bulk(sandbox, [
    {
      subscription_id: await idOf(sandbox),
      newsletter_list_ids: daily,
      unsubscribe_newsletter_list_ids: weekly,
    },
  ]);
  expect(await listsOf('ada@example.com')).toEqual(daily);
});

test('the payments customer of an item is stored', async () => {
  const sandbox = fresh({ seed });
  const id = await idOf(sandbox);
  const customer = async () =>
    ((await control(sandbox, 'GET', `/subscriptions/${id}`)).body as { data: { payments_customer_id: string } }).data
      .payments_customer_id;
  await bulk(sandbox, [{ subscription_id: id, payments_customer_id: 'cus_1', stripe_customer_id: 'cus_2' }]);
  expect(await customer()).toBe('cus_1');
  await bulk(sandbox, [{ subscription_id: id }]);
  expect(await customer()).toBe('cus_1');
});

test.each(['PUT', 'PATCH'])('a status update by %s has no answer; its error log names each problem', async (method) => {
  const sandbox = fresh({ seed });
  const ids = [
    await idOf(sandbox, 'invalid@example.com'),
    await idOf(sandbox, 'checked@example.com'),
    unknown,
    await idOf(sandbox),
  ];
  const answered = await send(sandbox, method, subscriptionsPath, { subscription_ids: ids, new_status: 'active' });
  expect([answered.status, answered.body, answered.headers.get('content-type')]).toEqual([200, null, null]);
  expect(sandbox.requests().at(-1)?.reasons[0]).toMatch(/^The job is [0-9a-f-]{36}\.$/);
  sandbox.clock.advance(2000);
  const { data } = await ask(sandbox, 'bulkSubscriptionUpdates.list', updatesPath);
  expect(data).toMatchObject([
    {
      type: 'status',
      status: 'complete',
      failure_reason: null,
      error_log: [
        'subscription_ids[0]: Its address is invalid, so it cannot become active.',
        'subscription_ids[1]: Its address is still being checked, so it cannot become active yet.',
        'subscription_ids[2]: There is no subscription with this id on this publication.',
      ],
    },
  ]);
});

test('a job shows when it was created, started and completed, in seconds, and changes nothing before', async () => {
  const sandbox = fresh({ seed });
  const subscriptions = [{ subscription_id: await idOf(sandbox), unsubscribe: true }];
  const { data } = await ask(sandbox, 'subscriptions.bulkUpdatePut', `${subscriptionsPath}/bulk_actions`, {
    subscriptions,
  });
  const job = async () =>
    (await ask(sandbox, 'bulkSubscriptionUpdates.get', `${updatesPath}/${data.subscription_update_id}`)).data;
  const now = noon / 1000;
  expect(await job()).toMatchObject({ status: 'pending', created: now, updated: now, completed: null });
  sandbox.clock.advance(999);
  expect(await job()).toMatchObject({ status: 'pending', updated: now });
  sandbox.clock.advance(1);
  expect(await job()).toMatchObject({ status: 'processing', created: now, updated: now + 1, completed: null });
  sandbox.clock.advance(999);
  expect(await job()).toMatchObject({ status: 'processing', params: JSON.stringify({ subscriptions }) });
  expect((await list(sandbox, { status: 'inactive' })).data).toEqual([]);
  sandbox.clock.advance(1);
  expect(await job()).toMatchObject({ status: 'complete', created: now, updated: now + 2, completed: now + 2 });
  expect((await list(sandbox, { status: 'inactive' })).data).toHaveLength(1);
});

test('an import logs each problem, creates the other subscriptions, and keeps no address', async () => {
  const sandbox = fresh({ seed });
  const imported = async (subscriptions: readonly object[]) => {
    const answer = await ask(sandbox, 'subscriptions.bulkCreate', `${publicationPath}/bulk_subscriptions`, {
      subscriptions,
    });
    expect(answer.message).toBe('The import of the subscriptions has been accepted.');
    sandbox.clock.advance(2000);
    const { data } = (await control(sandbox, 'GET', '/jobs')).body as { data: readonly Record<string, unknown>[] };
    expect(data[0]?.['id']).toBe(answer.import_id);
    return data[0];
  };
  expect(
    await imported([
      { email: 'one@example.com', custom_fields: [{ name: 'Town', value: 'x' }] },
      { email: 'two@example.com', premium_tiers: ['Tin', 'Zinc'] },
    ]),
  ).toMatchObject({
    type: 'import',
    status: 'complete',
    failure_reason: null,
    error_log: [
      'subscriptions[0]: Custom field "Town" does not exist on this publication; its value was dropped.',
      'subscriptions[1]: "premium_tiers[0]" is not a premium tier of this publication. "premium_tiers[1]" is not a premium tier of this publication.',
    ],
  });
  expect(await imported([{ email: 'two@example.com', premium_tiers: ['Tin'] }])).toMatchObject({
    status: 'failed',
    failure_reason: 'No item could be applied; see error_log.',
  });
  const { id } = sandbox.snapshots.take();
  // The parameters, which held the addresses, are an empty object.
  expect([...sandbox.snapshots.export(id)].filter((row) => row.includes('"import","{}"'))).toHaveLength(2);
});

test('each applied item is one event, and an item that changes nothing is none', async () => {
  const sandbox = fresh({ seed });
  const subscription_id = await idOf(sandbox);
  const events: SandboxEvent[] = [];
  sandbox.subscribe((event) => {
    if (event.type === 'subscription') events.push(event);
  });
  await bulk(sandbox, [{ subscription_id, tier: 'free' }, { subscription_id: unknown }]);
  expect(events).toMatchObject([{ change: 'updated', subscription: { id: subscription_id } }]);
  await send(sandbox, 'PUT', subscriptionsPath, { subscription_ids: [subscription_id], new_status: 'active' });
  sandbox.clock.advance(2000);
  sandbox.settle();
  expect(events).toHaveLength(1);
  await send(sandbox, 'PUT', subscriptionsPath, { subscription_ids: [subscription_id], new_status: 'inactive' });
  sandbox.clock.advance(2000);
  sandbox.settle();
  expect(events).toMatchObject([{}, { change: 'updated', subscription: { status: 'inactive' } }]);
});

test('an import answers at once and creates subscriptions later by the clock; no operation shows it', async () => {
  const one = async (email: string) => (await list(sandbox, { email, 'expand[]': 'custom_fields' })).data[0];
  const sandbox = fresh({ seed: 'demo' });
  const answer = await ask(sandbox, 'subscriptions.bulkCreate', `${publicationPath}/bulk_subscriptions`, {
    subscriptions: [
      { email: 'one@example.com', utm_source: 'crm', custom_fields: [{ name: 'First Name', value: 'One' }] },
      { email: 'two@example.com', premium_tiers: ['Nope'] },
      { email: 'ZOË@example.com', reactivate_existing: true },
    ],
  });
  expect(Object.keys(answer)).toEqual(['message', 'import_id']);
  expect(await one('one@example.com')).toBeUndefined();
  sandbox.clock.advance(2000);
  expect(await one('one@example.com')).toMatchObject({
    utm_channel: 'import',
    utm_source: 'crm',
    custom_fields: [{ name: 'First Name', value: 'One' }],
  });
  expect(await one('two@example.com')).toBeUndefined();
  expect((await one('zoë@example.com'))?.status).toBe('active');
  expect((await ask(sandbox, 'bulkSubscriptionUpdates.list', updatesPath)).data).toEqual([]);
  expect((await send(sandbox, 'GET', `${updatesPath}/${answer.import_id}`)).status).toBe(404);
});

test('unsubscribe: false reactivates no subscription', async () => {
  const sandbox = fresh({ seed: 'demo' });
  const subscription_id = await idOf(sandbox, 'zoë@example.com');
  await bulk(sandbox, [{ subscription_id, unsubscribe: false }]);
  expect((await list(sandbox, { email: 'zoë@example.com' })).data[0]?.status).toBe('inactive');
});

test('a thousand items are accepted, one more is refused', async () => {
  const sandbox = fresh({ seed: 'demo' });
  const { subscription } = await known(sandbox);
  const items = (n: number) => ({
    subscriptions: Array.from({ length: n }, () => ({ subscription_id: subscription.id })),
  });
  expect((await send(sandbox, 'PATCH', `${subscriptionsPath}/bulk_actions`, items(1000))).status).toBe(200);
  const refused = await send(sandbox, 'PATCH', `${subscriptionsPath}/bulk_actions`, items(1001));
  expect(refused.status).toBe(400);
  expect(errorsOf(refused)[0]?.message).toContain('at most 1000');
});
