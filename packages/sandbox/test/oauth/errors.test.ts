/** Every error of OAuth as the service words it, with its status and header, and where it is sent. */
import { describe, expect, test } from 'vitest';
import { publicationId, type Sandbox } from '../../src/index.ts';
import { fresh } from '../caller.ts';
import { callback, origin } from './app.ts';
import {
  asked,
  authorizeUrl,
  basic,
  codeFor,
  confidential,
  errorOf,
  get,
  post,
  tokensFor,
  type Fields,
} from './wire.ts';

const texts = {
  malformed:
    'The request is missing a required parameter, includes an unsupported parameter value, or is otherwise malformed.',
  invalid_client:
    'Client authentication failed due to unknown client, no client authentication included, or unsupported authentication method.',
  invalid_grant:
    'The provided authorization grant is invalid, expired, revoked, does not match the redirection URI used in the authorization request, or was issued to another client.',
  unsupported_grant_type: 'The authorization grant type is not supported by the authorization server.',
  unsupported_response_type: 'The authorization server does not support this response type.',
  invalid_scope: 'The requested scope is invalid, unknown, or malformed.',
  access_denied: 'The resource owner or authorization server denied the request.',
  invalid_redirect_uri: "The requested redirect URI is malformed or doesn't match the client redirect URI.",
  invalid_code_challenge_method: 'The code_challenge_method must be one of plain, S256.',
  unauthorized_client: 'The client is not authorized to perform this request using this method.',
  revoke: 'You are not authorized to revoke this token',
  mechanisms: 'The request utilizes more than one mechanism for authenticating the client.',
  introspect: 'Request needs to be authorized. Required parameter for authorizing the request is missing or invalid.',
} as const;
const lacks = (parameter: string) => `Missing required parameter: ${parameter}.`;
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

