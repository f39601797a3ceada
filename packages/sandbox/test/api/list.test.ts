import { describe, expect, test } from 'vitest';
import { customFieldKinds, subscriptionStatuses } from '@newsletter-kit/core/contract';
import { publicationId } from '../../src/index.ts';
import {
  addField,
  ask,
  create,
  customFieldsPath,
  errorsOf,
  fresh,
  list,
  publicationPath,
  search,
  send,
  subscriptionsPath,
} from '../caller.ts';

test('each status filter returns only subscriptions of that status', async () => {
  const sandbox = fresh({ seed: 'demo' });
  await create(sandbox, { email: 'just-now@example.com' });
  const all = await list(sandbox, { page: '1', status: 'all' });
  let sum = 0;
  for (const status of subscriptionStatuses) {
    const { data } = await list(sandbox, { limit: '100', status });
    expect(data.length, status).toBeGreaterThan(0);
    expect(new Set(data.map((one) => one.status))).toEqual(new Set([status]));
    sum += (await list(sandbox, { page: '1', status })).total_results ?? 0;
  }
  expect(sum).toBe(all.total_results);
});

test('tier filters by tier, premium_tiers[] and premium_tier_ids[] by any of the tiers named', async () => {
  const sandbox = fresh({ seed: 'demo' });
  const names = async (query: Record<string, string | string[]>) =>
    new Set(
      (await list(sandbox, { limit: '100', ...query })).data.map((one) => one.subscription_premium_tier_names?.join()),
    );
  expect(await names({ tier: 'free' })).toEqual(new Set(['']));
  expect(await names({ tier: 'all' })).toEqual(await names({}));
  expect(await names({ tier: 'premium' })).toEqual(new Set(['Patron', 'Supporter']));
  expect(await names({ 'premium_tiers[]': ['Patron'] })).toEqual(new Set(['Patron']));
  expect(await names({ 'premium_tiers[]': ['Patron', 'Supporter', 'None'] })).toEqual(new Set(['Patron', 'Supporter']));
  const expanded = await list(sandbox, { 'premium_tiers[]': ['Supporter'], 'expand[]': 'subscription_premium_tiers' });
  const tier = expanded.data[0]?.subscription_premium_tiers?.[0];
  expect(tier).toEqual({ id: expect.stringMatching(/^tier_/), name: 'Supporter', status: 'active' });
  expect(await names({ 'premium_tier_ids[]': [tier?.id ?? ''] })).toEqual(new Set(['Supporter']));
  expect((await list(sandbox, { 'premium_tiers[]': ['None'] })).data).toEqual([]);
});

test('creation_date selects the whole day in UTC and nothing of the adjacent days', async () => {
  const midnight = Date.UTC(2026, 10, 4);
  let now = midnight - 1000;
  const sandbox = fresh({ now: () => now });
  for (const [email, time] of [
    ['before', midnight - 1000],
    ['first', midnight],
    ['last', midnight + 86_399_000],
    ['after', midnight + 86_400_000],
  ] as const) {
    now = time;
    await create(sandbox, { email: `${email}@example.com` });
  }
  const { data } = await list(sandbox, { creation_date: '2026/11/04' });
  expect(data.map((one) => one.email)).toEqual(['first@example.com', 'last@example.com']);
});

test('an address is found in every spelling of its domain, but with no blanks around', async () => {
  const sandbox = fresh();
  await create(sandbox, { email: 'Ada@bücher.example' });
  await create(sandbox, { email: 'ada@xn--bcher-kva.example' });
  const found = async (email: string) => (await list(sandbox, { email })).data.map((one) => one.email);
  for (const email of ['ada@bücher.example', 'ADA@BÜCHER。example', 'ada@xn--bcher-kva.example'])
    expect(await found(email)).toEqual(['Ada@bücher.example']);
  for (const email of [' ada@bücher.example', 'ada@bücher.example ', '\tada@bücher.example'])
    expect(await found(email)).toEqual([]);
});

