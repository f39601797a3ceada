import { expect, test } from 'vitest';
import { publicationId } from '../../src/index.ts';
import { control, create, customFieldsPath, errorsOf, fresh, send, subscriptionsPath } from '../caller.ts';

/** Fifty readers, the last to arrive first in every list. */
async function crowded() {
  const sandbox = fresh();
  for (let n = 1; n <= 50; n += 1) {
    await create(sandbox, {
      email: `Reader+${n}@example.com`,
      utm_source: n % 10 === 0 ? 'Light house' : '',
      utm_campaign: n === 7 ? 'FRÜHLING' : '',
      double_opt_override: n % 5 === 0 ? 'on' : 'off',
    });
  }
  return sandbox;
}

/** What these tests look at in answers of the control and of the API. */
interface Listed {
  readonly data: readonly {
    readonly id: string;
    readonly name: string;
    readonly email: string;
    readonly trigger_events: readonly string[];
  }[];
  readonly matching: number;
  readonly next_before: number | null;
}
const listed = (body: unknown): Listed => body as Listed;
const emails = (body: unknown): string[] => listed(body).data.map((one) => one.email);

test('a search finds parts of the address, the source and the campaign in any case of their letters, and a whole id', async () => {
  const sandbox = await crowded();
  const search = async (text: string) =>
    (await control(sandbox, 'GET', `/subscriptions?search=${encodeURIComponent(text)}`)).body;
  expect(emails(await search('+7@'))).toEqual(['Reader+7@example.com']);
  expect(emails(await search('LIGHT'))).toHaveLength(5);
  expect(emails(await search('light house '))).toHaveLength(5);
  expect(emails(await search('fr'))).toEqual(['Reader+7@example.com']);
  const { id } = (await create(sandbox, { email: 'Reader+3@example.com' })).data;
  expect(emails(await search(id))).toEqual(['Reader+3@example.com']);
  for (const harmless of ['%', '_', "'; DROP TABLE subscriptions; --", 'sub_00000000-0000-4000-8000-000000000000'])
    expect(await search(harmless)).toMatchObject({ data: [], total: 50, matching: 0 });
});

test('pages have no gap and no repetition while subscriptions are created', async () => {
  const sandbox = await crowded();
  const met: string[] = [];
  let before: number | null = null;
  for (let page = 0; page < 10 && (page === 0 || before !== null); page += 1) {
    const { body } = await control(
      sandbox,
      'GET',
      `/subscriptions?limit=8&status=active${before === null ? '' : `&before=${before}`}`,
    );
    expect(listed(body).matching).toBeGreaterThanOrEqual(40);
    met.push(...emails(body));
    before = listed(body).next_before;
    await create(sandbox, { email: `late+${page}@example.com`, double_opt_override: 'off' });
  }
  expect(before).toBeNull();
  expect(met).toEqual(
    Array.from({ length: 50 }, (_, index) => 50 - index)
      .filter((n) => n % 5 !== 0)
      .map((n) => `Reader+${n}@example.com`),
  );
});

test('one subscription is returned with all expansions and its journeys', async () => {
  const sandbox = fresh({ seed: 'demo' });
  const { data: referrer } = await create(sandbox, { email: 'ada@example.com' });
  const { data } = await create(sandbox, {
    email: 'grace@example.com',
    referral_code: referrer.referral_code,
    payments_customer_id: 'cus_1',
  });
  expect(await control(sandbox, 'GET', `/subscriptions/${data.id}`)).toMatchObject({
    status: 200,
    body: {
      data: {
        id: data.id,
        publication_id: publicationId,
        publication_name: 'The Harbour Letter',
        payments_customer_id: 'cus_1',
        referred_by: { id: referrer.id, email: 'ada@example.com' },
        custom_fields: expect.arrayContaining([{ name: 'First Name', kind: 'string', value: null }]),
        stats: {},
        journeys: [],
      },
    },
  });
  const missing = await control(sandbox, 'GET', '/subscriptions/sub_00000000-0000-4000-8000-000000000000');
  expect(missing.status).toBe(404);
  errorsOf(missing);
});

test('a journey is returned with its automation and its status', async () => {
  const sandbox = fresh({ seed: 'demo' });
  const { body } = await send(sandbox, 'GET', `/publications/${publicationId}/automations`);
  const automation = listed(body).data.find((one) => one.trigger_events.includes('api'))!;
  const { data } = await create(sandbox, {
    email: 'ada@example.com',
    automation_ids: [automation.id],
    double_opt_override: 'off',
  });
  expect((await control(sandbox, 'GET', `/subscriptions/${data.id}`)).body).toMatchObject({
    data: { journeys: [{ automation_name: automation.name, status: 'in_progress', completed: null }] },
  });
});

