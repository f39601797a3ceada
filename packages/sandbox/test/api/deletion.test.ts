import { expect, test } from 'vitest';
import { apiKeys, publicationId, type Seed } from '../../src/index.ts';
import { ask, create, errorsOf, fresh, list, noon, publicationPath, send, subscriptionsPath } from '../caller.ts';
import { known } from './known.ts';

const requestsPath = `${publicationPath}/data_privacy/deletion_requests`;
const other = 'pub_00000000-0000-4000-8000-000000000002';
const person = { email: 'Ada@example.com', utm_source: 'launch', created: 1000 };
const two: Seed = {
  publications: [
    {
      id: publicationId,
      name: 'A',
      custom_fields: [{ display: 'City', kind: 'string' }],
      subscriptions: [{ ...person, custom_fields: [{ name: 'City', value: 'Köln' }] }],
    },
    { id: other, name: 'B', subscriptions: [person] },
  ],
};
const expand = ['stats', 'custom_fields', 'newsletter_lists', 'subscription_premium_tiers', 'referrals', 'tags'];

test('a deletion request waits fourteen days, is processed, and then redacts the person in every publication', async () => {
  const sandbox = fresh({ seed: two });
  const before = (await list(sandbox)).data[0];
  const { data } = await ask(sandbox, 'deletionRequests.create', requestsPath, { email: 'ADA@example.com' });
  expect(data).toEqual({
    id: expect.any(String),
    email: 'ADA@example.com',
    status: 'pending',
    source: 'public_api',
    requested_at: new Date(noon).toISOString(),
    scheduled_for_processing_at: new Date(noon + 14 * 86_400_000).toISOString(),
    completed_at: null,
    created_at: new Date(noon).toISOString(),
  });
  const status = async () => (await ask(sandbox, 'deletionRequests.get', `${requestsPath}/${data.id}`)).data.status;
  sandbox.clock.advance('P13DT23H59M59S');
  expect(await status()).toBe('pending');
  expect((await list(sandbox)).data[0]).toEqual(before);
  sandbox.clock.advance(1000);
  expect(await status()).toBe('processing');
  sandbox.clock.advance(1000);
  expect(await status()).toBe('completed');
  for (const path of [subscriptionsPath, `/publications/${other}/subscriptions`]) {
    const answered = await send(sandbox, 'GET', `${path}?${expand.map((name) => `expand[]=${name}`).join('&')}`);
    expect(JSON.stringify(answered.body)).not.toMatch(/ada@|Köln|launch/i);
    expect(answered.body).toMatchObject({
      data: [
        {
          status: 'inactive',
          created: 1000,
          email: expect.stringMatching(/@redacted\.invalid$/),
          custom_fields: [],
          referral_code: '',
        },
      ],
    });
  }
  expect((await list(sandbox)).data[0]?.id).toBe(before?.id);
});

test('a redacted address can subscribe again as a new subscriber', async () => {
  const sandbox = fresh({ seed: two });
  const before = (await list(sandbox)).data[0];
  await ask(sandbox, 'deletionRequests.create', requestsPath, { email: person.email });
  sandbox.clock.advance('P15D');
  const { data } = await create(sandbox, { email: person.email });
  expect(data.id).not.toBe(before?.id);
  expect((await send(sandbox, 'POST', requestsPath, { email: person.email })).status).toBe(201);
  expect((await ask(sandbox, 'deletionRequests.list', requestsPath)).data.map((request) => request.status)).toEqual([
    'completed',
    'pending',
  ]);
});

test('redaction includes journeys, gifts and the parameters of jobs', async () => {
  const sandbox = fresh({ seed: 'demo' });
  const { subscription, automation, access } = await known(sandbox);
  await send(sandbox, 'POST', `${publicationPath}/automations/${automation}/journeys`, { email: subscription.email });
  const item = {
    subscription_id: subscription.id,
    complimentary_gift_id: access,
    custom_fields: [{ name: 'First Name', value: 'Annie Secret' }],
  };
  await send(sandbox, 'PATCH', `${subscriptionsPath}/bulk_actions`, { subscriptions: [item] });
  await ask(sandbox, 'deletionRequests.create', requestsPath, { email: subscription.email });
  sandbox.clock.advance('P15D');
  const journeys = await ask(
    sandbox,
    'journeys.list',
    `${publicationPath}/automations/${automation}/journeys?limit=100`,
  );
  expect(journeys.data.find((journey) => journey.subscription_id === subscription.id)?.email).toMatch(
    /@redacted\.invalid$/,
  );
  const jobs = await ask(sandbox, 'bulkSubscriptionUpdates.list', `${publicationPath}/bulk_subscription_updates`);
  expect(jobs.data[0]?.params).toBe(`{"subscriptions":[{"subscription_id":"${subscription.id}"}]}`);
  const [row] = (await list(sandbox, { limit: '100', status: 'inactive', 'expand[]': expand })).data.filter(
    (one) => one.id === subscription.id,
  );
  expect(row).toMatchObject({
    subscription_tier: 'free',
    subscription_premium_tiers: [],
    newsletter_list_ids: [],
    tags: [],
    custom_fields: [],
  });
});

test('a second deletion request conflicts with an open one; an unknown address is not found', async () => {
  const sandbox = fresh({ seed: two });
  await ask(sandbox, 'deletionRequests.create', requestsPath, { email: person.email });
  const second = await send(sandbox, 'POST', `/publications/${other}/data_privacy/deletion_requests`, {
    email: 'ADA@EXAMPLE.COM',
  });
  expect([second.status, errorsOf(second)[0]?.code]).toEqual([409, 'CONFLICT']);
  expect((await send(sandbox, 'POST', requestsPath, { email: 'nobody@example.com' })).status).toBe(404);
});

test.each(['GET', 'POST'])(
  'a key restricted to publications gets 403 from %s, whatever the publication',
  async (method) => {
    const sandbox = fresh({ seed: two });
    for (const path of [
      requestsPath,
      `/publications/${other}/data_privacy/deletion_requests`,
      '/publications/pub_none/data_privacy/deletion_requests',
    ]) {
      const answered = await send(sandbox, method, path, method === 'POST' ? { email: person.email } : undefined, {
        Authorization: `Bearer ${apiKeys.restricted}`,
      });
      expect(answered.status).toBe(403);
    }
  },
);