test('an expandable key is present only when expanded', async () => {
  const sandbox = fresh({ seed: 'demo' });
  const [plain] = (await list(sandbox, { email: 'ada.lovelace@example.com' })).data;
  const keys = ['subscription_premium_tiers', 'referrals', 'stats', 'custom_fields', 'newsletter_list_ids', 'tags'];
  for (const key of keys) expect(plain).not.toHaveProperty(key);
  const expand = ['subscription_premium_tiers', 'referrals', 'stats', 'custom_fields', 'newsletter_lists', 'tags'];
  const [full] = (await list(sandbox, { email: 'ada.lovelace@example.com', 'expand[]': expand })).data;
  for (const key of keys) expect(full).toHaveProperty(key);
  expect(full?.referrals?.length).toBeGreaterThan(0);
  expect(Object.keys(full?.referrals?.[0] ?? {}).toSorted()).toEqual(['email', 'id', 'status']);
  expect(full?.stats).toEqual({
    emails_received: expect.any(Number),
    open_rate: expect.any(Number),
    click_through_rate: expect.any(Number),
  });
});

test('a page has ten subscriptions, oldest first, by default', async () => {
  const sandbox = fresh({ seed: 'demo' });
  const up = await list(sandbox);
  expect(up.data).toHaveLength(10);
  expect(up).toMatchObject({ limit: 10, has_more: true, next_cursor: expect.any(String) });
  const created = up.data.map((one) => Number(one.created));
  expect(created).toEqual(created.toSorted((a, b) => a - b));
  const down = await list(sandbox, { direction: 'desc', order_by: 'created', limit: '100', page: '3' });
  expect(
    down.data
      .toReversed()
      .slice(0, 10)
      .map((one) => one.id),
  ).toEqual(up.data.map((one) => one.id));
  expect(await list(sandbox, { limit: '100', tier: 'premium' })).toMatchObject({ has_more: false, next_cursor: null });
});

test.each([
  ['one row fewer than the limit', 4, { has_more: false, next_cursor: null }],
  ['exactly as many rows as the limit', 5, { has_more: false, next_cursor: null }],
  ['one row more than the limit', 6, { has_more: true, next_cursor: expect.any(String) as string }],
])('has_more with %s', async (_name, rows, paging) => {
  const sandbox = fresh();
  for (let n = 1; n <= rows; n += 1) await create(sandbox, { email: `reader${n}@example.com` });
  const page = await list(sandbox, { limit: '5' });
  expect(page).toMatchObject(paging);
  expect(page.data).toHaveLength(Math.min(rows, 5));
});

describe('paging fields', () => {
  test('cursor answers have no totals; offset answers have no cursor, but the two warning headers', async () => {
    const sandbox = fresh({ seed: 'demo' });
    const byCursor = await send(sandbox, 'GET', `${subscriptionsPath}?limit=5`);
    expect(Object.keys(byCursor.body as object)).toEqual(['data', 'limit', 'has_more', 'next_cursor']);
    expect(byCursor.headers.get('x-pagination-warning')).toBeNull();
    const byPage = await send(sandbox, 'GET', `${subscriptionsPath}?limit=7&page=43`);
    expect(byPage.body).toMatchObject({ limit: 7, page: 43, total_results: 300, total_pages: 43 });
    expect(Object.keys(byPage.body as object)).toEqual(['data', 'limit', 'page', 'total_results', 'total_pages']);
    expect((byPage.body as { data: unknown[] }).data).toHaveLength(6);
    expect(byPage.headers.get('x-pagination-warning')).toMatch(/deprecated/);
    expect(byPage.headers.get('x-pagination-migration-guide')).toMatch(/cursor/);
  });

  test('a page after the last one is empty; totals count the filtered rows', async () => {
    const sandbox = fresh({ seed: 'demo' });
    expect(await list(sandbox, { page: '100' })).toMatchObject({ data: [], total_results: 300, total_pages: 30 });
    expect(await list(sandbox, { page: '1', status: 'needs_attention' })).toMatchObject({
      total_results: expect.any(Number),
      total_pages: 1,
    });
  });
});

