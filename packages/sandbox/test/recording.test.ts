import { expect, test } from 'vitest';
import { apiKeys, consent, oauthClients, replay, type Recording, type Sandbox } from '../src/index.ts';
import { customFieldsPath, fresh, noon, publicationPath, send, subscriptionsPath } from './caller.ts';
import { control } from './control/control.ts';

const { uid: client_id, secret: client_secret } = oauthClients.confidential;
const redirect_uri = 'http://localhost/callback';

/** A session of some of everything. */
async function session(sandbox: Sandbox): Promise<void> {
  await send(sandbox, 'POST', subscriptionsPath, { email: 'ada@example.com', double_opt_override: 'on' });
  await control(sandbox, 'POST', '/clock', { advance: 'PT1M' });
  await send(sandbox, 'GET', `${subscriptionsPath}?email=ada%40example.com`);
  await send(sandbox, 'GET', `${subscriptionsPath}?limit=500`);
  await control(sandbox, 'POST', '/faults', { match: 'customFields.*', effect: 'truncate', times: 1 });
  await send(sandbox, 'GET', customFieldsPath).catch(() => undefined);
  await control(sandbox, 'POST', '/faults', { match: 'authors.*', effect: 'reset', times: 1 });
  await send(sandbox, 'GET', `${publicationPath}/authors`).catch(() => undefined);
  await control(sandbox, 'PUT', '/profile', { limit: 3 });
  for (let n = 0; n < 5; n += 1) await send(sandbox, 'GET', subscriptionsPath);
  sandbox.clock.advance('P14D');
  await send(sandbox, 'GET', subscriptionsPath);
  await control(sandbox, 'POST', '/reset', { seed: 'demo' });
  await send(sandbox, 'GET', `${subscriptionsPath}?limit=100`);
}

const parsed = (recording: Recording): Recording => JSON.parse(JSON.stringify(recording)) as Recording;

test.each([
  ['with a clock that stands', { now: () => noon }],
  ['with real time', { now: Date.now }],
  ['from another idSeed', { idSeed: 7, seed: 'demo' as const }],
  ['under other assumptions', { assumptions: { pagination_fields: 'nested', created_status: '201' } as const }],
])('a session %s is answered the same when it is replayed', async (_, options) => {
  const sandbox = fresh(options);
  const recording = sandbox.record();
  await session(sandbox);
  const recorded = parsed(recording());
  expect(recorded.log._sandbox.snapshot).toBeNull();
  expect(recorded.log.entries.map(({ response }) => response.status)).toEqual(expect.arrayContaining([0, 400, 429]));
  expect(await replay(recorded)).toEqual({ requests: recorded.log.entries.length, differences: [] });
});

test('a recording that begins later contains the state as a snapshot', async () => {
  const sandbox = fresh({ now: Date.now });
  await send(sandbox, 'POST', subscriptionsPath, { email: 'first@example.com' });
  sandbox.clock.advance('P1D');
  sandbox.faults.add({ match: 'customFields.*', effect: { status: 503 } });
  sandbox.rateLimit.use({ limit: 1000, retryAfter: true });
  const recording = sandbox.record();
  await send(sandbox, 'GET', customFieldsPath);
  await session(sandbox);
  const recorded = parsed(recording());
  expect(recorded.log._sandbox.snapshot?.join('')).toContain('first@example.com');
  expect(recorded.log.entries[0]?.response.status).toBe(503);
  expect(await replay(recorded)).toMatchObject({ differences: [] });
});

test('requests are recorded in the order in which they were handled, each at that time', async () => {
  const sandbox = fresh();
  const recording = sandbox.record();
  const rest = Promise.withResolvers<void>();
  const bytes = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(bytes.encode('{"email":"slow@'));
      await rest.promise;
      controller.enqueue(bytes.encode('example.com"}'));
      controller.close();
    },
  });
  const slow = sandbox.fetch(`http://sandbox.test/v2${subscriptionsPath}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${apiKeys.workspace}`, 'Content-Type': 'application/json' },
    body,
    duplex: 'half',
  });
  await send(sandbox, 'POST', subscriptionsPath, { email: 'fast@example.com' });
  sandbox.clock.advance('PT1H');
  rest.resolve();
  expect((await slow).ok).toBe(true);
  const recorded = parsed(recording());
  expect(
    recorded.log.entries.map(({ startedDateTime, request }) => [
      startedDateTime,
      JSON.parse(request.postData?.text ?? '') as unknown,
    ]),
  ).toEqual([
    [new Date(noon).toISOString(), { email: 'fast@example.com' }],
    [new Date(noon + 3_600_000).toISOString(), { email: 'slow@example.com' }],
  ]);
  expect(await replay(recorded)).toMatchObject({ differences: [] });
});

