/**
 * What OAuth refuses: requests that succeed, each with one field missing or changed. `refusals.txt` has what becomes of
 * each, and every error once, word for word; `npm test -- -u PATH` of this file writes it.
 */
import { expect, test } from 'vitest';
import { publicationId, type Sandbox } from '../../src/index.ts';
import { fresh } from '../caller.ts';
import { callback, origin } from './app.ts';
import { asked, authorizeUrl, basic, codeFor, confidential, errorOf, post, tokensFor, type Fields } from './wire.ts';

const verifier = 'c'.repeat(43);

const publicAsked: Fields = {
  ...asked,
  client_id: 'sandbox-public',
  code_challenge: 'c'.repeat(43),
  code_challenge_method: 'plain',
};

const without = (fields: Fields, ...names: string[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));

/** The standard clients, and some that may do less. */
const limited = () => {
  const client = (uid: string, ...grant_types: ('authorization_code' | 'refresh_token')[]) => ({
    uid,
    name: uid,
    secret: 's',
    redirect_uris: [callback],
    grant_types,
  });
  return fresh({
    seed: {
      publications: [{ id: publicationId, name: 'P' }],
      oauth_clients: [client('no-refresh', 'authorization_code'), client('only-refresh', 'refresh_token')],
    },
  });
};

interface Good {
  readonly path: string;
  readonly fields: (sandbox: Sandbox) => Promise<Fields>;
}

const byCode = async (sandbox: Sandbox): Promise<Fields> => ({
  grant_type: 'authorization_code',
  code: await codeFor(sandbox),
  redirect_uri: callback,
  ...confidential,
});
const good: Readonly<Record<string, Good>> = {
  exchange: { path: 'token', fields: byCode },
  'exchange with a proof': {
    path: 'token',
    fields: async (sandbox) => ({
      ...without(await byCode(sandbox), 'client_secret'),
      code: await codeFor(sandbox, publicAsked),
      client_id: 'sandbox-public',
      code_verifier: verifier,
    }),
  },
  refresh: {
    path: 'token',
    fields: async (sandbox) => ({
      grant_type: 'refresh_token',
      refresh_token: (await tokensFor(sandbox)).refresh_token,
      ...confidential,
    }),
  },
  revoke: {
    path: 'revoke',
    fields: async (sandbox) => ({ token: (await tokensFor(sandbox)).access_token, ...confidential }),
  },
  introspect: {
    path: 'introspect',
    fields: async (sandbox) => ({ token: (await tokensFor(sandbox)).access_token, ...confidential }),
  },
};

/** Values that a field takes instead of its own; a function finds a value that the sandbox gave for something else. */
const changes: Readonly<Record<string, readonly (string | ((sandbox: Sandbox) => Promise<string>))[]>> = {
  grant_type: ['', 'password', 'client_credentials', 'constructor'],
  code: ['', 'nothing', async (sandbox) => codeFor(sandbox, publicAsked)],
  redirect_uri: ['', 'http://localhost:5679/rest/oauth2-credential/callback'],
  client_id: ['', 'nobody', 'sandbox-public'],
  client_secret: ['', 'Sandbox-secret'],
  code_verifier: ['', 'd'.repeat(43)],
  refresh_token: ['', 'nothing', async (sandbox) => (await tokensFor(sandbox)).access_token],
  token: ['', 'nothing'],
  scope: ['', 'subscriptions:write'],
};

const headers: Readonly<Record<string, Fields>> = {
  'Basic with a wrong secret': basic('sandbox-app', 'wrong'),
  'Basic without a secret': basic('sandbox-app', ''),
  'Basic of the client': basic('sandbox-app', 'sandbox-secret'),
  'an encoded Basic of the client': basic('sandbox%2Dapp', 'sandbox%2Dsecret'),
  'another Content-Type': { 'Content-Type': 'application/xml' },
};