describe('authorize', () => {
  test.each([
    ['no client', without(asked, 'client_id'), 400, 'invalid_request', lacks('client_id')],
    ['a blank client', { ...asked, client_id: ' ' }, 400, 'invalid_request', lacks('client_id')],
    ['an unknown client', { ...asked, client_id: 'nobody' }, 401, 'invalid_client', texts.invalid_client],
    ['no redirect URI', without(asked, 'redirect_uri'), 400, 'invalid_redirect_uri', texts.invalid_redirect_uri],
    [
      'a foreign redirect URI',
      { ...asked, redirect_uri: 'https://evil.example/callback' },
      400,
      'invalid_redirect_uri',
      texts.invalid_redirect_uri,
    ],
    [
      'a redirect URI with a query of its own',
      { ...asked, redirect_uri: `${callback}?x=1` },
      400,
      'invalid_redirect_uri',
      texts.invalid_redirect_uri,
    ],
    ['no URI at all', { ...asked, redirect_uri: 'callback' }, 400, 'invalid_redirect_uri', texts.invalid_redirect_uri],
  ])(
    '%s is told in place, as data or as a page, and nobody is redirected',
    async (_, fields, status, error, description) => {
      const sandbox = fresh();
      const answer = await get(sandbox, authorizeUrl(fields).slice(`${origin}/oauth/`.length));
      expect(answer.status).toBe(status);
      expect(answer.headers.get('location')).toBeNull();
      expect(errorOf(answer)).toEqual({ error, error_description: description });
      const page = await sandbox.fetch(authorizeUrl(fields), { headers: { Accept: 'text/html,*/*;q=0.8' } });
      expect([page.status, page.headers.get('location'), page.headers.get('content-type')]).toEqual([
        status,
        null,
        'text/html; charset=utf-8',
      ]);
      expect(await page.text()).toContain(error);
    },
  );

  test('a repeated client_id or redirect_uri is an error without redirect', async () => {
    for (const name of ['client_id', 'redirect_uri']) {
      const answer = await get(fresh(), `${authorizeUrl().slice(`${origin}/oauth/`.length)}&${name}=x`);
      expect([answer.status, errorOf(answer)]).toEqual([
        400,
        { error: 'invalid_request', error_description: texts.malformed },
      ]);
    }
  });

  test.each([
    ['no response_type', without(asked, 'response_type'), 'invalid_request', lacks('response_type')],
    [
      'the response_type token',
      { ...asked, response_type: 'token' },
      'unsupported_response_type',
      texts.unsupported_response_type,
    ],
    ['an unknown scope', { ...asked, scope: 'subscriptions:read everything' }, 'invalid_scope', texts.invalid_scope],
    ['a scope of the wrong verb', { ...asked, scope: 'identify:write' }, 'invalid_scope', texts.invalid_scope],
    ['scopes with commas', { ...asked, scope: 'subscriptions:read,posts:read' }, 'invalid_scope', texts.invalid_scope],
    [
      'a public client without a challenge',
      without(publicAsked, 'code_challenge', 'code_challenge_method'),
      'invalid_request',
      'Code challenge is required.',
    ],
    [
      'a challenge without a method',
      without(publicAsked, 'code_challenge_method'),
      'invalid_code_challenge_method',
      texts.invalid_code_challenge_method,
    ],
    [
      'an unknown challenge method',
      { ...publicAsked, code_challenge_method: 'S512' },
      'invalid_code_challenge_method',
      texts.invalid_code_challenge_method,
    ],
    [
      'a challenge that is no hash',
      { ...publicAsked, code_challenge_method: 'S256', code_challenge: 'c'.repeat(44) },
      'invalid_request',
      texts.malformed,
    ],
    [
      'a plain challenge that is too short',
      { ...publicAsked, code_challenge: 'c'.repeat(42) },
      'invalid_request',
      texts.malformed,
    ],
    [
      'a challenge of a confidential client with an unknown method',
      { ...asked, code_challenge: 'c'.repeat(43), code_challenge_method: 's256' },
      'invalid_code_challenge_method',
      texts.invalid_code_challenge_method,
    ],
  ])('%s is told to the app, with the state', async (_, fields, error, error_description) => {
    const answer = await get(fresh(), authorizeUrl(fields).slice(`${origin}/oauth/`.length));
    expect(answer.status).toBe(302);
    const location = new URL(answer.headers.get('location') ?? '');
    expect(location.origin + location.pathname).toBe(callback);
    expect(Object.fromEntries(location.searchParams)).toEqual({ error, error_description, state: 'a b&c' });
  });

  test('refuses a client that is not registered for authorization codes', async () => {
    const answer = await limited().fetch(authorizeUrl({ ...asked, client_id: 'only-refresh' }));
    expect(new URL(answer.headers.get('location') ?? '').searchParams.get('error')).toBe('unauthorized_client');
  });

  test('a repeated parameter redirects with an error, without a repeated state', async () => {
    const twice = async (name: string) =>
      new URL((await fresh().fetch(`${authorizeUrl()}&${name}=x`)).headers.get('location') ?? '').searchParams;
    expect(Object.fromEntries(await twice('scope'))).toEqual({
      error: 'invalid_request',
      error_description: texts.malformed,
      state: 'a b&c',
    });
    expect(Object.fromEntries(await twice('state'))).toEqual({
      error: 'invalid_request',
      error_description: texts.malformed,
    });
  });
});

type Row = readonly [
  name: string,
  body: (sandbox: Sandbox) => Promise<Fields | string> | Fields | string,
  status: number,
  error: string,
  description: string,
  headers?: Fields,
];

/** One test for each row. */
function refused(path: string, rows: readonly Row[]): void {
  for (const [name, body, status, error, error_description, headers] of rows) {
    test(`${name} is refused`, async () => {
      const sandbox = fresh();
      const answer = await post(sandbox, path, await body(sandbox), headers);
      expect([answer.status, errorOf(answer)]).toEqual([status, { error, error_description }]);
    });
  }
}

