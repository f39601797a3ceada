/** OAuth against the sandbox: the login flow of confidential and public apps, and tokens that expire during calls. */
import { createClient, createFetchHost, ForbiddenError, UnauthorizedError, type Client } from '@newsletter-kit/core';
import {
  createMemoryTokenStore,
  LoginRequiredError,
  OAuthError,
  scopesFor,
  type LoginOptions,
  type TokenSet,
} from '@newsletter-kit/core/oauth';
import {
  consent,
  createSandbox,
  oauthClients,
  publicationId,
  type Sandbox,
  type SandboxOptions,
} from '@newsletter-kit/sandbox';
import { describe, expect, it, onTestFinished } from 'vitest';

const appUrl = 'http://127.0.0.1:4010';
const begin = Date.UTC(2026, 0, 1);
const scopes = scopesFor(['subscriptions.list', 'subscriptions.create']);
const kinds = {
  confidential: { clientId: oauthClients.confidential.uid, clientSecret: oauthClients.confidential.secret },
  public: { clientId: oauthClients.public.uid },
} as const;

function start(options: SandboxOptions = {}, app: Partial<LoginOptions> = kinds.public) {
  const sandbox = createSandbox({ seed: 'demo', now: () => begin, ...options });
  onTestFinished(() => sandbox.close());
  const { oauth } = createClient({
    baseUrl: `${appUrl}/v2`,
    appUrl,
    host: { ...createFetchHost({ fetch: sandbox.fetch }), now: () => sandbox.clock.now() },
    retry: { minDelayMs: 1, maxDelayMs: 2 },
    oauth: { redirectUri: 'http://127.0.0.1:53682/callback', scopes, ...kinds.public, ...app },
  });
  return { sandbox, oauth };
}

async function logIn(sandbox: Sandbox, oauth: Client['oauth']): Promise<TokenSet> {
  const login = await oauth.startLogin();
  return oauth.finishLogin(await consent(sandbox.fetch, login.url), login);
}

/** A client that uses a login, with its sandbox and token store. */
async function loggedIn(options: SandboxOptions = {}) {
  const { sandbox, oauth } = start(options);
  const first = await logIn(sandbox, oauth);
  const store = createMemoryTokenStore(first);
  const source = () => oauth.tokenSource(store);
  const client = (token = source()) =>
    createClient({ baseUrl: `${appUrl}/v2`, publicationId, fetch: sandbox.fetch, token });
  return { sandbox, oauth, store, first, source, client };
}

const counted = (sandbox: Sandbox, operation: string) =>
  sandbox.requests().filter((entry) => entry.operation === operation).length;
const failure = async (work: PromiseLike<unknown>): Promise<unknown> =>
  work.then(
    () => expect.fail('It succeeded.'),
    (error: unknown) => error,
  );