test.each([
  ['limit=0', '"limit" must be at least 1.'],
  ['limit=201', '"limit" must be at most 200.'],
  ['limit=x', '"limit" must be a number.'],
  ['before=-1', '"before" must be at least 1.'],
  ['status=gone', '"status" must be '],
  [`search=${'x'.repeat(301)}`, '"search" must be at most 300 characters long.'],
])('%s is refused: %s', async (query, says) => {
  const answered = await control(fresh(), 'GET', `/subscriptions?${query}`);
  expect(answered.status).toBe(400);
  expect(errorsOf(answered)[0]?.message).toContain(says);
});

test('jobs are returned with their errors, imports included', async () => {
  const sandbox = fresh();
  await send(sandbox, 'POST', `/publications/${publicationId}/bulk_subscriptions`, {
    subscriptions: [{ email: 'ada@example.com' }],
  });
  await send(sandbox, 'PATCH', `${subscriptionsPath}/bulk_actions`, {
    subscriptions: [{ subscription_id: 'sub_1', tier: 'free' }],
  });
  sandbox.clock.advance(60_000);
  const { body } = await control(sandbox, 'GET', '/jobs');
  expect(listed(body).data).toMatchObject([
    { type: 'bulk', error_log: [expect.stringContaining('sub_1')] },
    { type: 'import', status: 'complete', error_log: [], completed: expect.any(Number) },
  ]);
});

test('/connection returns the settings of a client', async () => {
  const { body } = await control(fresh(), 'GET', '/connection');
  expect(body).toMatchObject({
    base_url: 'http://sandbox.test/v2',
    app_url: 'http://sandbox.test',
    publications: [{ id: publicationId }],
    keys: [
      { key: 'sandbox-key', publications: null },
      { key: 'sandbox-key-restricted', publications: [publicationId] },
    ],
    oauth_clients: [
      { uid: 'sandbox-app', secret: 'sandbox-secret' },
      { uid: 'sandbox-public', secret: null },
    ],
  });
});

test.each([
  [{ unsubscribe: true }, { status: 'inactive' }],
  [
    { custom_fields: [{ name: 'First Name', value: 'Inez' }] },
    { status: 'active', custom_fields: [{ name: 'First Name', value: 'Inez' }] },
  ],
  [{ custom_fields: [{ name: 'First Name', delete: true }] }, { custom_fields: [{ name: 'First Name', value: null }] }],
])('the change %j applies to a subscription at once', async (change, expected) => {
  const sandbox = fresh();
  await send(sandbox, 'POST', customFieldsPath, { kind: 'string', display: 'First Name' });
  const custom_fields = [{ name: 'First Name', value: 'Ines' }];
  const { id } = (await create(sandbox, { email: 'ines@example.com', custom_fields, double_opt_override: 'off' })).data;
  const path = `/subscriptions/${id}`;
  expect(await control(sandbox, 'PUT', path, change)).toMatchObject({ status: 200, body: { data: expected } });
  expect(await control(sandbox, 'GET', path)).toMatchObject({ body: { data: expected } });
});

test.each([
  [{ custom_fields: [{ name: 'first name', value: 'Inez' }] }, 400, /There is "First Name"/],
  [{ unsubscribe: true, custom_fields: [{ name: 'Shoe', value: '38' }] }, 400, /"Shoe" does not exist/],
  [{ status: 'active' }, 400, /"status" is not known/],
  [{ unsubscribe: 'yes' }, 400, /"unsubscribe" must be/],
])('the change %j is refused, and changes nothing', async (change, status, message) => {
  const sandbox = fresh();
  await send(sandbox, 'POST', customFieldsPath, { kind: 'string', display: 'First Name' });
  const { id } = (await create(sandbox, { email: 'ines@example.com', double_opt_override: 'off' })).data;
  const answer = await control(sandbox, 'PUT', `/subscriptions/${id}`, change);
  expect(answer.status).toBe(status);
  expect(JSON.stringify(answer.body).replaceAll('\\"', '"')).toMatch(message);
  expect(await control(sandbox, 'GET', `/subscriptions/${id}`)).toMatchObject({ body: { data: { status: 'active' } } });
});
