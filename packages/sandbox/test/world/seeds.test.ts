import { customFieldKinds, publicationFieldKinds, subscriptionStatuses } from '@newsletter-kit/core/contract';
import { expect, test } from 'vitest';
import { known } from '../api/known.ts';
import { createSandbox, publicationId, SeedError, type Sandbox, type Seed } from '../../src/index.ts';
import { temporaryFile } from '../../src/store/database.ts';
import { blocks, page } from '../../../../test/support/documentation.ts';
import { ask, customFieldsPath, fresh, list, noon, publicationPath, send, subscriptionsPath } from '../caller.ts';

const year = 365 * 86_400;

async function everyone(sandbox: Sandbox) {
  const met = [];
  let cursor: string | undefined;
  for (let page = 0; page < 100; page += 1) {
    const answer = await list(sandbox, { limit: '100', ...(cursor && { cursor }) });
    met.push(...answer.data);
    cursor = answer.next_cursor ?? undefined;
    if (cursor === undefined) break;
  }
  return met;
}

test('the demo spans three years up to now, with every status and many channels', async () => {
  const subscriptions = await everyone(fresh({ seed: 'demo' }));
  expect(subscriptions.length).toBeGreaterThanOrEqual(250);
  expect(new Set(subscriptions.map((one) => one.status))).toEqual(new Set(subscriptionStatuses));
  expect(new Set(subscriptions.map((one) => one.utm_channel)).size).toBeGreaterThanOrEqual(8);
  const created = subscriptions.map((one) => Number(one.created));
  expect(created).toEqual(created.toSorted((a, b) => a - b));
  const now = noon / 1000;
  expect(created[0]).toBeGreaterThanOrEqual(now - 3 * year);
  expect(created[0]).toBeLessThan(now - 2.9 * year);
  expect(created.at(-1)).toBeGreaterThan(now - 0.1 * year);
  expect(created.at(-1)).toBeLessThanOrEqual(now);
});

// The walk over the contract reads one of everything else.
test('the demo has custom and publication fields of every kind, and somebody in its condition set', async () => {
  const sandbox = fresh({ seed: 'demo' });
  expect((await ask(sandbox, 'customFields.list', customFieldsPath)).data.map(({ kind }) => kind).toSorted()).toEqual(
    customFieldKinds.toSorted(),
  );
  const { conditionSet } = await known(sandbox);
  const path = `${publicationPath}/condition_sets/${conditionSet}?expand[]=stats`;
  expect((await ask(sandbox, 'conditionSets.get', path)).data.stats?.active_subscriber_count).toBeGreaterThan(0);
  const fields = await ask(sandbox, 'publicationFields.list', '/workspaces/publication_fields?status=all&limit=100');
  expect(new Set(fields.data.map(({ kind }) => kind))).toEqual(new Set(publicationFieldKinds));
});

test('a year later the demo has the same people, and all of it has moved along', async () => {
  const people = async (now: number) =>
    (await everyone(fresh({ seed: 'demo', now: () => now }))).map(({ id, email }) => [id, email]);
  expect(await people(noon + year * 1000)).toEqual(await people(noon));
});

test('a journey in progress of the demo continues', async () => {
  const sandbox = fresh({ seed: 'demo' });
  const [automation] = (await ask(sandbox, 'automations.list', `${publicationPath}/automations`)).data;
  const running = async () =>
    (await ask(sandbox, 'automations.get', `${publicationPath}/automations/${automation?.id}?expand[]=stats`)).data
      .stats?.journeys?.running;
  expect(await running()).toBe(2);
  sandbox.clock.advance('P14D');
  expect(await running()).toBe(0);
});

const planted = (publication: object, more: object = {}) =>
  createSandbox({
    seed: {
      publications: [{ id: publicationId, name: 'P', subscriptions: [{ email: 'ada@example.com' }], ...publication }],
      ...more,
    } as Seed,
  });

const tagged = (counts: readonly number[]) => ({
  subscriptions: counts.map((count, person) => ({
    email: `reader${person}@example.com`,
    tags: Array.from({ length: count }, (_, n) => `tag ${person * 60 + n}`),
  })),
});
const field = { name: 'city', display: 'City', kind: 'text', default_value: 'Husum' };
const fields = (...publication_fields: readonly object[]) => ({ publication_fields });
const feed = { name: 'feed', display: 'Feed', kind: 'rss_feed_url' };
const tides = {
  name: 'tides',
  display: 'Tides',
  kind: 'json',
  value_source: 'fetched',
  endpoint_url: 'https://a.example/{{city}}',
};
const key = { key: 'a', kind: 'text' };

