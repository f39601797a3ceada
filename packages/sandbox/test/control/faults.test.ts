import { syncBuiltinESMExports } from 'node:module';
// oxlint-disable-next-line house/named-waits -- The tests replace its timers.
import timers from 'node:timers/promises';
import { expect, test } from 'vitest';
import { apiKeys, publicationId, type Fault } from '../../src/index.ts';
import { control, create, errorsOf, fresh, list, send, subscriptionsPath } from '../caller.ts';

/** The timers that `work` has waited for, in milliseconds; each runs out at once. */
async function waits(work: () => Promise<unknown>): Promise<readonly number[]> {
  const { setImmediate, setTimeout } = timers;
  const runOut: number[] = [];
  timers.setTimeout = async <Value>(ms?: number, value?: Value) => {
    await setImmediate();
    runOut.push(ms ?? 0);
    return value as Value;
  };
  syncBuiltinESMExports();
  try {
    await work();
    return [...runOut];
  } finally {
    timers.setTimeout = setTimeout;
    syncBuiltinESMExports();
  }
}

const ada = { email: 'ada@example.com' };
const subscribe = (sandbox: ReturnType<typeof fresh>, email = ada.email) =>
  send(sandbox, 'POST', subscriptionsPath, { email });

test.each([
  [409, 'conflict'],
  [418, 'i_m_a_teapot'],
  [502, 'bad_gateway'],
  [505, 'http_version_not_supported'],
  [599, 'unknown'],
])('a status fault of %i, also where the API never sends it, has the statusText %s', async (status, statusText) => {
  const sandbox = fresh();
  sandbox.faults.add({ effect: { status } });
  const answered = await send(sandbox, 'GET', subscriptionsPath);
  expect(answered).toMatchObject({ status, body: { status, statusText, errors: [{ code: 'FAULT' }] } });
});

test('a status fault answers in the error body with Retry-After, and nothing is applied', async () => {
  const sandbox = fresh();
  const set = await control(sandbox, 'POST', '/faults', {
    match: 'subscriptions.create',
    effect: { status: 503, retryAfter: 2 },
  });
  expect(set).toMatchObject({
    status: 201,
    body: { data: { id: 'fault_1', match: 'subscriptions.create', times: null, seen: 0, fired: 0 } },
  });
  const answered = await subscribe(sandbox);
  expect(answered.status).toBe(503);
  expect(answered.headers.get('retry-after')).toBe('2');
  expect(errorsOf(answered)[0]?.code).toBe('FAULT');
  expect((await list(sandbox)).data).toEqual([]);
  expect(sandbox.requests()[0]).toMatchObject({
    operation: 'subscriptions.create',
    status: 503,
    reasons: ['Fault fault_1: answered 503; the request was not carried out.'],
  });
  expect((await control(sandbox, 'GET', '/faults')).body).toMatchObject({ data: [{ seen: 1, fired: 1 }] });
});

test('the log of a request that a fault refused names nothing to change', async () => {
  const sandbox = fresh();
  sandbox.faults.add({ effect: { status: 409 } });
  await subscribe(sandbox);
  expect(sandbox.requests()[0]?.nearest?.change).toEqual([]);
});

test('an unknown path is answered and logged as without faults, and a fault for all requests meets it', async () => {
  const sandbox = fresh();
  sandbox.faults.add({ match: 'subscriptions.create', effect: { status: 503 } });
  expect((await send(sandbox, 'GET', '/nowhere?limit=5')).status).toBe(404);
  sandbox.faults.add({ effect: { status: 503 } });
  expect((await send(sandbox, 'GET', '/nowhere?limit=5')).status).toBe(503);
  const logged = sandbox.requests().map(({ status, operation, faults }) => ({ status, operation, faults }));
  expect(logged).toEqual([
    { status: 404, operation: null, faults: [] },
    { status: 503, operation: null, faults: ['fault_2'] },
  ]);
});

