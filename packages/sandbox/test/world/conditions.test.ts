import { expect, test } from 'vitest';
import { publicationId, SeedError, type Seed } from '../../src/index.ts';
import { ask, fresh, publicationPath } from '../caller.ts';

const setsPath = `${publicationPath}/condition_sets`;
const other = 'pub_00000000-0000-4000-8000-000000000002';
const attributes = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content', 'referring_site'] as const;

const person = {
  email: 'ada@example.com',
  created: 100,
  utm_channel: 'website',
  ...Object.fromEntries(attributes.map((name) => [name, `the ${name}`])),
  premium_tiers: ['Gold'],
  newsletter_lists: ['Weekly'],
  custom_fields: [
    { name: 'City', value: '"Ulm"' },
    { name: 'Topics', value: ['boats', 'food'] },
    { name: 'Print', value: true },
  ],
} as const;

/**
 * Two publications, each with an active and an inactive subscriber who meet everything; the set belongs to the first.
 */
const seedOf = (conditions: object): Seed => {
  const content = {
    tiers: [{ name: 'Gold' }, { name: 'Silver' }],
    newsletter_lists: [{ name: 'Weekly' }, { name: 'Daily' }],
    custom_fields: [
      { display: 'City', kind: 'string' },
      { display: 'Town', kind: 'string' },
      { display: 'Topics', kind: 'list' },
      { display: 'Print', kind: 'boolean' },
    ],
    subscriptions: [person, { ...person, email: 'gone@example.com', status: 'inactive' }],
  } as const;
  return {
    publications: [
      { id: publicationId, name: 'A', ...content, condition_sets: [{ name: 'Set', conditions: conditions as never }] },
      { id: other, name: 'B', ...content },
    ],
  } as unknown as Seed;
};

async function count(conditions: object): Promise<number | null | undefined> {
  const sandbox = fresh({ seed: seedOf(conditions) });
  const { data } = await ask(sandbox, 'conditionSets.list', setsPath);
  const set = await ask(sandbox, 'conditionSets.get', `${setsPath}/${data[0]?.id}?expand[]=stats`);
  return set.data.stats?.active_subscriber_count;
}

const met: readonly object[] = [
  ...attributes.map((attribute) => ({ attribute, equals: `the ${attribute}` })),
  { attribute: 'status', equals: 'active' },
  { attribute: 'tier', in: ['free', 'premium'] },
  { attribute: 'utm_channel', equals: 'website' },
  { custom_field: 'City', equals: '"Ulm"' },
  { custom_field: 'Topics', equals: 'food' },
  { custom_field: 'Topics', equals: ['boats', 'food'] },
  { custom_field: 'Print', equals: true },
  { premium_tier: 'Gold' },
  { newsletter_list: 'Weekly' },
  { created_after: 99 },
];
const notMet: readonly object[] = [
  ...attributes.map((attribute) => ({ attribute, equals: 'the' })),
  { attribute: 'tier', equals: 'free' },
  { attribute: 'utm_channel', in: ['api', 'import'] },
  { custom_field: 'City', equals: 'Ulm' },
  { custom_field: 'Town', equals: '"Ulm"' },
  { custom_field: 'Topics', equals: 'boat' },
  { custom_field: 'Topics', equals: ['food'] },
  { custom_field: 'Print', equals: 'true' },
  { custom_field: 'Print', equals: false },
  { premium_tier: 'Silver' },
  { newsletter_list: 'Daily' },
  { created_after: 100 },
];

test.each(met)('a condition set counts a subscriber who meets %j', async (condition) => {
  expect(await count({ all: [condition] })).toBe(1);
});

test.each(notMet)('a condition set does not count a subscriber who does not meet %j', async (condition) => {
  expect(await count({ all: [condition] })).toBe(0);
});

test('all requires every condition, any requires one', async () => {
  const [yes, no] = [{ premium_tier: 'Gold' }, { newsletter_list: 'Daily' }];
  expect(await count({ all: [yes, no] })).toBe(0);
  expect(await count({ any: [no, yes] })).toBe(1);
  expect(await count({ any: [no, no] })).toBe(0);
  expect(await count({ all: [yes, yes] })).toBe(1);
});

test.each([
  { all: [] },
  { any: [] },
  { all: [{ attribute: 'email', equals: 'x' }] },
  { all: [{ attribute: 'status', in: [] }] },
  { all: [{ attribute: 'status' }] },
  { all: [{ created_after: 1.5 }] },
  { all: [{ premium_tier: 'Gold' }], any: [{ premium_tier: 'Gold' }] },
])('a seed with the conditions %j is refused', (conditions) => {
  expect(() => fresh({ seed: seedOf(conditions) })).toThrow(SeedError);
});
