import { publicationFieldKinds } from '@newsletter-kit/core/contract';
import { expect, test } from 'vitest';
import { apiKeys, publicationId, type Seed } from '../../src/index.ts';
import { app } from '../oauth/app.ts';
import { ask, fresh, publicationPath, search, send, subscriptionsPath, type Answered } from '../caller.ts';
import { known } from './known.ts';

const demo = () => fresh({ seed: 'demo' });
const authorsPath = `${publicationPath}/authors`;
const accessPath = `${publicationPath}/complimentary_access`;
const setsPath = `${publicationPath}/condition_sets`;
const fieldsPath = '/workspaces/publication_fields';

const authors = [
  { name: 'Ada Lovelace', created: 1 },
  { name: 'ADA Byron', created: 3 },
  { name: 'Zoë  de Vries', created: 2 },
  // The first name of one is the full name of another.
  { name: 'Zoë', created: 4 },
];
const written = (publication: Partial<Seed['publications'][number]>): Seed => ({
  publications: [{ id: publicationId, name: 'P', ...publication }],
});

test.each([
  ['ada', ['Ada Lovelace', 'ADA Byron']],
  ['  ada   LOVELACE ', ['Ada Lovelace']],
  ['zoë', ['Zoë  de Vries', 'Zoë']],
  ['Lovelace', []],
  ['', []],
])('the author list filtered by "%s" takes full and first names, in any case', async (name, names) => {
  const sandbox = fresh({ seed: written({ authors }) });
  const { data, ...paging } = await ask(sandbox, 'authors.list', `${authorsPath}?${search({ name })}`);
  expect(data.map((author) => author.name)).toEqual(names);
  expect(paging).toEqual({ limit: 10, page: 1, total_results: names.length, total_pages: names.length > 0 ? 1 : 0 });
});

test.each([
  ['ada', 'Ada Lovelace'],
  ['ada byron', 'ADA Byron'],
  ['ZOË', 'Zoë'],
  ['zoë de vries', 'Zoë  de Vries'],
])('the author "%s" is %s: a full name before a first name, the oldest of several', async (wanted, name) => {
  const sandbox = fresh({ seed: written({ authors }) });
  expect((await ask(sandbox, 'authors.get', `${authorsPath}/${encodeURIComponent(wanted)}`)).data.name).toBe(name);
});

test('an author is found by UUID, also with the prefix user_ or guest_', async () => {
  const sandbox = demo();
  const { author } = await known(sandbox);
  for (const id of [author, `user_${author}`, `guest_${author}`, author.toUpperCase()]) {
    expect((await ask(sandbox, 'authors.get', `${authorsPath}/${id}`)).data.id).toBe(author);
  }
  expect((await send(sandbox, 'GET', `${authorsPath}/editor_${author}`)).status).toBe(404);
});

test('advertisement opportunities are listed completely, with their total', async () => {
  const answer = await ask(demo(), 'advertisementOpportunities.list', `${publicationPath}/advertisement_opportunities`);
  expect(Object.keys(answer)).toEqual(['data', 'total_results']);
  expect(answer.total_results).toBe(1);
  expect(Object.keys(answer.data[0] ?? {}).toSorted()).toEqual([
    'advertisement_kind',
    'advertiser_name',
    'id',
    'payout_rate',
    'send_by_window_end_at',
    'send_by_window_start_at',
  ]);
});

test('complimentary access shows its tier and counts when expanded, and pages by cursor alone', async () => {
  const sandbox = demo();
  const plain = await ask(sandbox, 'complimentaryAccess.list', accessPath);
  expect(Object.keys(plain)).toEqual(['data', 'limit', 'has_more', 'next_cursor']);
  expect(plain.data.map(({ duration, time_unit }) => [duration, time_unit])).toEqual([
    [3, 'months'],
    [null, 'forever'],
  ]);
  expect(plain.data.map((access) => Object.keys(access).toSorted())).toEqual(
    plain.data.map(() => ['description', 'duration', 'id', 'tier_id', 'time_unit']),
  );
  const full = await ask(sandbox, 'complimentaryAccess.list', `${accessPath}?expand[]=tier&expand[]=stats&limit=1`);
  expect(full.data[0]).toMatchObject({
    tier: { id: full.data[0]?.tier_id, name: 'Supporter', status: 'active' },
    stats: { total_granted: 2, active_granted: 2 },
  });
  const one = await ask(sandbox, 'complimentaryAccess.get', `${accessPath}/${full.data[0]?.id}?expand[]=tier`);
  expect(one.data.tier).toEqual(full.data[0]?.tier);
  const rest = await ask(sandbox, 'complimentaryAccess.list', `${accessPath}?cursor=${full.next_cursor}`);
  expect(rest).toMatchObject({ data: [{ id: plain.data[1]?.id }], has_more: false, next_cursor: null });
});

test('only active condition sets are listed and found', async () => {
  const sandbox = fresh({
    seed: written({
      condition_sets: [
        { name: 'Old', status: 'archived', conditions: { all: [{ attribute: 'tier', equals: 'free' }] } },
      ],
    }),
  });
  expect(await ask(sandbox, 'conditionSets.list', setsPath)).toEqual({
    data: [],
    limit: 10,
    has_more: false,
    next_cursor: null,
  });
  const sets = await ask(demo(), 'conditionSets.list', `${setsPath}?purpose=dynamic_content`);
  expect(sets.data.map((set) => [set.status, 'stats' in set])).toEqual([['active', false]]);
});

