/** Refusals of the token endpoint. */
import { describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/index.ts';
import { fresh } from '../caller.ts';
import { callback } from './app.ts';
import { asked, basic, codeFor, confidential, errorOf, post, tokensFor, type Fields } from './wire.ts';
import { texts, lacks, publicAsked, without, limited, type Row, refused } from './refused-requests.ts';

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