test('OAuth is replayed with its codes and tokens', async () => {
  const sandbox = fresh();
  const recording = sandbox.record();
  const asked = new URLSearchParams({
    client_id,
    redirect_uri,
    response_type: 'code',
    scope: 'subscriptions:read',
    state: 's3cret-state',
  });
  const callback = await consent(sandbox.fetch, `http://sandbox.test/oauth/authorize?${asked.toString()}`);
  const answer = await sandbox.fetch('http://sandbox.test/oauth/token', {
    method: 'POST',
    headers: {
      Authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`,
      Cookie: 'other=app',
    },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: callback.searchParams.get('code') ?? '',
      redirect_uri,
    }),
  });
  const { access_token } = (await answer.json()) as { access_token: string };
  const list = await send(sandbox, 'GET', subscriptionsPath, undefined, { Authorization: `Bearer ${access_token}` });
  expect(list.status).toBe(200);
  const recorded = parsed(recording());
  expect(JSON.stringify(recorded)).not.toMatch(/s3cret-state|other=app/);
  expect(await replay(recorded)).toMatchObject({ differences: [] });
});

test('custom keys and secrets are replaced everywhere, and the replay gives the same answers', async () => {
  const sandbox = fresh({
    seed: {
      publications: [{ id: publicationPath.split('/')[2] ?? '', name: 'Mine' }],
      keys: [{ key: 'live-key-8842' }],
      oauth_clients: [{ uid: 'mine', name: 'Mine', secret: 'hush-hush-1', redirect_uris: [redirect_uri] }],
    },
  });
  const recording = sandbox.record();
  const key = { Authorization: 'Bearer live-key-8842' };
  expect((await send(sandbox, 'GET', subscriptionsPath, undefined, key)).status).toBe(200);
  await send(sandbox, 'GET', subscriptionsPath, undefined, { Authorization: 'Bearer of-another-service' });
  await sandbox.fetch('http://sandbox.test/oauth/revoke', {
    method: 'POST',
    body: new URLSearchParams({ token: 'some-token', client_id: 'mine', client_secret: 'hush-hush-1' }),
  });
  const recorded = parsed(recording());
  expect(JSON.stringify(recorded)).not.toMatch(/live-key-8842|hush-hush-1|of-another-service|some-token/);
  expect(recorded.log.entries.map(({ response }) => response.status)).toEqual([200, 401, 200]);
  expect(await replay(recorded)).toMatchObject({ differences: [] });
});

test('requests that arrive together are replayed in the order in which they were handled', async () => {
  const sandbox = fresh({ now: Date.now });
  const recording = sandbox.record();
  await Promise.all(
    Array.from({ length: 40 }, (_, n) => send(sandbox, 'POST', subscriptionsPath, { email: `reader${n}@example.com` })),
  );
  await send(sandbox, 'GET', `${subscriptionsPath}?limit=100`);
  expect(await replay(parsed(recording()))).toEqual({ requests: 41, differences: [] });
});

test('a difference is reported with its path', async () => {
  const sandbox = fresh();
  const recording = sandbox.record();
  await send(sandbox, 'POST', subscriptionsPath, { email: 'ada@example.com' });
  await send(sandbox, 'GET', subscriptionsPath, undefined, { Authorization: `Bearer ${apiKeys.restricted}` });
  const recorded = parsed(recording());
  const changed = JSON.parse(
    JSON.stringify(recorded).replace(String.raw`\"status\":\"validating\"`, String.raw`\"status\":\"active\"`),
  ) as Recording;
  expect((await replay(changed)).differences).toEqual([
    {
      n: 1,
      request: `POST /v2${subscriptionsPath}`,
      at: 'body.data.status',
      recorded: 'active',
      answered: 'validating',
    },
  ]);
  expect((await replay(recorded, { assumptions: { created_status: '201' } })).differences).toEqual([
    { n: 1, request: `POST /v2${subscriptionsPath}`, at: 'status', recorded: 200, answered: 201 },
  ]);
});

test.each([
  ['nothing', null, /not a recording/],
  [
    'another HAR',
    { log: { version: '1.2', creator: { name: 'Firefox', version: '1' }, entries: [] } },
    /lacks the state .*--record FILE/,
  ],
  ['another object', { log: { version: '1.1' } }, /"log\.version" is not valid/],
])('%s is refused with a sentence that says what to do', async (_, value, says) => {
  await expect(replay(value)).rejects.toThrow(says);
});
