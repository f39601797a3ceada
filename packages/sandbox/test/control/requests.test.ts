import { expect, test } from 'vitest';
import { apiKeys, publicationId, type Exchange } from '../../src/index.ts';
import { createRequestLog, type Contents } from '../../src/control/request-log.ts';
import { control, customFieldsPath, fresh, send, subscriptionsPath } from '../caller.ts';

const last = (sandbox: ReturnType<typeof fresh>): Exchange => {
  const found = sandbox.exchange(sandbox.requests().at(-1)?.n ?? 0);
  if (!found) throw new Error('The log is empty.');
  return found;
};
const json = (text: string | null | undefined): unknown => JSON.parse(text ?? 'null');

test('the log keeps headers, body and answer of a request, with addresses and without the key', async () => {
  const sandbox = fresh();
  await send(sandbox, 'POST', `${subscriptionsPath}?note=linus%40example.com`, { email: 'linus@example.com' });
  const { body } = await control(sandbox, 'GET', '/requests/1');
  expect(body).toMatchObject({
    data: {
      n: 1,
      operation: 'subscriptions.create',
      status: 200,
      target: `/v2${subscriptionsPath}?note=linus%40example.com`,
      request: {
        headers: { authorization: 'Bearer [hidden]', 'content-type': 'application/json' },
        body: '{"email":"linus@example.com"}',
        cutFrom: null,
      },
      response: { headers: { 'content-type': 'application/json; charset=utf-8' }, cutFrom: null },
      faults: [],
      repeats: null,
    },
  });
  expect(json(last(sandbox).response?.body)).toMatchObject({ data: { email: 'linus@example.com' } });
  expect(JSON.stringify(body)).not.toContain(apiKeys.workspace);
  // The list, which is printed to terminals and build logs, has no address.
  expect(JSON.stringify(sandbox.requests())).not.toContain('linus');
});

test.each([
  ['without a key', {}, { Authorization: '' }, 401],
  ['to an unknown path', { path: '/nowhere' }, {}, 404],
  ['with the wrong method', { method: 'DELETE', path: customFieldsPath }, {}, 405],
])(
  'the body of a request %s is kept, although nothing read it',
  async (_, { path, method }: { path?: string; method?: string }, headers, status) => {
    const sandbox = fresh();
    await send(sandbox, method ?? 'POST', path ?? subscriptionsPath, { email: 'ada@example.com' }, headers);
    expect(last(sandbox)).toMatchObject({ status, request: { body: '{"email":"ada@example.com"}' } });
  },
);

test('a long body is truncated in the log, with its full length', async () => {
  const sandbox = fresh();
  const name = 'x'.repeat(100_000);
  await send(sandbox, 'POST', customFieldsPath, { kind: 'string', display: name });
  const { request } = last(sandbox);
  expect(request?.body).toHaveLength(65_536);
  expect(request?.cutFrom).toBe(JSON.stringify({ kind: 'string', display: name }).length);
});

test('the size of the log is limited: the oldest requests lose their contents, then their entry', () => {
  const log = createRequestLog();
  const message = { headers: { a: 'b' }, body: 'x'.repeat(1_999_998), cutFrom: null };
  const contents: Contents = { target: '/', request: message, response: message };
  const entry = { time: '', method: 'GET', path: '/', query: {}, operation: null, status: 200, milliseconds: 0 };
  const rest = { reasons: [], rule: null, faults: [], nearest: null, repeats: null };
  const held = () => log.entries().filter(({ n }) => log.exchange(n)?.request).length;
  for (let n = 1; n <= 2500; n += 1) {
    log.add({ ...entry, ...rest }, contents);
    if (n < 10 || n % 250 === 0) expect(held()).toBe(Math.min(n, 4));
  }
  expect(log.exchange(1)).toBeUndefined();
  expect(log.entries()[0]).toMatchObject({ path: '/' });
  expect(log.clear()).toBeGreaterThan(0);
  log.add({ ...entry, ...rest }, contents);
  expect([log.entries().length, held()]).toEqual([1, 1]);
});

test('the log is filtered by method, status, operation and any text', async () => {
  const sandbox = fresh();
  await send(sandbox, 'POST', subscriptionsPath, { email: 'ada@example.com' });
  await send(sandbox, 'GET', `${subscriptionsPath}?limit=500`);
  await send(sandbox, 'GET', '/nowhere');
  await send(sandbox, 'GET', `${subscriptionsPath}?email=Grace%40example.com`);
  const found = async (query: string) =>
    ((await control(sandbox, 'GET', `/requests?${query}`)).body as { data: { n: number }[] }).data.map(({ n }) => n);
  expect(await found('method=post')).toEqual([1]);
  expect(await found('status=4xx')).toEqual([2, 3]);
  expect(await found('status=404,200')).toEqual([1, 3, 4]);
  expect(await found('operation=subscriptions.*')).toEqual([1, 2, 4]);
  expect(await found('operation=subscriptions.list&status=400')).toEqual([2]);
  expect(await found('text=ADA@example')).toEqual([1]);
  expect(await found('text=grace@')).toEqual([4]);
  expect(await found('text=at+most+100')).toEqual([2]);
  expect(await found('text=NOT_FOUND')).toEqual([3]);
  expect(await found('after=2&status=200')).toEqual([4]);
  expect(sandbox.requests({ status: '404' })).toHaveLength(1);
});