test('a condition set has no other expansion than stats: the rest is ignored, and the log says so', async () => {
  const sandbox = demo();
  const { conditionSet } = await known(sandbox);
  const { data } = await ask(sandbox, 'conditionSets.get', `${setsPath}/${conditionSet}?expand[]=people`);
  expect('stats' in data).toBe(false);
  expect(sandbox.requests().at(-1)?.reasons).toEqual([
    '"expand[]" supports only "stats" here; other values were ignored.',
  ]);
  await ask(sandbox, 'conditionSets.get', `${setsPath}/${conditionSet}?expand[]=stats`);
  expect(sandbox.requests().at(-1)?.reasons).toEqual([]);
});

test('publication fields omit archived ones by default and always have total_results', async () => {
  const sandbox = demo();
  const active = await ask(sandbox, 'publicationFields.list', `${fieldsPath}?limit=100`);
  expect(Object.keys(active)).toEqual(['data', 'limit', 'has_more', 'next_cursor', 'total_results']);
  expect(new Set(active.data.map((field) => field.kind))).toEqual(new Set(publicationFieldKinds));
  expect(active.data.every((field) => field.status === 'active')).toBe(true);
  const archived = await ask(sandbox, 'publicationFields.list', `${fieldsPath}?status=archived`);
  expect(archived).toMatchObject({ data: [{ name: 'old_motto', status: 'archived' }], limit: 10, total_results: 1 });
  const all = await send(sandbox, 'GET', `${fieldsPath}?status=all&page=2&limit=4`);
  expect(Object.keys(all.body as object)).toEqual(['data', 'limit', 'page', 'total_results', 'total_pages']);
  expect(all.body).toMatchObject({ page: 2, total_results: active.data.length + 1, total_pages: 3 });
  expect(all.headers.get('x-pagination-migration-guide')).toMatch(/cursor/);
});

test('response keys belong to json fields, an endpoint to fetched ones', async () => {
  const { data } = await ask(demo(), 'publicationFields.list', `${fieldsPath}?limit=100`);
  for (const field of data) {
    const name = String(field.name);
    expect((field.response_keys ?? []).length > 0, name).toBe(field.kind === 'json');
    expect(field.endpoint_url !== null, name).toBe(field.value_source === 'fetched');
  }
});

const second = 'pub_00000000-0000-4000-8000-000000000002';
const two: Seed = {
  publications: [
    { id: publicationId, name: 'The Harbour Letter', created: 1 },
    { id: second, name: 'The Other Letter', created: 2 },
  ],
};
const using = (token: string) => ({ Authorization: `Bearer ${token}` });
const named = (answered: Answered) => (answered.body as { data: { id: string }[] }).data.map(({ id }) => id);

test('the list of publications has all of them for the workspace key and OAuth, and only its own for a restricted key', async () => {
  const sandbox = fresh({ seed: two });
  expect(await send(sandbox, 'GET', '/publications')).toMatchObject({
    status: 200,
    body: {
      data: [
        {
          id: publicationId,
          name: 'The Harbour Letter',
          organization_name: 'Sandbox',
          referral_program_enabled: false,
          created: 1,
        },
        { id: second },
      ],
      limit: 10,
      page: 1,
      total_results: 2,
      total_pages: 1,
    },
  });
  expect(named(await send(sandbox, 'GET', '/publications?limit=1&page=2'))).toEqual([second]);
  expect(named(await send(sandbox, 'GET', '/publications', undefined, using(apiKeys.restricted)))).toEqual([
    publicationId,
  ]);
  const { access_token } = await app(sandbox, { scope: 'publications:read' }).connect();
  expect(named(await send(sandbox, 'GET', '/publications', undefined, using(access_token)))).toEqual([
    publicationId,
    second,
  ]);
});

test('under the assumption publication_list: absent there is no list of publications', async () => {
  const sandbox = fresh({ seed: two, assumptions: { publication_list: 'absent' } });
  expect((await send(sandbox, 'GET', '/publications')).status).toBe(404);
  expect((await send(sandbox, 'GET', '/publications', undefined, using('wrong'))).status).toBe(401);
});

test('publication fields show their paging at top level whatever other lists do, as the specification lists it', async () => {
  for (const pagination_fields of ['nested', 'both'] as const) {
    const sandbox = fresh({ seed: 'demo', assumptions: { pagination_fields } });
    const fields = await send(sandbox, 'GET', '/workspaces/publication_fields?limit=1');
    expect(Object.keys(fields.body as object)).toEqual(['data', 'limit', 'has_more', 'next_cursor', 'total_results']);
    const paged = await send(sandbox, 'GET', '/workspaces/publication_fields?page=1');
    expect(Object.keys(paged.body as object)).toEqual(['data', 'limit', 'page', 'total_results', 'total_pages']);
    expect((await send(sandbox, 'GET', subscriptionsPath)).body).toHaveProperty('pagination');
  }
});
