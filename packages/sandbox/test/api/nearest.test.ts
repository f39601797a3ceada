import { expect, test } from 'vitest';
import { publicationId } from '../../src/index.ts';
import { customFieldsPath, fresh, send, subscriptionsPath } from '../caller.ts';

const subscriptions = 'GET /v2/publications/{publicationId}/subscriptions';
const creation = 'POST /v2/publications/{publicationId}/subscriptions';
const to = (path: string) => ({ field: 'path', to: path });

const mistakes: readonly (readonly [
  what: string,
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string>,
  request: string,
  change: readonly object[],
])[] = [
  [
    'a limit beyond 100',
    'GET',
    `${subscriptionsPath}?limit=500`,
    undefined,
    {},
    subscriptions,
    [{ field: 'limit', to: 100 }],
  ],
  [
    'an order that is not there',
    'GET',
    `${subscriptionsPath}?direction=up`,
    undefined,
    {},
    subscriptions,
    [{ field: 'direction', to: 'asc' }],
  ],
  ['a missing address', 'POST', subscriptionsPath, {}, {}, creation, [{ field: 'email', to: 'reader@example.com' }]],
  [
    'what is no address',
    'POST',
    subscriptionsPath,
    { email: 'ada' },
    {},
    creation,
    [{ field: 'email', to: 'reader@example.com' }],
  ],
  [
    'two mistakes at once',
    'POST',
    subscriptionsPath,
    { email: 'a@b.example', tier: 'gold', send_welcome_email: 'yes' },
    {},
    creation,
    [
      { field: 'send_welcome_email', to: true },
      { field: 'tier', to: 'free' },
    ],
  ],
  [
    'a kind there is not',
    'POST',
    customFieldsPath,
    { display: 'City', kind: 'text' },
    {},
    'POST /v2/publications/{publicationId}/custom_fields',
    [{ field: 'kind', to: 'string' }],
  ],
  [
    'a misspelt path',
    'GET',
    `/publications/${publicationId}/subscribtions`,
    undefined,
    {},
    subscriptions,
    [to(subscriptions.slice(4))],
  ],
  [
    'a singular',
    'POST',
    `/publications/${publicationId}/subscription`,
    { email: 'a@b.example' },
    {},
    creation,
    [to(creation.slice(5))],
  ],
  [
    'a hyphen for an underscore',
    'GET',
    `/publications/${publicationId}/custom-fields`,
    undefined,
    {},
    'GET /v2/publications/{publicationId}/custom_fields',
    [to('/v2/publications/{publicationId}/custom_fields')],
  ],
  ['no publication at all', 'GET', '/subscriptions', undefined, {}, subscriptions, [to(subscriptions.slice(4))]],
  [
    'a method the path does not take',
    'DELETE',
    customFieldsPath,
    undefined,
    {},
    'POST /v2/publications/{publicationId}/custom_fields',
    [{ field: 'method', to: 'POST' }],
  ],
  [
    'no token',
    'GET',
    subscriptionsPath,
    undefined,
    { Authorization: '' },
    subscriptions,
    [{ field: 'Authorization', to: 'Bearer <API key or access token>' }],
  ],
];

test.each(mistakes)(
  '%s: the log names the nearest valid request and what to change',
  async (_what, method, path, body, headers, request, change) => {
    const sandbox = fresh();
    const { status } = await send(sandbox, method, path, body, headers);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(sandbox.requests().at(-1)?.nearest).toEqual({ request, change });
  },
);

test('a successful or rate-limited request has no nearest request', async () => {
  const sandbox = fresh({ profile: { limit: 1 } });
  await send(sandbox, 'GET', subscriptionsPath);
  await send(sandbox, 'GET', subscriptionsPath);
  expect(sandbox.requests().map(({ status, rule, nearest }) => ({ status, rule, nearest }))).toEqual([
    { status: 200, rule: null, nearest: null },
    { status: 429, rule: 'RATE_LIMIT_EXCEEDED', nearest: null },
  ]);
});

test('the nearest request contains no sent value: no address, no token', async () => {
  const sandbox = fresh();
  await send(
    sandbox,
    'POST',
    subscriptionsPath,
    { email: 'secret@example.com', tier: 'secret@example.com', utm_source: 3 },
    { Authorization: 'Bearer sandbox-key' },
  );
  await send(sandbox, 'GET', '/secret@example.com/x', undefined, { Authorization: 'Bearer secret-token' });
  expect(JSON.stringify(sandbox.requests())).not.toMatch(/secret@|secret-token|sandbox-key/);
});

test('a path of any length and kind is answered', async () => {
  const sandbox = fresh();
  for (const path of [`/${'a'.repeat(8000)}`, `/${'a/'.repeat(4000)}`, '/%E0%A4%A', '/..//../x'])
    await send(sandbox, 'GET', path);
  expect(sandbox.requests()).toHaveLength(4);
});