test.each([
  [400, 'invalid_request'],
  [401, 'invalid_client'],
  [403, 'unauthorized_client'],
  [502, 'server_error'],
  [503, 'temporarily_unavailable'],
])('a status fault of %i on an OAuth operation answers in the error body of OAuth', async (status, error) => {
  const sandbox = fresh();
  sandbox.faults.add({ match: 'oauth.refresh', effect: { status, retryAfter: 7 } });
  const answered = await sandbox.fetch('http://sandbox.test/oauth/token', {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'refresh_token' }),
  });
  expect(answered.status).toBe(status);
  expect(answered.headers.get('retry-after')).toBe('7');
  expect(await answered.json()).toMatchObject({ error });
});

test('a proxy in front of the API may answer with a page, or with nothing', async () => {
  const sandbox = fresh();
  sandbox.faults.add({ effect: { status: 502, body: 'html' }, nth: 1 });
  sandbox.faults.add({ effect: { status: 504, body: 'empty' }, nth: 2 });
  const call = () => sandbox.fetch(`http://sandbox.test/v2${subscriptionsPath}`);
  const page = await call();
  expect([page.status, page.headers.get('content-type'), await page.text()]).toEqual([
    502,
    'text/html',
    expect.stringContaining('<h1>502</h1>'),
  ]);
  const empty = await call();
  expect([empty.status, await empty.text()]).toEqual([504, '']);
});

test('a fault with nth fires at the nth matching request, once by default', async () => {
  const sandbox = fresh();
  sandbox.faults.add({ match: 'subscriptions.create', effect: { status: 500 }, nth: 2, times: 2 });
  sandbox.faults.add({ match: 'subscriptions.list', effect: { status: 500 }, nth: 2 });
  const statuses: number[] = [];
  for (let n = 1; n <= 4; n += 1)
    statuses.push((await subscribe(sandbox)).status, (await send(sandbox, 'GET', subscriptionsPath)).status);
  expect(statuses).toEqual([200, 200, 500, 500, 500, 200, 200, 200]);
});

test('a probability fires at the same requests for the same seed, at about that share of them, and elsewhere for another', async () => {
  const pattern = async (seed: number): Promise<string> => {
    const sandbox = fresh();
    sandbox.faults.add({ effect: { status: 500 }, probability: 0.3, seed });
    let hits = '';
    for (let n = 0; n < 400; n += 1) hits += (await send(sandbox, 'GET', subscriptionsPath)).status === 500 ? 'x' : '.';
    return hits;
  };
  const [one, again, other] = [await pattern(7), await pattern(7), await pattern(8)];
  expect(again).toBe(one);
  expect(other).not.toBe(one);
  const share = one.replaceAll('.', '').length / one.length;
  expect(share).toBeGreaterThan(0.22);
  expect(share).toBeLessThan(0.38);
});

test.each([
  ['*', [500, 500, 500]],
  ['subscriptions.*', [500, 500, 200]],
  ['*.list', [200, 500, 500]],
  ['customFields.list', [200, 200, 500]],
  ['GET /v2/publications/*', [200, 500, 500]],
  ['POST /v2/publications/*/subscriptions', [500, 200, 200]],
  ['GET /v2/publications/*/subscription', [200, 200, 200]],
])('%s meets the requests it says', async (match, statuses) => {
  const sandbox = fresh();
  sandbox.faults.add({ match, effect: { status: 500 } });
  const answers = [
    await subscribe(sandbox),
    await send(sandbox, 'GET', subscriptionsPath),
    await send(sandbox, 'GET', `/publications/${publicationId}/custom_fields`),
  ];
  expect(answers.map((answer) => answer.status)).toEqual(statuses);
});

test('reset: the connection breaks as fetch reports it, and nothing is applied', async () => {
  const sandbox = fresh();
  sandbox.faults.add({ effect: 'reset', nth: 1 });
  await expect(subscribe(sandbox)).rejects.toMatchObject({
    name: 'TypeError',
    message: 'fetch failed',
    cause: { code: 'ECONNRESET' },
  });
  expect((await list(sandbox)).data).toEqual([]);
});

test('lost response: the request is applied, and its answer is lost', async () => {
  const sandbox = fresh();
  sandbox.faults.add({ effect: 'lostResponse', nth: 1 });
  await expect(subscribe(sandbox)).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
  expect(sandbox.requests()[0]).toMatchObject({
    status: 200,
    reasons: [expect.stringContaining('the answer was lost'), 'Created a subscription with status validating.'],
  });
  expect((await list(sandbox)).data.map((one) => one.email)).toEqual([ada.email]);
});