interface Tried {
  readonly what: string;
  readonly body: (sandbox: Sandbox) => Promise<Fields | string>;
  readonly headers?: Fields;
}

function mistakesIn({ fields }: Good, names: readonly string[]): readonly Tried[] {
  const anonymous = async (sandbox: Sandbox) => without(await fields(sandbox), 'client_id', 'client_secret');
  return [
    { what: 'as it is', body: fields },
    { what: 'no client', body: anonymous },
    { what: 'no secret', body: async (sandbox) => without(await fields(sandbox), 'client_secret') },
    {
      what: 'the public client',
      body: async (sandbox) => without({ ...(await fields(sandbox)), client_id: 'sandbox-public' }, 'client_secret'),
    },
    ...names.map((name) => ({
      what: `no ${name}`,
      body: async (sandbox: Sandbox) => without(await fields(sandbox), name),
    })),
    ...Object.entries(changes).flatMap(([name, values]) =>
      values.map((value) => ({
        what: `${name} ${typeof value === 'string' ? JSON.stringify(value) : 'of something else'}`,
        body: async (sandbox: Sandbox) => ({
          ...(await fields(sandbox)),
          [name]: typeof value === 'string' ? value : await value(sandbox),
        }),
      })),
    ),
    ...Object.entries(headers).flatMap(([what, sent]) => [
      { what, body: fields, headers: sent },
      { what: `${what}, no client in the body`, body: anonymous, headers: sent },
    ]),
    {
      what: 'a field twice',
      body: async (sandbox) => `${new URLSearchParams(await fields(sandbox)).toString()}&client_id=x`,
    },
  ];
}

test('a token is given, revoked and described only to the client that proves itself', async () => {
  const lines: string[] = [];
  const texts = new Set<string>();
  for (const [name, request] of Object.entries(good)) {
    const names = Object.keys(await request.fields(fresh()));
    for (const { what, body, headers: sent } of mistakesIn(request, names)) {
      const sandbox = fresh();
      const answer = await post(sandbox, request.path, await body(sandbox), sent);
      const error = answer.status < 400 ? undefined : errorOf(answer);
      if (error) {
        texts.add(`${error.error}: ${error.error_description}`);
        expect(Object.keys(answer.body)).not.toContain('access_token');
      }
      lines.push(`${name}, ${what}: ${answer.status} ${error?.error ?? ''}`.trim());
    }
  }
  await expect([...lines, '', ...[...texts].toSorted(), ''].join('\n')).toMatchFileSnapshot('refusals.txt');
});

/** Values of the fields of an authorization that are none. */
const authorizations: Readonly<Record<string, readonly string[]>> = {
  client_id: ['', ' ', 'nobody'],
  redirect_uri: ['', 'callback', 'https://evil.example/callback', `${callback}?x=1`],
  response_type: ['', 'token'],
  scope: ['subscriptions:read everything', 'identify:write', 'subscriptions:read,posts:read'],
  code_challenge: ['', 'c'.repeat(42), 'c'.repeat(44)],
  code_challenge_method: ['', 'S512', 's256'],
};

