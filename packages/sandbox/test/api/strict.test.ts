/** Strictness that reveals a client's mistakes: each of these was once accepted, or answered wrongly. */
import { expect, test } from 'vitest';
import { createSandbox, publicationId, SeedError, type Seed } from '../../src/index.ts';
import { ask, create, errorsOf, fresh, list, noon, publicationPath, send, subscriptionsPath } from '../caller.ts';

test('the e-mail filter is exact, except for case: spaces are part of the value', async () => {
  const sandbox = fresh();
  await create(sandbox, { email: 'ada@example.com' });
  const found = async (email: string) => (await list(sandbox, { email })).data.length;
  expect(await Promise.all(['ada@example.com', 'ADA@Example.COM'].map(found))).toEqual([1, 1]);
  expect(await Promise.all([' ada@example.com', 'ada@example.com ', '\tada@example.com'].map(found))).toEqual([
    0, 0, 0,
  ]);
});

test('application/json is accepted with parameters and in any case', async () => {
  for (const type of ['application/json', 'Application/JSON; charset=utf-8', 'application/json ;charset="utf-8"']) {
    const body = { email: 'ada@example.com' };
    expect((await send(fresh(), 'POST', subscriptionsPath, body, { 'Content-Type': type })).status).toBe(200);
  }
});

test('a single complimentary access expands its tier, and nothing else', async () => {
  const sandbox = fresh({ seed: 'demo' });
  const path = `${publicationPath}/complimentary_access`;
  const { data } = await ask(sandbox, 'complimentaryAccess.list', `${path}?expand[]=stats`);
  const one = `${path}/${data[0]?.id}`;
  expect((await ask(sandbox, 'complimentaryAccess.get', `${one}?expand[]=tier`)).data.tier).toBeDefined();
  expect((await send(sandbox, 'GET', `${one}?expand[]=stats`)).status).toBe(400);
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

const second = {
  email: 'ada@example.com',
  utm_source: 'second',
  utm_term: 'boats',
  referring_site: 'https://second.example',
  payments_customer_id: 'cus_2',
  tier: 'premium',
  referral_code: 'nobody',
  send_welcome_email: true,
} as const;

test('under known_address=all_fields a request changes every field of a known address', async () => {
  const sandbox = fresh({ seed: 'demo', assumptions: { known_address: 'all_fields' } });
  await create(sandbox, {
    email: 'ada@example.com',
    utm_source: 'first',
    utm_medium: 'kept',
    double_opt_override: 'off',
  });
  const [automation, gift] = await Promise.all([
    ask(sandbox, 'automations.list', `${publicationPath}/automations`),
    ask(sandbox, 'complimentaryAccess.list', `${publicationPath}/complimentary_access`),
  ]);
  const open = automation.data.find((one) => one.trigger_events?.includes('api'));
  const { data, warnings } = await create(sandbox, {
    ...second,
    automation_ids: [open?.id],
    complimentary_gift_id: gift.data[0]?.id,
  });
  expect(warnings).toBeUndefined();
  expect(data).toMatchObject({
    utm_source: 'second',
    utm_medium: 'kept',
    utm_term: 'boats',
    referring_site: 'https://second.example',
    subscription_tier: 'premium',
  });
  expect(data.subscription_premium_tier_names).toHaveLength(1);
  const journeys = await ask(
    sandbox,
    'journeys.list',
    `${publicationPath}/automations/${open?.id}/journeys?status=in_progress&limit=100`,
  );
  expect(journeys.data.map((one) => one.email)).toContain('ada@example.com');
  expect(
    sandbox
      .requests()
      .find((one) => one.reasons.join(' ').includes('Ignored'))
      ?.reasons.join(' '),
  ).toContain('Ignored because they apply to new subscriptions only: referral_code, send_welcome_email.');
  expect((await create(sandbox, { email: 'ada@example.com', tier: 'free' })).data.subscription_tier).toBe('free');
});

test('data deletion that is not enabled answers 403 and stores no request', async () => {
  const sandbox = fresh({ seed: 'demo', assumptions: { data_deletion: 'not_enabled' } });
  await create(sandbox, { email: 'ada@example.com' });
  const path = `${publicationPath}/data_privacy/deletion_requests`;
  for (const [method, below, body] of [
    ['POST', '', { email: 'ada@example.com' }],
    ['POST', '', { email: 5 }],
    ['GET', '', undefined],
    ['GET', '/x', undefined],
  ] as const) {
    const answered = await send(sandbox, method, path + below, body);
    expect(answered.status).toBe(403);
    expect(errorsOf(answered)[0]?.code).toBe('DATA_DELETION_NOT_ENABLED');
  }
  sandbox.assumptions.set({});
  expect((await ask(sandbox, 'deletionRequests.list', path)).data).toEqual([]);
});

const seedOf = (publication: object, fields: readonly object[] = []) =>
  ({ publications: [{ id: publicationId, name: 'P', ...publication }], publication_fields: fields }) as unknown as Seed;
const tagged = (counts: readonly number[]) =>
  seedOf({
    subscriptions: counts.map((count, person) => ({
      email: `reader${person}@example.com`,
      tags: Array.from({ length: count }, (_, n) => `tag ${person * 60 + n}`),
    })),
  });
const field = { name: 'city', display: 'City', kind: 'text', default_value: 'Husum' };

test.each<[string, Seed, RegExp]>([
  ['101 tags', tagged([60, 41]), /101 different tags; a publication can have at most 100/],
  [
    'a tag twice on one subscription',
    seedOf({ subscriptions: [{ email: 'a@b.example', tags: ['x', 'x'] }] }),
    /tags.*twice/,
  ],
  ['an empty tag', seedOf({ subscriptions: [{ email: 'a@b.example', tags: [''] }] }), /tags/],
  ['a text field without a default', seedOf({}, [{ ...field, default_value: null }]), /default_value/],
  [
    'response keys on a text field',
    seedOf({}, [{ ...field, response_keys: [{ key: 'a', kind: 'text' }] }]),
    /response_keys/,
  ],
  ['an endpoint on a static field', seedOf({}, [{ ...field, endpoint_url: 'https://a.example' }]), /endpoint_url/],
  ['a fetched field without an endpoint', seedOf({}, [{ ...field, value_source: 'fetched' }]), /endpoint_url/],
  [
    'a response key twice',
    seedOf({}, [
      {
        ...field,
        kind: 'json',
        value_source: 'fetched',
        endpoint_url: 'https://a.example',
        response_keys: [
          { key: 'a', kind: 'text' },
          { key: 'a', kind: 'text' },
        ],
      },
    ]),
    /response_keys/,
  ],
  ['a field updated before it was created', seedOf({}, [{ ...field, created: 20, updated: 10 }]), /updated/],
])('a seed with %s is refused and told why', (_, seed, says) => {
  const start = () => createSandbox({ now: () => noon, seed });
  expect(start).toThrow(SeedError);
  expect(start).toThrow(says);
});

test('a seed with exactly 100 tags, and with all allowed fields, is loaded', () => {
  expect(() => fresh({ seed: tagged([60, 40]) })).not.toThrow();
  expect(() =>
    fresh({
      seed: seedOf({}, [
        field,
        { name: 'feed', display: 'Feed', kind: 'rss_feed_url' },
        {
          name: 'tides',
          display: 'Tides',
          kind: 'json',
          value_source: 'fetched',
          endpoint_url: 'https://a.example/{{city}}',
        },
      ]),
    }),
  ).not.toThrow();
});
