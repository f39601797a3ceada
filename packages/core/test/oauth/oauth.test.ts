import { describe, expect, it } from 'vitest';
import { createClient, createFetchHost, type Fetch } from '../../src/index.ts';
import { createMemoryTokenStore, type LoginOptions, type TokenSet } from '../../src/oauth/index.ts';

const options = {
  appUrl: 'https://app.test',
  clientId: 'my-app',
  redirectUri: 'http://127.0.0.1:8080/callback',
};
const { appUrl: _appUrl, ...app } = options;

interface AppOptions extends LoginOptions {
  readonly appUrl: string;
  readonly fetch?: Fetch;
}

/** `client.oauth` of an app, at five seconds past the epoch. */
function oauthOf({ appUrl, fetch, ...oauth }: AppOptions) {
  const host = { ...createFetchHost({ fetch }), now: () => 5000 };
  return createClient({ baseUrl: 'http://api.test/v2', appUrl, host, retry: false, oauth }).oauth;
}
const tokens: TokenSet = {
  accessToken: 'old-access',
  refreshToken: 'old-refresh',
  issuedAt: 0,
  expiresAt: 1,
  scopes: ['subscriptions:read'],
};

/** An app whose service gives this answer, and what was sent to it. */
function answering(answer: () => Response, more: Partial<LoginOptions> = {}) {
  const sent: { url: string; body: Record<string, string>; authorization: string | null; redirect: string }[] = [];
  const oauth = oauthOf({
    ...options,
    ...more,
    async fetch(url, init) {
      const body = Object.fromEntries(new URLSearchParams(init.body));
      sent.push({
        url,
        body,
        authorization: init.headers['authorization'] ?? null,
        redirect: init.redirect,
      });
      return answer();
    },
  });
  return { oauth, sent };
}

const fresh = { access_token: 'new-access', token_type: 'Bearer', expires_in: 7200, created_at: 5 };
const failure = async (work: PromiseLike<unknown>): Promise<unknown> =>
  work.then(
    () => expect.fail('It succeeded.'),
    (error: unknown) => error,
  );

describe('the settings of a login', () => {
  it.each([
    'http://app.test',
    'http://127.0.0.1.evil.test',
    'http://localhost.evil.test',
    'http://192.168.0.7',
    'ftp://127.0.0.1',
    'app.test',
    '',
  ])('refuses %j as the address of the app', (appUrl) => {
    expect(() => oauthOf({ ...options, appUrl })).toThrow('appUrl must be an https address');
  });

  it.each([
    'https://app.test',
    'https://app.test/',
    'http://127.0.0.1:4010',
    'http://localhost:4010/',
    'http://[::1]:4010',
  ])('takes %s', async (appUrl) => {
    const { url } = await oauthOf({ ...options, appUrl }).startLogin();
    expect(url).toContain(`${appUrl.replace(/\/$/, '')}/oauth/authorize?`);
  });

  it('lists every invalid setting at once', () => {
    expect(() => oauthOf({ appUrl: 'x', clientId: '', clientSecret: '', redirectUri: '/callback' })).toThrow(
      /appUrl .*clientId .*clientSecret .*redirectUri /,
    );
  });
});

describe('the authorization URL', () => {
  it('carries a challenge for the verifier that is kept, and a state of its own each time', async () => {
    const oauth = oauthOf({ ...options, scopes: ['subscriptions:read', 'automations:read'] });
    const [one, two] = [await oauth.startLogin(), await oauth.startLogin({ scopes: ['posts:read'], state: 'mine' })];
    const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(one.codeVerifier)));
    expect(Object.fromEntries(new URL(one.url).searchParams)).toEqual({
      client_id: 'my-app',
      redirect_uri: 'http://127.0.0.1:8080/callback',
      response_type: 'code',
      scope: 'subscriptions:read automations:read',
      state: one.state,
      code_challenge: Buffer.from(hash).toString('base64url'),
      code_challenge_method: 'S256',
    });
    expect(new URL(two.url).searchParams.get('scope')).toBe('posts:read');
    expect(two.state).toBe('mine');
    expect(one.url).not.toContain(one.codeVerifier);
    expect(one.codeVerifier).not.toBe(two.codeVerifier);
  });
});