test('a request for authorization is refused in place, or told to the address that the client has registered', async () => {
  const lines: string[] = [];
  const texts = new Set<string>();
  const tried: (readonly [what: string, url: string])[] = Object.entries({
    confidential: asked,
    public: publicAsked,
  }).flatMap(([client, fields]) => [
    ...Object.keys(fields).map((name) => [`${client}, no ${name}`, authorizeUrl(without(fields, name))] as const),
    ...Object.keys(fields).map((name) => [`${client}, ${name} twice`, `${authorizeUrl(fields)}&${name}=x`] as const),
    ...Object.entries(authorizations).flatMap(([name, values]) =>
      values.map((value) => [`${client}, ${name} "${value}"`, authorizeUrl({ ...fields, [name]: value })] as const),
    ),
  ]);
  for (const [length, code_challenge_method] of [
    [44, 'S256'],
    [43, 's256'],
  ] as const)
    tried.push([
      `confidential, ${length} letters by ${code_challenge_method}`,
      authorizeUrl({ ...asked, code_challenge: 'c'.repeat(length), code_challenge_method }),
    ]);
  for (const [what, url] of tried) {
    const sandbox = fresh();
    const answer = await sandbox.fetch(url);
    const location = answer.headers.get('location');
    const data = location === null ? await answer.text() : '';
    const told = location === null ? undefined : new URL(location);
    if (told) {
      expect(told.origin + told.pathname).toBe(callback);
      if (!/state/.test(what)) expect(told.searchParams.get('state')).toBe('a b&c');
    } else {
      const page = await sandbox.fetch(url, { headers: { Accept: 'text/html,*/*;q=0.8' } });
      expect([page.status, page.headers.get('location')]).toEqual([answer.status, null]);
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    }
    const error = told
      ? Object.fromEntries(told.searchParams)
      : answer.status < 400
        ? {}
        : (JSON.parse(data) as Readonly<Record<string, string>>);
    if (error['error']) texts.add(`${error['error']}: ${error['error_description']}`);
    lines.push(`${what}: ${answer.status} ${error['error'] ?? ''}`.trim());
  }
  await expect([...lines, '', ...[...texts].toSorted(), ''].join('\n')).toMatchFileSnapshot(
    'refused-authorizations.txt',
  );
});

test('a failed Basic authentication gets a Basic challenge', async () => {
  const answer = await post(fresh(), 'token', { grant_type: 'authorization_code' }, basic('sandbox-app', 'wrong'));
  expect(answer.headers.get('www-authenticate')).toBe(
    `Basic realm="Doorkeeper", Bearer realm="Doorkeeper", error="invalid_client", error_description="${errorOf(answer).error_description}"`,
  );
});

test('a body of nine megabytes is refused', async () => {
  const answer = await post(fresh(), 'token', `grant_type=${'x'.repeat(9 * 1024 * 1024)}`);
  expect([answer.status, errorOf(answer).error]).toEqual([413, 'invalid_request']);
});

test('JSON in place of a form is refused', async () => {
  for (const path of ['token', 'revoke', 'introspect']) {
    const answer = await fresh().fetch(`${origin}/oauth/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ ...confidential, token: 'x' }),
    });
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: 'invalid_request' }]);
  }
});

test('a client without the refresh_token grant gets no refresh token and may not refresh', async () => {
  const sandbox = limited();
  const client = { client_id: 'no-refresh', client_secret: 's' };
  const code = await codeFor(sandbox, { ...asked, ...client });
  const { body } = await post(sandbox, 'token', {
    grant_type: 'authorization_code',
    code,
    redirect_uri: callback,
    ...client,
  });
  expect(Object.keys(body)).toEqual(['access_token', 'token_type', 'expires_in', 'scope', 'created_at']);
  const answer = await post(sandbox, 'token', { grant_type: 'refresh_token', refresh_token: 'x', ...client });
  expect([answer.status, errorOf(answer)]).toEqual([
    400,
    {
      error: 'unauthorized_client',
      error_description: 'The client is not authorized to perform this request using this method.',
    },
  ]);
});

test.each([
  ['encoded', basic('sandbox%2Dapp', 'sandbox%2Dsecret')],
  ['as it is', basic('sandbox-app', 'sandbox-secret')],
])('Basic may carry the secret %s, and the body may name the same client', async (_, headers) => {
  const sandbox = fresh();
  expect((await post(sandbox, 'token', without(await byCode(sandbox), 'client_secret'), headers)).status).toBe(200);
});

test('refuses a client that is not registered for authorization codes', async () => {
  const answer = await limited().fetch(authorizeUrl({ ...asked, client_id: 'only-refresh' }));
  expect(new URL(answer.headers.get('location') ?? '').searchParams.get('error')).toBe('unauthorized_client');
});