describe.each(Object.entries(kinds))('a %s app', (_, app) => {
  it('obtains consent, exchanges the code, calls the API, refreshes and revokes the tokens', async () => {
    const { sandbox, oauth } = start({}, app);
    const tokens = await logIn(sandbox, oauth);
    expect(tokens).toMatchObject({
      issuedAt: begin,
      expiresAt: begin + 7_200_000,
      scopes: ['subscriptions:read', 'subscriptions:write'],
    });

    const items = async ({ accessToken }: TokenSet) =>
      (
        await createClient({
          baseUrl: `${appUrl}/v2`,
          publicationId,
          token: accessToken,
          fetch: sandbox.fetch,
          retry: false,
        }).subscriptions.list()
      ).items.length;
    expect(await items(tokens)).toBe(10);

    const renewed = await oauth.refreshTokens(tokens);
    expect(renewed.refreshToken).not.toBe(tokens.refreshToken);
    expect(renewed.accessToken).not.toBe(tokens.accessToken);
    await expect(items(tokens)).rejects.toThrow(UnauthorizedError);
    expect(await items(renewed)).toBe(10);

    await oauth.revokeTokens(renewed);
    await oauth.revokeTokens(renewed); // a second revocation is no error
    await expect(items(renewed)).rejects.toThrow(UnauthorizedError);
    expect(await failure(oauth.refreshTokens(renewed))).toMatchObject({ code: 'invalid_grant', status: 400 });
  });

  it('introspects its tokens, and reports expired and unknown ones as inactive', async () => {
    const { sandbox, oauth } = start({}, app);
    const tokens = await logIn(sandbox, oauth);
    const common = {
      active: true,
      scopes: ['subscriptions:read', 'subscriptions:write'],
      clientId: app.clientId,
      issuedAt: begin,
    };
    expect(await oauth.introspectToken(tokens.accessToken)).toEqual({
      ...common,
      tokenType: 'Bearer',
      expiresAt: begin + 7_200_000,
    });
    expect(await oauth.introspectToken(tokens.refreshToken ?? '')).toEqual({
      ...common,
      tokenType: null,
      expiresAt: null,
    });
    sandbox.clock.advance('PT2H');
    expect(await oauth.introspectToken(tokens.accessToken)).toEqual({ active: false });
    expect(await oauth.introspectToken('made-up')).toEqual({ active: false });
  });

  it.each(['both', 'documented', 'bare'] as const)('reads token info in the shape "%s"', async (token_info) => {
    const { sandbox, oauth } = start({ assumptions: { token_info } }, app);
    const { accessToken } = await logIn(sandbox, oauth);
    sandbox.clock.advance('PT1H');
    expect(await oauth.readTokenInfo(accessToken)).toMatchObject({
      resourceOwnerId: expect.any(String),
      scopes: ['subscriptions:read', 'subscriptions:write'],
      issuedAt: begin,
      expiresAt: begin + 7_200_000,
      clientId: app.clientId,
    });
    sandbox.clock.advance('PT1H');
    expect(await failure(oauth.readTokenInfo(accessToken))).toMatchObject({
      name: 'OAuthError',
      code: 'invalid_token',
      status: 401,
    });
  });

  it('gets an error that explains a wrong secret without printing it', async () => {
    const { sandbox, oauth } = start({}, { ...app, clientSecret: 'wrong-and-hush' });
    const error = await failure(logIn(sandbox, oauth));
    expect(error).toMatchObject({ name: 'OAuthError', code: 'invalid_client', status: 401 });
    expect(String(error)).toContain('Check the client id and the client secret');
    expect(String(error)).not.toContain('hush');
  });
});

describe('a login', () => {
  it('grants only the requested scopes', async () => {
    const { sandbox, oauth } = start({}, { scopes: scopesFor(['subscriptions.list']) });
    const { accessToken } = await logIn(sandbox, oauth);
    const client = createClient({ baseUrl: `${appUrl}/v2`, publicationId, token: accessToken, fetch: sandbox.fetch });
    await client.subscriptions.list();
    await expect(client.subscriptions.create({ email: 'ada@example.com' })).rejects.toThrow(ForbiddenError);
  });

  it('retries an exchange after a 503, and never one whose answer was lost', async () => {
    const { sandbox, oauth } = start();
    sandbox.faults.add({ match: 'oauth.exchange', effect: { status: 503 }, times: 2 });
    await logIn(sandbox, oauth);
    expect(counted(sandbox, 'oauth.exchange')).toBe(3);

    sandbox.faults.add({ match: 'oauth.exchange', effect: 'lostResponse', times: 1 });
    expect(await failure(logIn(sandbox, oauth))).toMatchObject({ name: 'NetworkError', notSent: false });
    expect(counted(sandbox, 'oauth.exchange')).toBe(4);
  });
});

