/** The whole flow, driven from outside by a certified OAuth client. */
import { UnauthorizedError } from '@newsletter-kit/core';
import { expect, test } from 'vitest';
import type { Sandbox } from '../../src/index.ts';
import { clientOf, fresh, noon } from '../caller.ts';
import { app, refusal, type Authentication } from './app.ts';

const works = (sandbox: Sandbox, token: string) =>
  clientOf(sandbox, token)
    .subscriptions.list()
    .then(
      () => true,
      (error: unknown) => {
        if (error instanceof UnauthorizedError) return false;
        throw error;
      },
    );
const refreshTokenOf = ({ refresh_token: token }: { refresh_token?: string }): string => {
  if (token === undefined) throw new Error('There is no refresh token.');
  return token;
};

test.each(['public', 'post', 'basic'] satisfies Authentication[])(
  'a client that authenticates by %s gets tokens that work on the API',
  async (authentication) => {
    const sandbox = fresh();
    const tokens = await app(sandbox, { authentication }).connect();
    expect(tokens).toEqual({
      access_token: expect.stringMatching(/^[\w-]{43}$/),
      refresh_token: expect.stringMatching(/^[\w-]{43}$/),
      token_type: 'bearer',
      expires_in: 7200,
      scope: 'subscriptions:read subscriptions:write',
      created_at: noon / 1000,
    });
    await clientOf(sandbox, tokens.access_token).subscriptions.create({ email: 'ada@example.com' });
    expect((await clientOf(sandbox, tokens.access_token).subscriptions.list()).items).toHaveLength(1);
  },
);

test.each([
  ['public', 'plain'],
  ['post', 'plain'],
  ['post', null],
  ['basic', null],
] as const)('a %s client may use the challenge %s', async (authentication, challenge) => {
  const sandbox = fresh();
  expect(await works(sandbox, (await app(sandbox, { authentication, challenge }).connect()).access_token)).toBe(true);
});

test('returns the state unchanged; an app detects a different one', async () => {
  const sandbox = fresh();
  const [asked, other] = [app(sandbox), app(sandbox)];
  const parameters = await asked.ask();
  expect(parameters.get('state')).toBe(asked.state);
  const address = new URL('http://localhost:5678/rest/oauth2-credential/callback');
  address.search = parameters.toString();
  expect(() => other.read(address)).toThrow('unexpected "state"');
});

test('a wrong verifier is refused, and the code stays valid', async () => {
  const client = app(fresh());
  const parameters = await client.ask();
  expect(await refusal(client.redeem(parameters, 'x'.repeat(43)))).toBe('invalid_grant');
  expect((await client.redeem(parameters)).token_type).toBe('bearer');
});

test('a code is valid for ten minutes of the sandbox’s clock', async () => {
  const sandbox = fresh();
  const client = app(sandbox);
  const [first, second] = [await client.ask(), await client.ask()];
  sandbox.clock.advance(599_999);
  expect((await client.redeem(first)).token_type).toBe('bearer');
  sandbox.clock.advance(1);
  expect(await refusal(client.redeem(second))).toBe('invalid_grant');
});

test('a code used twice revokes its tokens, refreshed or not', async () => {
  const sandbox = fresh();
  const client = app(sandbox);
  const parameters = await client.ask();
  const tokens = await client.redeem(parameters);
  const newer = await client.refresh(refreshTokenOf(tokens));
  expect(await works(sandbox, newer.access_token)).toBe(true);
  expect(await refusal(client.redeem(parameters))).toBe('invalid_grant');
  expect(await works(sandbox, newer.access_token)).toBe(false);
  expect(await refusal(client.refresh(refreshTokenOf(newer)))).toBe('invalid_grant');
  expect(sandbox.requests().some(({ reasons }) => reasons.join().includes('The code was used before'))).toBe(true);
});

test.each(['public', 'post', 'basic'] satisfies Authentication[])(
  'a refresh of a client that authenticates by %s gives new tokens and ends the old ones',
  async (authentication) => {
    const sandbox = fresh();
    const client = app(sandbox, { authentication });
    const old = await client.connect();
    sandbox.clock.advance(7200_000);
    expect(await works(sandbox, old.access_token)).toBe(false);
    const renewed = await client.refresh(refreshTokenOf(old));
    expect(renewed).toMatchObject({ expires_in: 7200, scope: old.scope, created_at: noon / 1000 + 7200 });
    expect([renewed.access_token, renewed.refresh_token]).not.toContain(old.access_token);
    expect(renewed.refresh_token).not.toBe(old.refresh_token);
    expect(await works(sandbox, renewed.access_token)).toBe(true);
    expect(await client.introspect(refreshTokenOf(old))).toEqual({ active: false });
  },
);

test('a refresh revokes the old access token before it expires', async () => {
  const sandbox = fresh();
  const client = app(sandbox);
  const old = await client.connect();
  await client.refresh(refreshTokenOf(old));
  expect(await works(sandbox, old.access_token)).toBe(false);
});