test('clearing the log deletes every request; the numbering continues', async () => {
  const sandbox = fresh();
  await send(sandbox, 'GET', subscriptionsPath);
  expect(await control(sandbox, 'DELETE', '/requests')).toMatchObject({ status: 200, body: { removed: 1 } });
  expect(await control(sandbox, 'GET', '/requests/1')).toMatchObject({ status: 404 });
  await send(sandbox, 'GET', subscriptionsPath);
  expect(sandbox.requests().map(({ n }) => n)).toEqual([2]);
});

test('a request is sent again with a chosen key, and the new entry refers to the old one', async () => {
  const sandbox = fresh();
  await send(sandbox, 'POST', subscriptionsPath, { email: 'ada@example.com' }, { Authorization: '', 'X-Mine': 'yes' });
  const again = await control(sandbox, 'POST', '/requests/1/send');
  expect(again).toMatchObject({
    status: 201,
    body: { data: { n: 2, repeats: 1, status: 200, operation: 'subscriptions.create' } },
  });
  expect(last(sandbox).request).toMatchObject({
    headers: { 'x-mine': 'yes', 'content-type': 'application/json' },
    body: '{"email":"ada@example.com"}',
  });
  expect(await control(sandbox, 'POST', '/requests/2/send', { key: 'wrong' })).toMatchObject({
    body: { data: { n: 3, repeats: 2, status: 401 } },
  });
  expect(await control(sandbox, 'POST', '/requests/3/send', { key: null })).toMatchObject({
    body: { data: { n: 4, repeats: 3, status: 401 } },
  });
  expect(last(sandbox).request?.headers).not.toHaveProperty('authorization');
});

test('a repeated request that a fault breaks is logged without an answer', async () => {
  const sandbox = fresh();
  await send(sandbox, 'GET', subscriptionsPath);
  sandbox.faults.add({ effect: 'reset' });
  expect(await control(sandbox, 'POST', '/requests/1/send')).toMatchObject({
    body: { data: { status: 0, repeats: 1, faults: ['fault_1'] } },
  });
  expect(last(sandbox).response).toBeNull();
});

test('a request that was not kept completely is not sent again; the error says why', async () => {
  const sandbox = fresh();
  await send(sandbox, 'POST', customFieldsPath, { kind: 'string', display: 'x'.repeat(100_000) });
  await sandbox.fetch('http://sandbox.test/oauth/revoke', {
    method: 'POST',
    body: new URLSearchParams({ token: 'abcdefgh', client_id: 'sandbox-app', client_secret: 'sandbox-secret' }),
  });
  for (const [n, why] of [
    [1, 'too long'],
    [2, 'contained a secret'],
  ] as const)
    expect(await control(sandbox, 'POST', `/requests/${n}/send`)).toMatchObject({
      status: 409,
      body: { errors: [{ message: expect.stringContaining(why) as string, code: 'NOT_KEPT' }] },
    });
  expect(sandbox.requests()).toHaveLength(2);
});

test.each<readonly [string, string, string, unknown]>([
  ['a misspelt path and a limit', 'GET', `/publications/${publicationId}/subscribtions?limit=500`, undefined],
  ['a singular and a tier', 'POST', `/publications/${publicationId}/subscription`, { email: 'a@b.example', tier: 1 }],
  ['no publication at all', 'GET', '/subscriptions', undefined],
])('%s: the nearest valid request is one that succeeds', async (_, method, path, body) => {
  const sandbox = fresh();
  expect((await send(sandbox, method, path, body)).status).toBeGreaterThanOrEqual(400);
  const { body: shown } = await control(sandbox, 'GET', '/requests/1');
  const { nearest } = (
    shown as { data: { nearest: { example?: { method: string; target: string; body: string | null } } } }
  ).data;
  const { method: as = '', target = '', body: sent = null } = nearest.example ?? {};
  const answered = await send(sandbox, as, target, sent ?? undefined);
  expect([target, sent, answered.status, answered.status < 400 ? null : answered.body]).toEqual([
    target,
    sent,
    expect.toBeOneOf([200, 201, 202]),
    null,
  ]);
});
