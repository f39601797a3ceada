import { expect, test } from 'vitest';
import { publicationId, type Seed } from '../../src/index.ts';
import { ask, create, errorsOf, fresh, list, noon, publicationPath, send, subscriptionsPath } from '../caller.ts';

const requestsPath = `${publicationPath}/data_privacy/deletion_requests`;
const other = 'pub_00000000-0000-4000-8000-000000000002';
const day = 86_400_000;
const seed: Seed = {
  publications: [
    {
      id: publicationId,
      name: 'A',
      tiers: [{ name: 'Gold' }],
      newsletter_lists: [{ name: 'Weekly' }],
      custom_fields: [{ display: 'City', kind: 'string' }],
      automations: [{ name: 'Welcome', trigger_events: ['api'], emails: [{ subject_line: 'One', wait: 'P30D' }] }],
      subscriptions: [
        {
          email: 'ada@example.com',
          created: 5,
          utm_source: 'launch',
          premium_tiers: ['Gold'],
          newsletter_lists: ['Weekly'],
          tags: ['x'],
          custom_fields: [{ name: 'City', value: 'Ulm' }],
        },
        { email: 'grace@example.com', referred_by: 'ada@example.com' },
      ],
    },
    { id: other, name: 'B', subscriptions: [{ email: 'ada@example.com' }] },
  ],
};

test('a deletion request is answered with its times, and completed one second after the delay', async () => {
  const sandbox = fresh({ seed });
  const { data } = await ask(sandbox, 'deletionRequests.create', requestsPath, { email: 'ADA@example.com' });
  expect(data).toEqual({
    id: expect.any(String),
    email: 'ADA@example.com',
    status: 'pending',
    source: 'public_api',
    requested_at: new Date(noon).toISOString(),
    scheduled_for_processing_at: new Date(noon + 14 * day).toISOString(),
    completed_at: null,
    created_at: new Date(noon).toISOString(),
  });
  const request = async () => (await ask(sandbox, 'deletionRequests.get', `${requestsPath}/${data.id}`)).data;
  sandbox.clock.advance(14 * day - 1);
  expect(await request()).toEqual(data);
  sandbox.clock.advance(1);
  expect(await request()).toEqual({ ...data, status: 'processing' });
  sandbox.clock.advance(999);
  expect(await request()).toEqual({ ...data, status: 'processing' });
  expect((await list(sandbox)).data[0]?.email).toBe('ada@example.com');
  sandbox.clock.advance(1);
  expect(await request()).toEqual({
    ...data,
    status: 'completed',
    completed_at: new Date(noon + 14 * day + 1000).toISOString(),
  });
  expect((await ask(sandbox, 'deletionRequests.list', requestsPath)).data).toEqual([await request()]);
});

test('redaction ends the journeys, keeps id and creation time, and leaves others as they are', async () => {
  const sandbox = fresh({ seed });
  const [automation] = (await ask(sandbox, 'automations.list', `${publicationPath}/automations`)).data;
  const journeysPath = `${publicationPath}/automations/${automation?.id}/journeys`;
  await ask(sandbox, 'journeys.enroll', journeysPath, { email: 'ada@example.com' });
  await ask(sandbox, 'journeys.enroll', journeysPath, { email: 'grace@example.com' });
  const [ada, grace] = (await list(sandbox)).data;
  await ask(sandbox, 'deletionRequests.create', requestsPath, { email: 'ada@example.com' });
  const events: unknown[] = [];
  sandbox.subscribe((event) => {
    if (event.type === 'subscription') events.push([event.change, event.publication_id, event.subscription['status']]);
  });
  sandbox.clock.advance(14 * day + 1000);
  sandbox.settle();
  expect(events).toEqual([
    ['updated', publicationId, 'inactive'],
    ['updated', other, 'inactive'],
  ]);
  expect((await ask(sandbox, 'journeys.list', journeysPath)).data).toMatchObject([
    { status: 'exited_early', completed_at: (noon + 14 * day + 1000) / 1000 },
    { status: 'in_progress', completed_at: null, email: 'grace@example.com' },
  ]);
  const ended = (await ask(sandbox, 'journeys.list', journeysPath)).data[0];
  sandbox.clock.advance(60 * day);
  expect((await ask(sandbox, 'journeys.list', journeysPath)).data[0]).toEqual(ended);
  const expand = ['newsletter_lists', 'subscription_premium_tiers', 'tags', 'referrals', 'custom_fields'];
  const after = (await list(sandbox, { 'expand[]': expand })).data;
  expect(after[0]).toMatchObject({
    id: ada?.id,
    created: 5,
    email: `redacted-${ada?.id.slice(4)}@redacted.invalid`,
    status: 'inactive',
    subscription_tier: 'free',
    subscription_premium_tiers: [],
    newsletter_list_ids: [],
    tags: [],
    custom_fields: [],
    referral_code: '',
  });
  expect(JSON.stringify(after)).not.toMatch(/ada@|Ulm|launch/i);
  expect(after[1]).toMatchObject({ ...grace });
});

