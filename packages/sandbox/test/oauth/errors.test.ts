/** Refusals of the other OAuth endpoints, and their entries in the log. */
import { describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/index.ts';
import { fresh } from '../caller.ts';
import { origin } from './app.ts';
import { asked, authorizeUrl, codeFor, confidential, errorOf, get, post, tokensFor, type Fields } from './wire.ts';

describe('introspect', () => {
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