describe('the requests', () => {
  it('of a public app name its client id in the body; of a confidential app also the secret; neither in a header', async () => {
    const open = answering(() => Response.json(fresh));
    await open.oauth.refreshTokens(tokens);
    expect(open.sent).toEqual([
      {
        url: 'https://app.test/oauth/token',
        body: { grant_type: 'refresh_token', refresh_token: 'old-refresh', client_id: 'my-app' },
        authorization: null,
        redirect: 'manual',
      },
    ]);
    const closed = answering(() => Response.json(fresh), { clientSecret: 'hush' });
    await closed.oauth.refreshTokens(tokens);
    expect(closed.sent[0]).toMatchObject({ body: { client_id: 'my-app', client_secret: 'hush' }, authorization: null });
  });

  it('do not follow a redirect', async () => {
    const { oauth, sent } = answering(
      () => new Response(null, { status: 307, headers: { location: 'https://elsewhere.test/' } }),
    );
    expect(await failure(oauth.refreshTokens(tokens))).toMatchObject({
      name: 'RedirectError',
      status: 307,
      message: expect.stringContaining('Correct the app URL') as string,
    });
    expect(sent).toHaveLength(1);
  });

  it('revoke both tokens of a login, or the only one', async () => {
    const { oauth, sent } = answering(() => Response.json({}));
    await oauth.revokeTokens(tokens);
    await oauth.revokeTokens({ ...tokens, refreshToken: null });
    expect(sent.map(({ body }) => [body['token'], body['token_type_hint']])).toEqual([
      ['old-refresh', 'refresh_token'],
      ['old-access', 'access_token'],
      ['old-access', 'access_token'],
    ]);
  });
});

describe('the callback', () => {
  const login = { state: 's', codeVerifier: 'v'.repeat(43) };

  it.each([
    'http://127.0.0.1:8080/callback?code=c&state=s',
    '/callback?code=c&state=s',
    '?code=c&state=s',
    new URL('http://127.0.0.1:8080/callback?code=c&state=s'),
  ])('is read from %s', async (callback) => {
    const { oauth, sent } = answering(() => Response.json(fresh));
    await oauth.finishLogin(callback, login);
    expect(sent[0]?.body).toEqual({
      grant_type: 'authorization_code',
      code: 'c',
      redirect_uri: 'http://127.0.0.1:8080/callback',
      client_id: 'my-app',
      code_verifier: login.codeVerifier,
    });
  });

  it.each([
    ['another state', '?code=c&state=x', 'StateMismatchError'],
    ['no state', '?code=c', 'StateMismatchError'],
    ['two states', '?code=c&state=s&state=s', 'StateMismatchError'],
    ['a refusal of somebody else', '?error=access_denied&state=x', 'StateMismatchError'],
    ['a refusal', '?error=access_denied&state=s', 'AccessDeniedError'],
    ['an error', '?error=invalid_scope&error_description=No.&state=s', 'OAuthError'],
    ['no code', '?state=s', 'InvalidAnswerError'],
    ['two codes', '?code=c&code=d&state=s', 'InvalidAnswerError'],
  ])('with %s is not exchanged', async (_, callback, name) => {
    const { oauth, sent } = answering(() => Response.json(fresh));
    expect(await failure(oauth.finishLogin(callback, login))).toMatchObject({ name });
    expect(sent).toEqual([]);
  });
});