describe('token', () => {
  const exchange = async (sandbox: Sandbox, more: Fields = {}): Promise<Fields> => ({
    grant_type: 'authorization_code',
    code: await codeFor(sandbox),
    redirect_uri: callback,
    ...confidential,
    ...more,
  });
  const proven = async (sandbox: Sandbox, more: Fields = {}): Promise<Fields> => ({
    grant_type: 'authorization_code',
    code: await codeFor(sandbox, publicAsked),
    redirect_uri: callback,
    client_id: 'sandbox-public',
    code_verifier: 'c'.repeat(43),
    ...more,
  });
  const refresh = async (sandbox: Sandbox, more: Fields = {}): Promise<Fields> => ({
    grant_type: 'refresh_token',
    refresh_token: (await tokensFor(sandbox)).refresh_token,
    ...confidential,
    ...more,
  });
  const rows: readonly Row[] = [
    ['an empty body', () => '', 400, 'invalid_request', lacks('grant_type')],
    [
      'no grant_type',
      async (sandbox) => without(await exchange(sandbox), 'grant_type'),
      400,
      'invalid_request',
      lacks('grant_type'),
    ],
    [
      'the grant_type password',
      async (sandbox) => exchange(sandbox, { grant_type: 'password' }),
      400,
      'unsupported_grant_type',
      texts.unsupported_grant_type,
    ],
    [
      'the grant_type client_credentials',
      async (sandbox) => exchange(sandbox, { grant_type: 'client_credentials' }),
      400,
      'unsupported_grant_type',
      texts.unsupported_grant_type,
    ],
    [
      'the grant_type constructor',
      async (sandbox) => exchange(sandbox, { grant_type: 'constructor' }),
      400,
      'unsupported_grant_type',
      texts.unsupported_grant_type,
    ],
    ['no code', async (sandbox) => without(await exchange(sandbox), 'code'), 400, 'invalid_request', lacks('code')],
    ['a blank code', async (sandbox) => exchange(sandbox, { code: '' }), 400, 'invalid_request', lacks('code')],
    [
      'no redirect URI',
      async (sandbox) => without(await exchange(sandbox), 'redirect_uri'),
      400,
      'invalid_request',
      lacks('redirect_uri'),
    ],
    [
      'no client',
      async (sandbox) => without(await exchange(sandbox), 'client_id', 'client_secret'),
      401,
      'invalid_client',
      texts.invalid_client,
    ],
    [
      'an unknown client',
      async (sandbox) => exchange(sandbox, { client_id: 'nobody' }),
      401,
      'invalid_client',
      texts.invalid_client,
    ],
    [
      'a wrong secret',
      async (sandbox) => exchange(sandbox, { client_secret: 'Sandbox-secret' }),
      401,
      'invalid_client',
      texts.invalid_client,
    ],
    [
      'no secret',
      async (sandbox) => without(await exchange(sandbox), 'client_secret'),
      401,
      'invalid_client',
      texts.invalid_client,
    ],
    [
      'a secret of a public client',
      async (sandbox) => proven(sandbox, { client_secret: 'sandbox-secret' }),
      401,
      'invalid_client',
      texts.invalid_client,
    ],
    [
      'a wrong secret by Basic',
      async (sandbox) => without(await exchange(sandbox), 'client_id', 'client_secret'),
      401,
      'invalid_client',
      texts.invalid_client,
      basic('sandbox-app', 'wrong'),
    ],
    [
      'Basic without a secret',
      async (sandbox) => without(await exchange(sandbox), 'client_id', 'client_secret'),
      401,
      'invalid_client',
      texts.invalid_client,
      basic('sandbox-app', ''),
    ],
    [
      'two clients',
      async (sandbox) => without(await exchange(sandbox, { client_id: 'sandbox-public' }), 'client_secret'),
      401,
      'invalid_client',
      texts.invalid_client,
      basic('sandbox-app', 'sandbox-secret'),
    ],
    [
      'two mechanisms',
      async (sandbox) => exchange(sandbox),
      400,
      'invalid_request',
      texts.mechanisms,
      basic('sandbox-app', 'sandbox-secret'),
    ],
    [
      'an unknown code',
      async (sandbox) => exchange(sandbox, { code: 'nothing' }),
      400,
      'invalid_grant',
      texts.invalid_grant,
    ],
    [
      'a code of another client',
      async (sandbox) =>
        exchange(sandbox, { code: await codeFor(sandbox, publicAsked), code_verifier: 'c'.repeat(43) }),
      400,
      'invalid_grant',
      texts.invalid_grant,
    ],
    [
      'another redirect URI than before',
      async (sandbox) => exchange(sandbox, { redirect_uri: 'http://localhost:5679/rest/oauth2-credential/callback' }),
      400,
      'invalid_grant',
      texts.invalid_grant,
    ],
    [
      'no verifier for a challenge',
      async (sandbox) => without(await proven(sandbox), 'code_verifier'),
      400,
      'invalid_request',
      lacks('code_verifier'),
    ],
    [
      'a wrong verifier',
      async (sandbox) => proven(sandbox, { code_verifier: 'd'.repeat(43) }),
      400,
      'invalid_grant',
      texts.invalid_grant,
    ],
    [
      'a verifier without a challenge',
      async (sandbox) => exchange(sandbox, { code_verifier: 'c'.repeat(43) }),
      400,
      'invalid_grant',
      texts.invalid_grant,
    ],
    [
      'no refresh token',
      async (sandbox) => without(await refresh(sandbox), 'refresh_token'),
      400,
      'invalid_request',
      lacks('refresh_token'),
    ],
    [
      'an unknown refresh token',
      async (sandbox) => refresh(sandbox, { refresh_token: 'nothing' }),
      400,
      'invalid_grant',
      texts.invalid_grant,
    ],
    [
      'an access token for a refresh token',
      async (sandbox) => refresh(sandbox, { refresh_token: (await tokensFor(sandbox)).access_token }),
      400,
      'invalid_grant',
      texts.invalid_grant,
    ],
    [
      'a refresh token of another client',
      async (sandbox) => without(await refresh(sandbox, { client_id: 'sandbox-public' }), 'client_secret'),
      400,
      'invalid_grant',
      texts.invalid_grant,
    ],
    [
      'more scope than granted',
      async (sandbox) => refresh(sandbox, { scope: 'subscriptions:write' }),
      400,
      'invalid_scope',
      texts.invalid_scope,
    ],
    [
      'a parameter that comes twice',
      async (sandbox) => `${new URLSearchParams(await exchange(sandbox)).toString()}&code=x`,
      400,
      'invalid_request',
      texts.malformed,
    ],
    [
      'another content type',
      async (sandbox) => new URLSearchParams(await exchange(sandbox)).toString(),
      400,
      'invalid_request',
      texts.malformed,
      { 'Content-Type': 'application/xml' },
    ],
  ];
  refused('token', rows);

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
      { error: 'unauthorized_client', error_description: texts.unauthorized_client },
    ]);
  });

  test('a form is accepted, and the same parameters as JSON are refused', async () => {
    const sandbox = fresh();
    const asked = await exchange(sandbox);
    const json = { 'Content-Type': 'application/json; charset=utf-8' };
    const refusal = await post(sandbox, 'token', JSON.stringify(asked), json);
    expect([refusal.status, errorOf(refusal)]).toEqual([
      400,
      { error: 'invalid_request', error_description: texts.malformed },
    ]);
    const answer = await post(sandbox, 'token', asked);
    expect([answer.status, answer.body['token_type']]).toEqual([200, 'Bearer']);
  });

  test.each([
    ['encoded', basic('sandbox%2Dapp', 'sandbox%2Dsecret')],
    ['as it is', basic('sandbox-app', 'sandbox-secret')],
  ])('Basic may carry the secret %s, and the body may name the same client', async (_, headers) => {
    const sandbox = fresh();
    expect((await post(sandbox, 'token', without(await exchange(sandbox), 'client_secret'), headers)).status).toBe(200);
  });

  test('a failed Basic authentication gets a Basic challenge', async () => {
    const { headers } = await post(
      fresh(),
      'token',
      { grant_type: 'authorization_code' },
      basic('sandbox-app', 'wrong'),
    );
    expect(headers.get('www-authenticate')).toBe(
      `Basic realm="Doorkeeper", Bearer realm="Doorkeeper", error="invalid_client", error_description="${texts.invalid_client}"`,
    );
  });

  test('a body of nine megabytes is refused', async () => {
    const answer = await post(fresh(), 'token', `grant_type=${'x'.repeat(9 * 1024 * 1024)}`);
    expect([answer.status, errorOf(answer).error]).toEqual([413, 'invalid_request']);
  });
});