test.each<[string, object, object, RegExp]>([
  ['101 tags', tagged([60, 41]), {}, /101 different tags; a publication can have at most 100/],
  ['a tag twice', { subscriptions: [{ email: 'a@b.example', tags: ['x', 'x'] }] }, {}, /tags.*twice/],
  ['an empty tag', { subscriptions: [{ email: 'a@b.example', tags: [''] }] }, {}, /tags/],
  ['a text field without a default', {}, fields({ ...field, default_value: null }), /default_value/],
  ['response keys on a text field', {}, fields({ ...field, response_keys: [key] }), /response_keys/],
  ['an endpoint on a static field', {}, fields({ ...field, endpoint_url: 'https://a.example' }), /endpoint_url/],
  ['a fetched field without an endpoint', {}, fields({ ...field, value_source: 'fetched' }), /endpoint_url/],
  ['a response key twice', {}, fields({ ...tides, response_keys: [key, key] }), /response_keys/],
  ['a field updated before it was created', {}, fields({ ...field, created: 20, updated: 10 }), /updated/],
  ['a field twice', {}, fields(field, { ...field, display: 'B' }), /"city" twice/],
  [
    'a journey of nobody',
    { automations: [{ name: 'A', trigger_events: ['api'], journeys: [{ email: 'bob@example.com' }] }] },
    {},
    /automations\[0\]\.journeys\[0\]\.email/,
  ],
  [
    'a wait that is none',
    { automations: [{ name: 'A', trigger_events: ['api'], emails: [{ subject_line: 'S', wait: 'soon' }] }] },
    {},
    /emails\.0\.wait.*P2D/,
  ],
  ['a trigger that is none', { automations: [{ name: 'A', trigger_events: ['magic'] }] }, {}, /trigger_events/],
  [
    'a gift of an unknown tier',
    { complimentary_access: [{ tier: 'Gold', duration: 1, time_unit: 'days', description: 'D' }] },
    {},
    /tier "Gold"/,
  ],
  [
    'a gift for nobody',
    {
      tiers: [{ name: 'Gold' }],
      complimentary_access: [
        { tier: 'Gold', duration: 1, time_unit: 'days', description: 'D', given_to: ['bob@example.com'] },
      ],
    },
    {},
    /given_to\[0\]/,
  ],
  [
    'a gift without an end',
    {
      tiers: [{ name: 'Gold' }],
      complimentary_access: [{ tier: 'Gold', duration: null, time_unit: 'days', description: 'D' }],
    },
    {},
    /needs a duration/,
  ],
  [
    'a condition that is none',
    { condition_sets: [{ name: 'S', conditions: { all: [{ shoe_size: 38 }] } }] },
    {},
    /condition_sets/,
  ],
])('a seed with %s is refused in words that name the place', (_, publication, more, says) => {
  expect(() => planted(publication, more)).toThrow(SeedError);
  expect(() => planted(publication, more)).toThrow(says);
});

test('a seed with exactly 100 tags, and with all allowed fields, is loaded', () => {
  expect(() => planted(tagged([60, 40]), fields(field, feed, tides)).close()).not.toThrow();
});

test('the seed of the documentation loads completely', async () => {
  const [written = ''] = blocks(page('sandbox/seeds'), 'json');
  const sandbox = fresh({ seed: JSON.parse(written) as Seed });
  const mine = { Authorization: 'Bearer my-key' };
  const data = async (path: string) =>
    ((await send(sandbox, 'GET', path, undefined, mine)).body as { data: Record<string, unknown>[] }).data;
  for (const name of [
    'automations',
    'authors',
    'advertisement_opportunities',
    'complimentary_access',
    'condition_sets',
    'custom_fields',
  ]) {
    expect(await data(`${publicationPath}/${name}`), name).toHaveLength(1);
  }
  expect((await data(`${subscriptionsPath}?expand[]=referrals`))[0]).toMatchObject({
    email: 'ada@example.com',
    referrals: [{ email: 'grace@example.com' }],
  });
  expect(await data('/workspaces/publication_fields')).toHaveLength(2);
  expect(
    (
      await send(sandbox, 'GET', '/workspaces/publication_fields', undefined, {
        Authorization: 'Bearer my-restricted-key',
      })
    ).status,
  ).toBe(403);
});

test('a publication is filled up to a size, spread over its age, and has full pages at any depth', async () => {
  const told: number[] = [];
  const sandbox = fresh({ seed: 'demo', seedSize: 3000, onPlanting: (n) => told.push(n) });
  expect(told.at(-1)).toBe(3000);
  expect(await list(sandbox, { page: '1' })).toMatchObject({ total_results: 3000 });
  const all = await everyone(sandbox);
  expect(new Set(all.map((one) => one.id)).size).toBe(3000);
  expect(new Set(all.map((one) => one.email)).size).toBe(3000);
  expect(all[0]?.created).toBeLessThan(noon / 1000 - 2.9 * year);
  const [first] = (await list(sandbox, { email: all[2000]?.email ?? '' })).data;
  expect(first?.id).toBe(all[2000]?.id);
  sandbox.reset();
  expect(await list(sandbox, { page: '1' })).toMatchObject({ total_results: 3000 });
  sandbox.reset('empty');
  expect(await list(sandbox, { page: '1' })).toMatchObject({ total_results: 0 });
});

test('a publication in a temporary file, as one above the limit of memory is, answers like any other', async () => {
  const sandbox = fresh({ seed: 'empty', db: temporaryFile, seedSize: 1001 });
  expect(await list(sandbox, { page: '1', status: 'all' })).toMatchObject({ total_results: 1001 });
  expect((await send(sandbox, 'POST', subscriptionsPath, { email: 'one.more@example.com' })).status).toBe(200);
  sandbox.reset('empty');
  expect(await list(sandbox, { page: '1' })).toMatchObject({ total_results: 0 });
});
