import { expect, test } from 'vitest';
import { publicationId } from '../../src/index.ts';
import { create, fresh, list, send, subscriptionsPath } from '../caller.ts';

/** Unusual addresses that people have. */
const realAddresses = [
  ['ada+news@example.com', 'ada+news@example.com'],
  ['MARIE.Curie@Example.COM', 'MARIE.Curie@example.com'],
  ['jürgen@BÜCHER.example', 'jürgen@bücher.example'],
  ['bo@例え.example', 'bo@例え.example'],
  ["  o'brien@example.org ", "o'brien@example.org"],
  ['ольга@пример.example', 'ольга@пример.example'],
] as const;

test.each(realAddresses)(
  '%s subscribes and is found again by address, in any case of its letters',
  async (address, kept) => {
    const sandbox = fresh();
    const { data, warnings } = await create(sandbox, { email: address });
    expect(data).toMatchObject({
      email: kept,
      subscription_tier: 'free',
      subscription_premium_tier_names: [],
      utm_channel: 'api',
    });
    expect(data.id).toMatch(/^sub_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(warnings).toBeUndefined();
    expect((await list(sandbox, { email: address.trim().toUpperCase() })).data.map((one) => one.id)).toEqual([data.id]);
  },
);

test('attribution is stored unchanged: spaces, umlauts, emoji, 300 characters, quotes', async () => {
  const sandbox = fresh();
  const attribution = {
    utm_source: 'landing page',
    utm_medium: 'Straßenfest & Söhne',
    utm_campaign: 'Frühling 🌷🇩🇪👩‍🚒',
    utm_term: 'x'.repeat(300),
    utm_content: `"quoted" 'and' <b>tagged</b> \\ %20 + \u0000 \n`,
    referring_site: 'https://blog.example.org/über?a=1&b=2#c',
  };
  const { data } = await create(sandbox, { email: 'ada@example.com', ...attribution });
  expect(data).toMatchObject(attribution);
  expect((await list(sandbox)).data[0]).toMatchObject(attribution);
});

test('custom fields of all seven kinds keep the type they were sent in', async () => {
  const sandbox = fresh({ seed: 'demo' });
  const values = {
    'First Name': 'Zoë 🌊',
    'Team size': 12,
    'Wants print': false,
    Birthday: '1990-12-10',
    'Last visit': '2026-11-04T08:30:00Z',
    Topics: ['boats', 'food & drink', ''],
    'Berth length': 6.75,
  };
  const custom_fields = Object.entries(values).map(([name, value]) => ({ name, value }));
  const { warnings } = await create(sandbox, { email: 'zoe+all@example.com', custom_fields });
  expect(warnings).toBeUndefined();
  const { data } = await list(sandbox, { email: 'zoe+all@example.com', 'expand[]': ['custom_fields'] });
  expect(data[0]?.custom_fields).toEqual([
    { name: 'First Name', kind: 'string', value: 'Zoë 🌊' },
    { name: 'Team size', kind: 'integer', value: 12 },
    { name: 'Wants print', kind: 'boolean', value: false },
    { name: 'Birthday', kind: 'date', value: '1990-12-10' },
    { name: 'Last visit', kind: 'datetime', value: '2026-11-04T08:30:00Z' },
    { name: 'Topics', kind: 'list', value: ['boats', 'food & drink', ''] },
    { name: 'Berth length', kind: 'double', value: 6.75 },
  ]);
});

test('a known address returns the existing subscription, with custom fields applied and the rest unchanged', async () => {
  const sandbox = fresh({ seed: 'demo' });
  const first = await create(sandbox, {
    email: 'Ada+x@Example.com',
    utm_source: 'first',
    custom_fields: [
      { name: 'First Name', value: 'Ada' },
      { name: 'Team size', value: 3 },
      { name: 'Berth length', value: 7.5 },
    ],
  });
  sandbox.clock.advance(60_000);
  const again = await create(sandbox, {
    email: 'ada+X@EXAMPLE.COM',
    utm_source: 'second',
    custom_fields: [
      { name: 'First Name', value: 'Augusta' },
      { name: 'Team size', value: null },
      { name: 'Berth length' },
    ],
  });
  expect(again.data).toEqual({ ...first.data, status: 'active' });
  const found = await list(sandbox, { email: 'ada+x@example.com', 'expand[]': ['custom_fields'] });
  expect(found.data).toHaveLength(1);
  expect(found.data[0]?.custom_fields).toEqual([
    { name: 'First Name', kind: 'string', value: 'Augusta' },
    { name: 'Berth length', kind: 'double', value: 7.5 },
  ]);
});

const statuses = [
  { override: undefined, publicationDefault: false, email: 'a@example.com', first: 'validating', settled: 'active' },
  { override: 'not_set', publicationDefault: false, email: 'a@example.com', first: 'validating', settled: 'active' },
  { override: undefined, publicationDefault: true, email: 'a@example.com', first: 'validating', settled: 'pending' },
  { override: 'not_set', publicationDefault: true, email: 'a@example.com', first: 'validating', settled: 'pending' },
  { override: 'on', publicationDefault: false, email: 'a@example.com', first: 'validating', settled: 'pending' },
  { override: 'off', publicationDefault: true, email: 'a@example.com', first: 'active', settled: 'active' },
  { override: 'on', publicationDefault: true, email: 'a@nowhere.invalid', first: 'validating', settled: 'invalid' },
] as const;

test.each(statuses)(
  'double_opt_override $override, publication default $publicationDefault, $email: $first, then $settled',
  async ({ override, publicationDefault, email, first, settled }) => {
    const sandbox = fresh({
      seed: { publications: [{ id: publicationId, name: 'P', double_opt_in: publicationDefault }] },
    });
    const { data } = await create(sandbox, { email, ...(override && { double_opt_override: override }) });
    expect(data.status).toBe(first);
    sandbox.clock.advance(1000);
    expect((await list(sandbox)).data[0]?.status).toBe(settled);
  },
);

test('a referral code credits the subscription it belongs to', async () => {
  const sandbox = fresh();
  const { data: ada } = await create(sandbox, { email: 'ada@example.com' });
  const { data: friend } = await create(sandbox, { email: 'friend@example.com', referral_code: ada.referral_code });
  await create(sandbox, { email: 'stranger@example.com', referral_code: 'nobody' });
  const found = await list(sandbox, { 'expand[]': ['referrals'] });
  expect(found.data.map((one) => one.referrals)).toEqual([
    [{ id: friend.id, email: friend.email, status: 'validating' }],
    [],
    [],
  ]);
  expect(new Set(found.data.map((one) => one.referral_code)).size).toBe(3);
});

test('premium tiers are the union of names and ids without duplicates, and win over tier', async () => {
  const sandbox = fresh({ seed: 'demo' });
  const patron = (
    await list(sandbox, { 'premium_tiers[]': ['Patron'], 'expand[]': ['subscription_premium_tiers'], limit: '1' })
  ).data[0]?.subscription_premium_tiers?.[0];
  const { data } = await create(sandbox, {
    email: 'rich@example.com',
    tier: 'free',
    premium_tiers: ['Supporter', 'Patron'],
    premium_tier_ids: [patron?.id],
  });
  expect(data).toMatchObject({
    subscription_tier: 'premium',
    subscription_premium_tier_names: ['Patron', 'Supporter'],
  });
});

test('a subscription joins the automatic newsletter lists unless that is skipped', async () => {
  const sandbox = fresh({ seed: 'demo' });
  await create(sandbox, { email: 'one@example.com' });
  await create(sandbox, { email: 'two@example.com', skip_newsletter_list_auto_subscribe: true });
  const lists = async (email: string) =>
    (await list(sandbox, { email, 'expand[]': ['newsletter_lists'] })).data[0]?.newsletter_list_ids;
  expect(await lists('one@example.com')).toHaveLength(1);
  expect(await lists('two@example.com')).toEqual([]);
  const [weekly] = (await lists('one@example.com')) ?? [];
  await create(sandbox, {
    email: 'three@example.com',
    skip_newsletter_list_auto_subscribe: true,
    newsletter_list_ids: [weekly],
  });
  expect(await lists('three@example.com')).toEqual([weekly]);
});

test("the customer id is taken under the specification's name and under the service's", async () => {
  const sandbox = fresh();
  const id = async (body: object) => {
    const { data } = await create(sandbox, body);
    const shown = await sandbox.fetch(`http://sandbox.test/_sandbox/subscriptions/${data.id}`);
    return ((await shown.json()) as { data: { payments_customer_id: string } }).data.payments_customer_id;
  };
  expect(await id({ email: 'none@example.com' })).toBe('');
  expect(await id({ email: 'a@example.com', payments_customer_id: 'customer 1' })).toBe('customer 1');
  expect(await id({ email: 'b@example.com', stripe_customer_id: 'cus_2' })).toBe('cus_2');
  expect(await id({ email: 'c@example.com', stripe_customer_id: 'cus_3', payments_customer_id: 'customer 3' })).toBe(
    'customer 3',
  );
  expect(
    (await send(sandbox, 'POST', subscriptionsPath, { email: 'd@example.com', stripe_customer_id: 'other' })).status,
  ).toBe(400);
});