describe('revoke', () => {
  const rows: readonly Row[] = [
    ['no client', () => ({ token: 'x' }), 403, 'unauthorized_client', texts.revoke],
    ['an unknown client', () => ({ token: 'x', client_id: 'nobody' }), 403, 'unauthorized_client', texts.revoke],
    [
      'a wrong secret',
      () => ({ token: 'x', ...confidential, client_secret: 'wrong' }),
      401,
      'invalid_client',
      texts.invalid_client,
    ],
    [
      'a confidential client without its secret',
      () => ({ token: 'x', client_id: 'sandbox-app' }),
      401,
      'invalid_client',
      texts.invalid_client,
    ],
    [
      'the token of another client',
      async (sandbox) => ({ token: (await tokensFor(sandbox)).access_token, client_id: 'sandbox-public' }),
      403,
      'unauthorized_client',
      texts.revoke,
    ],
    ['no token', () => confidential, 400, 'invalid_request', lacks('token')],
  ];
  refused('revoke', rows);

  test('unknown and valid tokens get the same answer: an empty object', async () => {
    const sandbox = fresh();
    const { access_token: token } = await tokensFor(sandbox);
    for (const value of ['nothing', token]) {
      const { status, body } = await post(sandbox, 'revoke', { token: value, ...confidential });
      expect([status, body]).toEqual([200, {}]);
    }
  });
});

