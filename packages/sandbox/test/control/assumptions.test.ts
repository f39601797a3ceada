import { expect, test } from 'vitest';
import { type AssumptionChoice, type AssumptionId } from '../../src/index.ts';
import { clientOf, control, create, errorsOf, fresh, send, subscriptionsPath } from '../caller.ts';
import { app } from '../oauth/app.ts';

interface Listed {
  readonly data: readonly {
    readonly id: AssumptionId;
    readonly silent: string;
    readonly values: readonly string[];
    readonly default: string;
    readonly value: string;
  }[];
}
const listed = async (sandbox = fresh()) => (await control(sandbox, 'GET', '/assumptions')).body as Listed;

test('every assumption lists what is not specified, its values and the current one', async () => {
  const { data } = await listed();
  expect(data.length).toBeGreaterThan(12);
  for (const one of data) {
    expect(one.silent).toMatch(/^[A-Z"].*\.$/);
    expect(one.values.length).toBeGreaterThan(1);
    expect(one.values[0]).toBe(one.default);
    expect(one.value).toBe(one.default);
  }
});

test('setting assumptions resets the others to their default; a reset restores the initial ones', async () => {
  const sandbox = fresh({ assumptions: { last_cursor: 'absent' } });
  const inForce = async () =>
    (await listed(sandbox)).data.filter((one) => one.value !== one.default).map((one) => `${one.id}=${one.value}`);
  expect(await inForce()).toEqual(['last_cursor=absent']);
  await control(sandbox, 'PUT', '/assumptions', { created_status: 201, pagination_fields: 'nested' });
  expect(await inForce()).toEqual(['created_status=201', 'pagination_fields=nested']);
  await control(sandbox, 'PUT', '/assumptions', {});
  expect(await inForce()).toEqual([]);
  sandbox.reset();
  expect(await inForce()).toEqual(['last_cursor=absent']);
});

test.each([
  [{ pagination: 'nested' }, 'There is no assumption "pagination". The assumptions are'],
  [{ pagination_fields: 'inside' }, '"pagination_fields" must be top or nested or both.'],
  [{ pagination_fields: true }, '"pagination_fields"'],
  ['[]', 'object'],
])('%j is refused and changes nothing', async (body, says) => {
  const sandbox = fresh({ assumptions: { last_cursor: 'absent' } });
  const answered = await control(sandbox, 'PUT', '/assumptions', body);
  expect(answered.status).toBe(400);
  expect(errorsOf(answered)[0]?.message).toContain(says);
  expect((await listed(sandbox)).data.find((one) => one.id === 'last_cursor')?.value).toBe('absent');
});

/** What each value of an assumption makes of one request. */
const effects: readonly (readonly [
  AssumptionChoice,
  method: string,
  path: string,
  body: object | undefined,
  expected: object,
])[] = [
  [
    { pagination_fields: 'nested' },
    'GET',
    subscriptionsPath,
    undefined,
    { body: { data: [], pagination: { limit: 10, has_more: false, next_cursor: null } } },
  ],
  [
    { pagination_fields: 'both' },
    'GET',
    `${subscriptionsPath}?page=1`,
    undefined,
    {
      body: {
        data: [],
        limit: 10,
        page: 1,
        total_results: 0,
        total_pages: 0,
        pagination: { limit: 10, page: 1, total_results: 0, total_pages: 0 },
      },
    },
  ],
  [{ last_cursor: 'absent' }, 'GET', subscriptionsPath, undefined, { body: { data: [], limit: 10, has_more: false } }],
  [
    { cursor_totals: 'present' },
    'GET',
    subscriptionsPath,
    undefined,
    { body: { data: [], limit: 10, has_more: false, next_cursor: null, total_results: 0 } },
  ],
  [{ unknown_path: 'html' }, 'GET', '/nowhere', undefined, { status: 404, body: null }],
];

test.each(effects)('%j: %s %s', async (assumptions, method, path, body, expected) => {
  const answered = await send(fresh({ assumptions }), method, path, body);
  expect({ status: answered.status, body: answered.body }).toEqual({ status: 200, ...expected });
});

test('a new subscription may be told apart by its status, and carry an empty list of warnings', async () => {
  const sandbox = fresh({ assumptions: { created_status: '201', empty_warnings: 'list' } });
  const first = await send(sandbox, 'POST', subscriptionsPath, { email: 'ada@example.com' });
  expect(first).toMatchObject({ status: 201, body: { warnings: [] } });
  expect((await send(sandbox, 'POST', subscriptionsPath, { email: 'ada@example.com' })).status).toBe(200);
  expect(sandbox.requests().map((entry) => entry.status)).toEqual([201, 200]);
});

test('texts that were not sent may be null or missing, values unknown, and fields new', async () => {
  const sandbox = fresh();
  const read = async (assumptions: AssumptionChoice) => {
    sandbox.assumptions.set(assumptions);
    return (await send(sandbox, 'GET', subscriptionsPath)).body as { data: Record<string, unknown>[]; meta?: unknown };
  };
  await create(sandbox, { email: 'ada@example.com', utm_source: 'x' });
  expect((await read({ empty_texts: 'null' })).data[0]).toMatchObject({
    utm_source: 'x',
    utm_term: null,
    utm_channel: 'api',
  });
  expect((await read({ empty_texts: 'absent' })).data[0]).not.toHaveProperty('utm_term');
  expect((await read({ unknown_values: 'some' })).data[0]).toMatchObject({ utm_channel: 'partner_network' });
  expect(await read({ extra_fields: 'some' })).toMatchObject({
    meta: { region: 'eu' },
    data: [{ external_ref: null, labels: { beta: ['x'] } }],
  });
});

test.each([
  ['seconds', /^60$/],
  ['date', /^Wed, 04 Nov 2026 12:01:00 GMT$/],
  ['absent', null],
] as const)('a 429 says Retry-After: %s', async (retry_after, expected) => {
  const sandbox = fresh({ profile: { limit: 1, headers: false }, assumptions: { retry_after } });
  await send(sandbox, 'GET', subscriptionsPath);
  const refused = await send(sandbox, 'GET', subscriptionsPath);
  expect(refused.status).toBe(429);
  if (expected) expect(refused.headers.get('retry-after')).toMatch(expected);
  else expect(refused.headers.get('retry-after')).toBeNull();
});

/** The assumptions that these calls can meet. */
const met: readonly AssumptionId[] = [
  'pagination_fields',
  'last_cursor',
  'cursor_totals',
  'created_status',
  'empty_warnings',
  'empty_texts',
  'unknown_values',
  'extra_fields',
];

function combinations(
  table: readonly { readonly id: string; readonly values: readonly string[] }[],
): Record<string, string>[] {
  return table.reduce<Record<string, string>[]>(
    (made, { id, values }) => made.flatMap((one) => values.map((value) => ({ ...one, [id]: value }))),
    [{}],
  );
}

/** Every two values that stand in one of the combinations. */
const pairsIn = (made: readonly Readonly<Record<string, string>>[]): Set<string> =>
  new Set(
    made.flatMap((one) => {
      const values = Object.entries(one).map((entry) => entry.join('='));
      return values.flatMap((first, index) => values.slice(index + 1).map((second) => `${first} ${second}`));
    }),
  );

test('core’s client creates, lists, iterates and reads custom fields under every pair of values', async () => {
  const sandbox = fresh();
  const all = combinations((await listed(sandbox)).data.filter(({ id }) => met.includes(id)));
  // Seven has no divisor in common with the numbers of values: every seventh combination has every pair of values.
  const chosen = all.filter((_, index) => index % 7 === 0);
  expect(pairsIn(chosen)).toEqual(pairsIn(all));
  const client = clientOf(sandbox);
  const emails = ['ada@example.com', 'grace@example.com', 'linus@example.com'];
  const failures: string[] = [];
  for (const choice of chosen) {
    sandbox.reset();
    await control(sandbox, 'PUT', '/assumptions', choice);
    try {
      await client.customFields.create({ kind: 'double', display: 'Height' });
      for (const email of emails) {
        const { data } = await client.subscriptions.create({ email, custom_fields: [{ name: 'Height', value: 1.7 }] });
        expect(data.email).toBe(email);
      }
      const met: unknown[] = [];
      for await (const one of client.subscriptions.list({ limit: 2, expand: ['custom_fields'] })) met.push(one.email);
      expect(met).toEqual(emails);
      const paged: unknown[] = [];
      for await (const one of client.subscriptions.list({ limit: 2, page: 1 })) paged.push(one.email);
      expect(paged).toEqual(emails);
      const page = await client.subscriptions.list({ limit: 10 });
      expect(page.items).toHaveLength(3);
      expect(page.hasMore).toBe(false);
      expect((await client.customFields.list()).items.map((field) => field.display)).toEqual(['Height']);
    } catch (error) {
      failures.push(`${JSON.stringify(choice)}: ${String(error)}`);
    }
  }
  expect(failures).toEqual([]);
});

test.each([
  ['bulk_done', 'completed'],
  ['custom_field_deletion', '200'],
  ['deletion_times', 'seconds'],
  ['token_info', 'documented'],
  ['token_info', 'bare'],
])('core’s client gets on with %s: %s', async (id, value) => {
  const sandbox = fresh();
  await control(sandbox, 'PUT', '/assumptions', { [id]: value });
  const client = clientOf(sandbox);
  const { data: subscription } = await client.subscriptions.create({ email: 'ada@example.com' });
  const { data: field } = await client.customFields.create({ kind: 'double', display: 'Height' });
  expect(await client.customFields.delete({ id: field.id })).toBeNull();
  const { data: job } = await client.subscriptions.bulkUpdate({
    subscriptions: [{ subscription_id: subscription.id, unsubscribe: true }],
  });
  sandbox.clock.advance('PT1M');
  const { data: done } = await client.bulkSubscriptionUpdates.get({ id: String(job.subscription_update_id) });
  expect(done.status).toMatch(/^complete(d)?$/);
  expect((await client.deletionRequests.create({ email: 'ada@example.com' })).data.status).toBe('pending');
  const { access_token } = await app(sandbox, { scope: 'subscriptions:read' }).connect();
  const { scope, expires_in, expires_in_seconds } = await clientOf(sandbox, access_token).oauth.tokenInfo();
  expect([scope].flat().join(' ')).toBe('subscriptions:read');
  expect(expires_in ?? expires_in_seconds).toBe(7200);
});