test('parameters of bulk updates lose the values of the redacted item only', async () => {
  const sandbox = fresh({ seed });
  const [ada, grace] = (await list(sandbox)).data.map(({ id }) => id);
  await send(sandbox, 'PATCH', `${subscriptionsPath}/bulk_actions`, {
    subscriptions: [
      { subscription_id: ada, payments_customer_id: 'cus_1', custom_fields: [{ name: 'City', value: 'Bonn' }] },
      { subscription_id: grace, custom_fields: [{ name: 'City', value: null }] },
    ],
  });
  await send(sandbox, 'PATCH', subscriptionsPath, { subscription_ids: [ada, grace], new_status: 'active' });
  await ask(sandbox, 'deletionRequests.create', requestsPath, { email: 'ada@example.com' });
  sandbox.clock.advance('P15D');
  const { data } = await ask(sandbox, 'bulkSubscriptionUpdates.list', `${publicationPath}/bulk_subscription_updates`);
  expect(data.map(({ params }) => JSON.parse(params ?? '') as unknown)).toEqual([
    {
      subscriptions: [
        { subscription_id: ada },
        { subscription_id: grace, custom_fields: [{ name: 'City', value: null }] },
      ],
    },
    { subscription_ids: [ada, grace], new_status: 'active' },
  ]);
});

test('requests of different people are open at the same time', async () => {
  const sandbox = fresh({ seed });
  await create(sandbox, { email: 'new@example.com' });
  for (const email of ['ada@example.com', 'grace@example.com', 'new@example.com'])
    await ask(sandbox, 'deletionRequests.create', requestsPath, { email });
  sandbox.clock.advance(14 * day);
  const processing = await send(sandbox, 'POST', requestsPath, { email: 'grace@example.com' });
  expect(processing.status).toBe(409);
  sandbox.clock.advance(1000);
  expect((await ask(sandbox, 'deletionRequests.list', requestsPath)).data.map(({ status }) => status)).toEqual([
    'completed',
    'completed',
    'completed',
  ]);
});

test('a redacted address can subscribe again as a new subscriber', async () => {
  const sandbox = fresh({ seed });
  const before = (await list(sandbox)).data[0];
  await ask(sandbox, 'deletionRequests.create', requestsPath, { email: 'ada@example.com' });
  sandbox.clock.advance('P15D');
  const { data } = await create(sandbox, { email: 'ada@example.com' });
  expect(data.id).not.toBe(before?.id);
  expect((await send(sandbox, 'POST', requestsPath, { email: 'ada@example.com' })).status).toBe(201);
  expect((await ask(sandbox, 'deletionRequests.list', requestsPath)).data.map((request) => request.status)).toEqual([
    'completed',
    'pending',
  ]);
});

test('a second deletion request conflicts with an open one; an unknown address is not found', async () => {
  const sandbox = fresh({ seed });
  await ask(sandbox, 'deletionRequests.create', requestsPath, { email: 'ada@example.com' });
  const second = await send(sandbox, 'POST', `/publications/${other}/data_privacy/deletion_requests`, {
    email: 'ADA@EXAMPLE.COM',
  });
  expect([second.status, errorsOf(second)[0]?.code]).toEqual([409, 'CONFLICT']);
  expect((await send(sandbox, 'POST', requestsPath, { email: 'nobody@example.com' })).status).toBe(404);
});

test('data deletion that is not enabled answers 403 and stores no request', async () => {
  const sandbox = fresh({ seed, assumptions: { data_deletion: 'not_enabled' } });
  for (const [method, below, body] of [
    ['POST', '', { email: 'ada@example.com' }],
    ['POST', '', { email: 5 }],
    ['GET', '', undefined],
    ['GET', '/x', undefined],
  ] as const) {
    const answered = await send(sandbox, method, requestsPath + below, body);
    expect(answered.status).toBe(403);
    expect(errorsOf(answered)[0]?.code).toBe('DATA_DELETION_NOT_ENABLED');
  }
  sandbox.assumptions.set({});
  expect((await ask(sandbox, 'deletionRequests.list', requestsPath)).data).toEqual([]);
});
