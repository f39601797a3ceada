/** The six operations of OAuth in the contract: each succeeds and answers as core's schema reads it. */
import { operation, operations, type OperationId } from '@newsletter-kit/core/contract';
import { schemas } from '@newsletter-kit/core/schema';
import { expect, test } from 'vitest';
import type { Sandbox } from '../../src/index.ts';
import { fresh, noon } from '../caller.ts';
import { callback } from './app.ts';
import { asked, authorizeUrl, codeFor, confidential, get, post, tokensFor, type OauthAnswer } from './wire.ts';

type OauthId = Extract<OperationId, `oauth.${string}`>;

/** How each operation is brought to succeed. */
const successes: Readonly<Record<OauthId, (sandbox: Sandbox) => Promise<OauthAnswer>>> = {
  'oauth.authorize': async (sandbox) => {
    // Only the person's answer redirects; the page before it is a 200.
    expect((await sandbox.fetch(authorizeUrl())).status).toBe(200);
    await codeFor(sandbox);
    return { status: sandbox.requests().at(-1)?.status ?? 0, headers: new Headers(), body: {} };
  },
  'oauth.exchange': async (sandbox) =>
    post(sandbox, 'token', {
      grant_type: 'authorization_code',
      code: await codeFor(sandbox),
      redirect_uri: callback,
      ...confidential,
    }),
  'oauth.refresh': async (sandbox) =>
    post(sandbox, 'token', {
      grant_type: 'refresh_token',
      refresh_token: (await tokensFor(sandbox)).refresh_token,
      ...confidential,
    }),
  'oauth.revoke': async (sandbox) =>
    post(sandbox, 'revoke', {
      token: (await tokensFor(sandbox)).access_token,
      token_type_hint: 'access_token',
      ...confidential,
    }),
  'oauth.introspect': async (sandbox) =>
    post(sandbox, 'introspect', { token: (await tokensFor(sandbox)).access_token, ...confidential }),
  'oauth.tokenInfo': async (sandbox) =>
    get(sandbox, 'token/info', { Authorization: `Bearer ${(await tokensFor(sandbox)).access_token}` }),
};

const ids = Object.keys(successes) as OauthId[];

test('every operation below {app_url} is tested', () => {
  expect(ids.toSorted()).toEqual(
    operations
      .filter(({ base }) => base === 'app')
      .map(({ id }) => id)
      .toSorted(),
  );
});

test.each(ids)('%s succeeds with the documented status and is logged under its operation', async (id) => {
  const sandbox = fresh();
  const answer = await successes[id](sandbox);
  expect(answer.status).toBe(operation(id).success);
  if (id !== 'oauth.authorize') expect(schemas[id].answer.safeParse(answer.body)).toMatchObject({ success: true });
  expect(sandbox.requests().at(-1)).toMatchObject({ operation: id, status: operation(id).success });
});

test('token info answers owner, scope and expiry', async () => {
  const sandbox = fresh();
  const { access_token: token } = await tokensFor(sandbox, 'subscriptions:read posts:read', asked);
  sandbox.clock.advance(200_000);
  expect((await get(sandbox, 'token/info', { Authorization: `Bearer ${token}` })).body).toEqual({
    resource_owner_id: expect.any(String),
    scope: ['subscriptions:read'],
    expires_in: 7000,
    expires_in_seconds: 7000,
    application: { uid: 'sandbox-app', name: 'Sandbox app' },
    created_at: noon / 1000,
  });
});