test('truncate: the answer announces its whole length and ends in the middle', async () => {
  const sandbox = fresh();
  sandbox.faults.add({ effect: 'truncate', nth: 1 });
  const answer = await sandbox.fetch(`http://sandbox.test/v2${subscriptionsPath}`, {
    headers: { Authorization: `Bearer ${apiKeys.workspace}` },
  });
  expect(answer.status).toBe(200);
  expect(Number(answer.headers.get('content-length'))).toBeGreaterThan(40);
  await expect(answer.text()).rejects.toThrow('terminated');
});

test('duplicate: the request is applied twice, and the first answer is returned', async () => {
  const sandbox = fresh();
  sandbox.faults.add({ match: 'customFields.create', effect: 'duplicate' });
  const answered = await send(sandbox, 'POST', `/publications/${publicationId}/custom_fields`, {
    kind: 'string',
    display: 'City',
  });
  expect(answered.status).toBe(200);
  expect(sandbox.requests().map(({ operation, status }) => [operation, status])).toEqual([
    ['customFields.create', 200],
    ['customFields.create', 400],
  ]);
});

test('latency delays the answer; an aborted request rejects with its own reason', async () => {
  const sandbox = fresh();
  sandbox.faults.add({ effect: { latency: 60 }, times: 1 });
  expect(await waits(() => create(sandbox, ada))).toEqual([60]);
  sandbox.faults.add({ effect: { latency: 60_000 } });
  await expect(
    sandbox.fetch(`http://sandbox.test/v2${subscriptionsPath}`, { signal: AbortSignal.timeout(20) }),
  ).rejects.toMatchObject({ name: 'TimeoutError' });
});

test('delays add up before another fault decides', async () => {
  const sandbox = fresh();
  sandbox.faults.add({ effect: { latency: 20 } });
  sandbox.faults.add({ effect: { latency: 20 } });
  sandbox.faults.add({ effect: { status: 429 } });
  sandbox.faults.add({ effect: { status: 500 } });
  expect(await waits(async () => expect((await subscribe(sandbox)).status).toBe(429))).toEqual([20, 20]);
  expect(sandbox.requests()[0]?.reasons).toHaveLength(3);
});

test.each([
  [{}, '"effect" is missing'],
  [{ effect: 'explode' }, '"effect"'],
  [{ effect: { status: 200 } }, '"effect'],
  [{ effect: { latency: -1 } }, '"effect'],
  [{ effect: 'reset', match: 'subscriptions.creat' }, '"match" must be "*", an operation such as'],
  [{ effect: 'reset', nth: 0 }, '"nth" must be at least 1'],
  [{ effect: 'reset', probability: 2 }, '"probability" must be at most 1'],
  [{ effect: 'reset', nht: 2 }, '"nht" is not known'],
])('%j is refused', async (body, says) => {
  const sandbox = fresh();
  const answered = await control(sandbox, 'POST', '/faults', body);
  expect(answered.status).toBe(400);
  expect(errorsOf(answered)[0]?.message).toContain(says);
  expect(sandbox.faults.list()).toEqual([]);
});

test('faults are removed by id, all together, or by a reset', async () => {
  const sandbox = fresh();
  const ids = ['reset', 'truncate', 'duplicate'].map((effect) => sandbox.faults.add({ effect: effect as 'reset' }).id);
  expect((await control(sandbox, 'DELETE', `/faults/${ids[1]}`)).body).toEqual({ removed: 1 });
  expect((await control(sandbox, 'DELETE', `/faults/${ids[1]}`)).status).toBe(404);
  expect(sandbox.faults.list().map((fault: Fault) => fault.id)).toEqual([ids[0], ids[2]]);
  expect((await control(sandbox, 'DELETE', '/faults')).body).toEqual({ removed: 2 });
  sandbox.faults.add({ effect: 'reset' });
  sandbox.reset();
  expect((await subscribe(sandbox)).status).toBe(200);
});