describe('introspect', () => {
  const rows: readonly Row[] = [
    ['nobody', () => ({ token: 'x' }), 400, 'invalid_request', texts.introspect],
    ['an unknown client', () => ({ token: 'x', client_id: 'nobody' }), 401, 'invalid_client', texts.invalid_client],
    [
      'a wrong secret',
      () => ({ token: 'x', ...confidential, client_secret: 'wrong' }),
      401,
      'invalid_client',
      texts.invalid_client,
    ],
    ['no token', () => confidential, 400, 'invalid_request', lacks('token')],
  ];
  refused('introspect', rows);

  test('a valid access token can introspect other tokens of its client, but not itself', async () => {
    const sandbox = fresh();
    const [one, two] = [await tokensFor(sandbox), await tokensFor(sandbox)];
    const bearer = { Authorization: `Bearer ${one.access_token}` };
    expect((await post(sandbox, 'introspect', { token: two.access_token }, bearer)).body).toMatchObject({
      active: true,
    });
    const itself = await post(sandbox, 'introspect', { token: one.access_token }, bearer);
    expect([itself.status, errorOf(itself)]).toEqual([
      401,
      { error: 'invalid_token', error_description: 'The access token is invalid', state: 'unauthorized' },
    ]);
    await post(sandbox, 'revoke', { token: one.access_token, ...confidential });
    const revoked = await post(sandbox, 'introspect', { token: two.access_token }, bearer);
    expect([revoked.status, errorOf(revoked).error_description]).toEqual([401, 'The access token was revoked']);
  });
});