describe('a client with a login', () => {
  it('reads every page of a list when its token expires between two of them', async () => {
    const { sandbox, client, store, first } = await loggedIn({ seedSize: 300 });
    const seen: string[] = [];
    for await (const { id } of client().subscriptions.list({ limit: 25 })) {
      seen.push(id);
      if (seen.length === 110) sandbox.clock.advance('PT2H');
    }
    expect(new Set(seen).size).toBe(300);
    expect(seen).toHaveLength(300);
    expect((await store.load())?.accessToken).not.toBe(first.accessToken);
    expect(counted(sandbox, 'oauth.refresh')).toBe(1);
  });

  it('refreshes once for a hundred calls that are refused at the same time', async () => {
    const { sandbox, oauth, store, client } = await loggedIn();
    // Another process refreshed: only the service, not the clock, shows that the token has ended.
    const elsewhere = await oauth.refreshTokens((await store.load())!);
    const shared = client();
    await store.save({ ...elsewhere, accessToken: (await store.load())!.accessToken });

    const pages = await Promise.all(Array.from({ length: 100 }, () => shared.subscriptions.list()));
    expect(pages.every(({ items }) => items.length === 10)).toBe(true);
    const calls = sandbox.requests().filter(({ operation }) => operation === 'subscriptions.list');
    expect(calls.filter(({ status }) => status === 401).length).toBeGreaterThan(1);
    expect(calls.filter(({ status }) => status === 200)).toHaveLength(100);
    expect(counted(sandbox, 'oauth.refresh')).toBe(2); // the one elsewhere, and this
  });

  it('returns the current token to a call that reports an older one as refused', async () => {
    const { sandbox, source, first } = await loggedIn();
    const tokens = source();
    const renewed = await tokens.refresh(first.accessToken);
    expect(await tokens.refresh(first.accessToken)).toBe(renewed);
    expect(await tokens.get()).toBe(renewed);
    expect(counted(sandbox, 'oauth.refresh')).toBe(1);
  });

  it('refreshes once, five minutes before expiry', async () => {
    const { sandbox, client } = await loggedIn();
    const api = client();
    await api.subscriptions.list();
    sandbox.clock.advance('PT1H54M');
    await api.subscriptions.list();
    expect(counted(sandbox, 'oauth.refresh')).toBe(0);
    sandbox.clock.advance('PT2M');
    await Promise.all([api.subscriptions.list(), api.subscriptions.list()]);
    expect(counted(sandbox, 'oauth.refresh')).toBe(1);
    expect(sandbox.requests().filter(({ status }) => status === 401)).toEqual([]);
  });

  it('keeps working after a failed early refresh, and tries again after a pause', async () => {
    const { sandbox, client } = await loggedIn();
    const before = sandbox.requests().length;
    const asked = () =>
      sandbox
        .requests()
        .slice(before)
        .filter(({ path }) => path === '/oauth/token').length;
    const fault = sandbox.faults.add({ match: 'oauth.refresh', effect: { status: 400 } });
    sandbox.clock.advance('PT1H56M');
    const api = client();
    for (let n = 0; n < 5; n++) await api.subscriptions.list();
    expect(asked()).toBe(1);
    sandbox.faults.remove(fault.id);
    sandbox.clock.advance('PT31S');
    await api.subscriptions.list();
    expect(asked()).toBe(2);
  });

  it('uses the tokens that another process has refreshed', async () => {
    const { sandbox, client, source } = await loggedIn();
    const [one, other] = [client(), client(source())];
    await Promise.all([one.subscriptions.list(), other.subscriptions.list()]);
    sandbox.clock.advance('PT2H');
    await one.subscriptions.list();
    await other.subscriptions.list();
    await one.subscriptions.list();
    expect(counted(sandbox, 'oauth.refresh')).toBe(1);
  });

  it('throws LoginRequiredError after a revocation, keeps the tokens, and does not send the refused one again', async () => {
    const { sandbox, oauth, client, store, first } = await loggedIn();
    await oauth.revokeTokens(first);
    const api = client();
    const error = await failure(api.subscriptions.list());
    expect(error).toBeInstanceOf(LoginRequiredError);
    expect(String(error)).toContain('Log in again');
    expect(String(error)).not.toContain(first.refreshToken);
    await expect(api.subscriptions.list()).rejects.toThrow(LoginRequiredError);
    expect(counted(sandbox, 'oauth.refresh')).toBe(1);
    expect(await store.load()).toEqual(first);

    await store.save(await logIn(sandbox, oauth));
    expect((await api.subscriptions.list()).items).toHaveLength(10);
  });

  it('throws LoginRequiredError without stored tokens', async () => {
    const { store, client } = await loggedIn();
    await store.clear();
    expect(await failure(client().subscriptions.list())).toMatchObject({
      name: 'LoginRequiredError',
      reason: 'no-tokens',
    });
  });

  it('keeps the login during an outage of the service', async () => {
    const { sandbox, client, first, store } = await loggedIn();
    sandbox.clock.advance('PT2H');
    sandbox.faults.add({ match: 'oauth.refresh', effect: { status: 500 }, times: 1 });
    const api = client();
    const error = await failure(api.subscriptions.list());
    expect(error).toBeInstanceOf(OAuthError);
    expect(error).toMatchObject({ status: 500 });
    expect(await store.load()).toEqual(first);
    expect((await api.subscriptions.list()).items).toHaveLength(10);
  });
});