test('using a refresh token twice revokes all tokens of that consent and none of another', async () => {
  const sandbox = fresh();
  const client = app(sandbox);
  const [first, other] = [await client.connect(), await client.connect()];
  const second = await client.refresh(refreshTokenOf(first));
  const third = await client.refresh(refreshTokenOf(second));
  expect(await works(sandbox, third.access_token)).toBe(true);
  expect(await refusal(client.refresh(refreshTokenOf(first)))).toBe('invalid_grant');
  expect(await works(sandbox, third.access_token)).toBe(false);
  expect(await refusal(client.refresh(refreshTokenOf(third)))).toBe('invalid_grant');
  expect(await works(sandbox, other.access_token)).toBe(true);
});

test('a refresh may narrow the scope and widen it again up to the granted one', async () => {
  const client = app(fresh());
  const tokens = await client.connect();
  const narrow = await client.refresh(refreshTokenOf(tokens), { scope: 'subscriptions:read' });
  expect(narrow.scope).toBe('subscriptions:read');
  expect(await refusal(client.refresh(refreshTokenOf(narrow), { scope: 'subscriptions:read posts:read' }))).toBe(
    'invalid_scope',
  );
  expect((await client.refresh(refreshTokenOf(narrow))).scope).toBe('subscriptions:read subscriptions:write');
});

test('a refresh token does not expire', async () => {
  const sandbox = fresh();
  const client = app(sandbox);
  const tokens = await client.connect();
  sandbox.clock.advance(3 * 365 * 86_400_000);
  expect(await works(sandbox, (await client.refresh(refreshTokenOf(tokens))).access_token)).toBe(true);
});

test.each(['access', 'refresh'] as const)(
  'revoking the %s token ends both, whatever the hint, and can be repeated',
  async (which) => {
    for (const hint of [undefined, 'access_token', 'refresh_token', 'nonsense']) {
      const sandbox = fresh();
      const client = app(sandbox);
      const tokens = await client.connect();
      const token = which === 'access' ? tokens.access_token : refreshTokenOf(tokens);
      await client.revoke(token, hint);
      await client.revoke(token, hint);
      expect(await works(sandbox, tokens.access_token)).toBe(false);
      expect(await refusal(client.refresh(refreshTokenOf(tokens)))).toBe('invalid_grant');
    }
  },
);

test('revoking an unknown token succeeds; revoking a token of another client is refused', async () => {
  const sandbox = fresh();
  const [mine, theirs] = [app(sandbox), app(sandbox, { authentication: 'post' })];
  await mine.revoke('nothing');
  const { access_token } = await theirs.connect();
  expect(await refusal(mine.revoke(access_token))).toBe('unauthorized_client');
  expect(await works(sandbox, access_token)).toBe(true);
});

test('introspection describes a valid access token and answers inactive afterwards', async () => {
  const sandbox = fresh();
  const client = app(sandbox, { authentication: 'basic' });
  const { access_token } = await client.connect();
  const [iat, exp] = [noon / 1000, noon / 1000 + 7200];
  expect(await client.introspect(access_token)).toEqual({
    active: true,
    scope: 'subscriptions:read subscriptions:write',
    client_id: 'sandbox-app',
    token_type: 'Bearer',
    iat,
    exp,
  });
  expect(await client.introspect(access_token, 'refresh_token')).toMatchObject({ active: true });
  sandbox.clock.advance(7200_000);
  expect(await client.introspect(access_token)).toEqual({ active: false });
  expect(await client.introspect('nothing')).toEqual({ active: false });
});

test('introspection describes a refresh token without type and expiry, with the granted scope', async () => {
  const client = app(fresh(), { authentication: 'post' });
  const narrow = await client.refresh(refreshTokenOf(await client.connect()), { scope: 'subscriptions:read' });
  expect(await client.introspect(refreshTokenOf(narrow))).toEqual({
    active: true,
    scope: 'subscriptions:read subscriptions:write',
    client_id: 'sandbox-app',
    iat: noon / 1000,
  });
  expect(await client.introspect(narrow.access_token)).toMatchObject({ scope: 'subscriptions:read' });
});

test('introspection answers inactive for the tokens of another client', async () => {
  const sandbox = fresh();
  const { access_token } = await app(sandbox).connect();
  expect(await app(sandbox, { authentication: 'basic' }).introspect(access_token)).toEqual({ active: false });
});

test('equal requests give equal tokens; another id seed gives others', async () => {
  const first = await app(fresh(), { challenge: 'plain' }).connect();
  expect(await app(fresh(), { challenge: 'plain' }).connect()).toEqual(first);
  expect((await app(fresh({ idSeed: 2 }), { challenge: 'plain' }).connect()).access_token).not.toBe(first.access_token);
});

test('a snapshot contains tokens, and a reset deletes them', async () => {
  const sandbox = fresh();
  const client = app(sandbox);
  const tokens = await client.connect();
  const control = (path: string) => sandbox.fetch(`http://sandbox.test/_sandbox/${path}`, { method: 'POST' });
  const { data } = (await (await control('snapshots')).json()) as { data: { id: string } };
  await client.refresh(refreshTokenOf(tokens));
  expect(await works(sandbox, tokens.access_token)).toBe(false);
  expect((await control(`snapshots/${data.id}/restore`)).status).toBe(200);
  expect(await works(sandbox, tokens.access_token)).toBe(true);
  expect((await client.refresh(refreshTokenOf(tokens))).token_type).toBe('bearer');
  sandbox.reset();
  expect(await works(sandbox, tokens.access_token)).toBe(false);
});