describe('token info', () => {
  const invalid = async (sandbox: Sandbox, headers: Fields): Promise<string | null | undefined> => {
    const answer = await get(sandbox, 'token/info', headers);
    expect(answer.status).toBe(401);
    const error = errorOf(answer);
    expect(error).toMatchObject({ error: 'invalid_token', state: 'unauthorized' });
    expect(answer.headers.get('www-authenticate')).toBe(
      `Bearer realm="Doorkeeper", error="invalid_token", error_description="${error.error_description}"`,
    );
    return error.error_description;
  };

  test('distinguishes missing, unknown, expired and revoked tokens', async () => {
    const sandbox = fresh();
    const [one, two] = [await tokensFor(sandbox), await tokensFor(sandbox)];
    for (const headers of [
      {},
      { Authorization: 'Bearer nothing' },
      { Authorization: 'Bearer sandbox-key' },
      { Authorization: `Bearer ${one.refresh_token}` },
      { Authorization: `Basic ${one.access_token}` },
    ]) {
      expect(await invalid(sandbox, headers as Fields)).toBe('The access token is invalid');
    }
    await post(sandbox, 'revoke', { token: two.access_token, ...confidential });
    expect(await invalid(sandbox, { Authorization: `Bearer ${two.access_token}` })).toBe(
      'The access token was revoked',
    );
    sandbox.clock.advance(7200_000);
    expect(await invalid(sandbox, { Authorization: `Bearer ${one.access_token}` })).toBe('The access token expired');
  });
});

describe('other paths and methods', () => {
  test.each([
    ['GET', 'nothing'],
    ['GET', 'token/'],
    ['POST', 'authorize/'],
    ['GET', 'token/info/more'],
    ['GET', ''],
  ])('%s /oauth/%s is a 404 that lists what there is', async (method, path) => {
    const answer = method === 'GET' ? await get(fresh(), path) : await post(fresh(), path, '');
    expect(answer.status).toBe(404);
    expect(errorOf(answer).error_description).toContain(
      'GET /oauth/authorize, POST /oauth/authorize, POST /oauth/token,',
    );
  });

  test.each([
    ['GET', 'token', 'POST'],
    ['DELETE', 'authorize', 'GET, POST'],
    ['POST', 'token/info', 'GET'],
    ['PUT', 'revoke', 'POST'],
    ['HEAD', 'introspect', 'POST'],
  ])('%s /oauth/%s is a 405 that allows %s', async (method, path, allowed) => {
    const answer = await fresh().fetch(`${origin}/oauth/${path}`, { method });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allowed]);
  });

  test('HEAD is answered like GET, without a body', async () => {
    const answer = await fresh().fetch(authorizeUrl(), { method: 'HEAD' });
    expect([answer.status, await answer.text()]).toEqual([200, '']);
  });
});

test('the log states the reason, and contains no code, token, secret, state or address', async () => {
  const sandbox = fresh();
  const { access_token: access, refresh_token: refresh } = await tokensFor(sandbox);
  const code = await codeFor(sandbox);
  await post(sandbox, 'token', {
    grant_type: 'authorization_code',
    code,
    redirect_uri: 'http://localhost/other',
    ...confidential,
  });
  await post(sandbox, 'token', {
    grant_type: 'refresh_token',
    refresh_token: refresh,
    ...confidential,
    [access]: 'x',
    marina: 'marina@harbour-letter.example',
  });
  await get(sandbox, `token/info?access_token=${access}`);
  await get(sandbox, `authorize?${new URLSearchParams({ ...asked, scope: 'everything' }).toString()}`);
  await post(sandbox, 'introspect', { token: access, ...confidential });
  const log = JSON.stringify(sandbox.requests());
  for (const secret of [access, refresh, code, 'sandbox-secret', 'a b&c', 'a+b', 'marina@'])
    expect(log).not.toContain(secret);
  const reasons = sandbox.requests().map((entry) => [entry.operation, entry.status, entry.reasons]);
  expect(reasons.slice(-5)).toEqual([
    ['oauth.exchange', 400, ['The redirect_uri differs from that of the authorization request.']],
    [
      'oauth.refresh',
      200,
      ['A parameter that is not known here was ignored.', 'The parameter "marina" is not known here and was ignored.'],
    ],
    ['oauth.tokenInfo', 401, ['The access token is invalid']],
    ['oauth.authorize', 302, [expect.stringContaining('"everything" is not a scope that can be requested here')]],
    ['oauth.introspect', 200, ['The access token is revoked.']],
  ]);
});