test('with the assumption cursor_totals, a page by cursor counts the filtered rows of the whole list', async () => {
  const sandbox = fresh({ seed: 'demo', assumptions: { cursor_totals: 'present' } });
  const { total_results } = await list(sandbox, { page: '1', status: 'pending' });
  expect(total_results).toBeGreaterThan(1);
  const answered = await send(sandbox, 'GET', `${subscriptionsPath}?status=pending&limit=1`);
  expect(answered.body).toMatchObject({ has_more: true, total_results });
});

test('lists without cursors warn only where a page is asked for, and lists without pages are whole', async () => {
  const sandbox = fresh({ seed: 'demo' });
  const paged = `${publicationPath}/automations`;
  expect((await send(sandbox, 'GET', paged)).headers.get('x-pagination-warning')).toBeNull();
  expect((await send(sandbox, 'GET', `${paged}?page=1`)).headers.get('x-pagination-migration-guide')).toBe(
    'This list has no cursors yet. Keep using "page" until it has.',
  );
  for (const path of [
    'condition_sets',
    'custom_fields',
    'newsletter_lists',
    'tiers',
    'data_privacy/deletion_requests',
  ]) {
    const { body } = await send(sandbox, 'GET', `${publicationPath}/${path}`);
    expect({ has_more: false, next_cursor: null, page: 1, ...(body as object) }, path).toMatchObject({
      has_more: false,
      next_cursor: null,
      page: 1,
    });
  }
});

test('a cursor is accepted only as it was written, in its own list and order', async () => {
  const sandbox = fresh({ seed: 'demo' });
  const { next_cursor } = await list(sandbox, { limit: '5' });
  const written = Buffer.from(next_cursor ?? '', 'base64url').toString();
  const invalid = '"cursor" is not valid for this list. Send the "next_cursor" of an earlier answer unchanged.';
  for (const [changed, message] of [
    [written.replace(':asc:', ':asc:0'), invalid],
    [`${written} `, invalid],
    [` ${written}`, invalid],
    [written.replace(/^1:[a-z_]+:/, '1:other:'), invalid],
    [
      written.replace(':asc:', ':desc:'),
      '"cursor" belongs to direction=desc. Send the same parameters with every page.',
    ],
  ] as const) {
    const cursor = Buffer.from(changed).toString('base64url');
    const answered = await send(sandbox, 'GET', `${subscriptionsPath}?${search({ cursor })}`);
    expect(answered.status, changed).toBe(400);
    expect(errorsOf(answered).map((error) => error.message)).toEqual([message]);
  }
  const padded = await send(sandbox, 'GET', `${subscriptionsPath}?${search({ cursor: `${next_cursor}=` })}`);
  expect(errorsOf(padded).map((error) => error.message)).toEqual([invalid]);
});

test('query parameters that the operation does not know are ignored, also expand without brackets', async () => {
  const sandbox = fresh({ seed: 'demo' });
  const { data } = await list(sandbox, { expand: 'stats', 'expand[0]': 'stats', colour: 'blue', limit: '1' });
  expect(data[0]).not.toHaveProperty('stats');
});

test('custom fields are created in every kind, listed in order, and only lists have options', async () => {
  const sandbox = fresh();
  for (const kind of customFieldKinds) await addField(sandbox, kind, `Of kind ${kind}`);
  const { data, ...paging } = await ask(sandbox, 'customFields.list', customFieldsPath);
  expect(data.map((field) => field.kind)).toEqual([...customFieldKinds]);
  expect(data.filter((field) => 'options' in field).map((field) => field.kind)).toEqual(['list']);
  expect(paging).toEqual({ limit: 10, page: 1, total_results: 7, total_pages: 1 });
});

test('publications do not see each other', async () => {
  const other = 'pub_00000000-0000-4000-8000-000000000002';
  const sandbox = fresh({
    seed: {
      publications: [
        { id: publicationId, name: 'A' },
        { id: other, name: 'B', subscriptions: [{ email: 'ada@example.com' }] },
      ],
    },
  });
  await create(sandbox, { email: 'ada@example.com' });
  expect((await list(sandbox)).data).toHaveLength(1);
  expect(await ask(sandbox, 'subscriptions.list', `/publications/${other}/subscriptions?page=1`)).toMatchObject({
    total_results: 1,
  });
});