describe('the answer', () => {
  it.each([
    ['without a refresh token', {}],
    ['with a refresh token of null', { refresh_token: null, scope: null }],
  ])('%s leaves the old one in use', async (_, more) => {
    const { oauth } = answering(() => Response.json({ ...fresh, ...more }));
    expect(await oauth.refreshTokens(tokens)).toEqual({
      accessToken: 'new-access',
      refreshToken: 'old-refresh',
      issuedAt: 5000,
      expiresAt: 7_205_000,
      scopes: ['subscriptions:read'],
    });
  });

  it.each([
    ['a text', 'a:read b:write'],
    ['a list', ['a:read', 'b:write']],
  ])('gives the scopes from %s', async (_, scope) => {
    const { oauth } = answering(() => Response.json({ ...fresh, refresh_token: 'new-refresh', scope }));
    expect(await oauth.refreshTokens(tokens)).toMatchObject({
      refreshToken: 'new-refresh',
      scopes: ['a:read', 'b:write'],
    });
  });

  it('may leave out when the token expires', async () => {
    const { expires_in: _, ...endless } = fresh;
    expect(await answering(() => Response.json(endless)).oauth.refreshTokens(tokens)).toMatchObject({
      expiresAt: null,
    });
  });

  it.each([
    ['is a page', () => new Response('<html>secret-token</html>')],
    ['is no object', () => Response.json(['secret-token'])],
    ['lacks the token', () => Response.json({ token_type: 'Bearer', refresh_token: 'secret-token' })],
    [
      'has a kind of token nobody here can send',
      () => Response.json({ ...fresh, token_type: 'mac', access_token: 'secret-token' }),
    ],
  ])('that %s is refused without what it held', async (_, answer) => {
    const error = await failure(answering(answer).oauth.refreshTokens(tokens));
    expect(error).toMatchObject({ name: 'InvalidAnswerError' });
    expect(everything(error)).not.toContain('secret-token');
  });

  it('that repeats the secrets of the request is reported without them', async () => {
    const echo = () =>
      Response.json(
        { error: 'invalid_grant', error_description: 'No old-refresh of hush for ada@example.com.' },
        { status: 400, headers: { 'www-authenticate': 'Bearer error="invalid_grant"' } },
      );
    const error = await failure(answering(echo, { clientSecret: 'hush' }).oauth.refreshTokens(tokens));
    expect(error).toMatchObject({ name: 'OAuthError', code: 'invalid_grant', status: 400, operation: 'oauth.refresh' });
    for (const secret of ['old-refresh', 'hush', 'ada@example.com']) expect(everything(error)).not.toContain(secret);
    expect(String(error)).toContain('start the login again');
  });
});

/** All that a log of this error could show. */
function everything(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return [error.stack, JSON.stringify(error), everything(error.cause)].join('\n');
}

describe('a client with a login', () => {
  it('keeps the tokens of a login in its store, and calls with them', async () => {
    const store = createMemoryTokenStore();
    const seen: (string | undefined)[] = [];
    const client = createClient({
      baseUrl: 'http://api.test/v2',
      appUrl: options.appUrl,
      publicationId: 'pub_1',
      oauth: { ...app, store },
      async fetch(url, { headers }) {
        seen.push(headers['authorization']);
        return Response.json(url.includes('/oauth/token') ? fresh : { data: [] });
      },
    });
    const login = await client.oauth.startLogin();
    await client.oauth.finishLogin(`${options.redirectUri}?code=c&state=${login.state}`, login);
    expect(await store.load()).toMatchObject({ accessToken: 'new-access' });
    await client.customFields.list();
    expect(seen).toEqual([undefined, 'Bearer new-access']);
  });

  it('names the missing settings where oauth is not configured', async () => {
    const client = createClient({ baseUrl: 'http://api.test/v2', token: 'k' });
    await expect(client.oauth.startLogin()).rejects.toThrow('createClient needs appUrl and oauth');
    expect(() => createClient({ baseUrl: 'http://api.test/v2', oauth: app })).toThrow(
      'appUrl must be an https address',
    );
  });
});
