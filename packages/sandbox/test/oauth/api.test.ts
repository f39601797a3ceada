/** The API with access tokens: which tokens are valid, and what each scope allows. */
import { operations } from '@newsletter-kit/core/contract';
import { describe, expect, test } from 'vitest';
import { publicationId } from '../../src/index.ts';
import { errorsOf, fresh, send, subscriptionsPath } from '../caller.ts';
import { confidential, post, tokensFor } from './wire.ts';

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

test('an expired or revoked access token is a 401 with the reason', async () => {
  const sandbox = fresh();
  const [one, two] = [await tokensFor(sandbox), await tokensFor(sandbox)];
  const get = (token: string) => send(sandbox, 'GET', subscriptionsPath, undefined, bearer(token));
  expect((await get(one.access_token)).status).toBe(200);
  await post(sandbox, 'revoke', { token: two.access_token, ...confidential });
  const revoked = await get(two.access_token);
  sandbox.clock.advance(7_199_999);
  expect((await get(one.access_token)).status).toBe(200);
  sandbox.clock.advance(1);
  const expired = await get(one.access_token);
  expect([revoked, expired].map((answer) => [answer.status, errorsOf(answer)])).toEqual([
    [401, [{ message: 'The access token was revoked', code: 'INVALID_ACCESS_TOKEN' }]],
    [401, [{ message: 'The access token expired', code: 'INVALID_ACCESS_TOKEN' }]],
  ]);
  expect(expired.headers.get('www-authenticate')).toBe(
    'Bearer realm="Doorkeeper", error="invalid_token", error_description="The access token expired"',
  );
});

test('the API refuses a refresh token and an authorization code', async () => {
  const sandbox = fresh();
  const { refresh_token: refresh } = await tokensFor(sandbox);
  const answered = await send(sandbox, 'GET', subscriptionsPath, undefined, bearer(refresh));
  expect([answered.status, errorsOf(answered)]).toEqual([
    401,
    [{ message: 'The api key is not valid', code: 'INVALID_API_KEY' }],
  ]);
});

test('an access token gives access to every publication of the workspace', async () => {
  const other = 'pub_00000000-0000-4000-8000-000000000002';
  const sandbox = fresh({
    seed: {
      publications: [
        { id: publicationId, name: 'A' },
        { id: other, name: 'B' },
      ],
    },
  });
  const { access_token: token } = await tokensFor(sandbox);
  for (const id of [publicationId, other])
    expect((await send(sandbox, 'GET', `/publications/${id}/subscriptions`, undefined, bearer(token))).status).toBe(
      200,
    );
});

describe('each operation of the API', () => {
  const api = operations.filter((operation) => operation.base === 'api');
  const scopes = [...new Set(api.flatMap(({ scope }) => (scope === null ? [] : [scope])))];
  const path = (template: string) =>
    template
      .replaceAll('{publicationId}', publicationId)
      .replaceAll(/\{\w+\}/g, '00000000-0000-4000-8000-00000000000a');

  test.each(api.filter(({ scope }) => scope !== null))(
    '$id needs $scope, and no other scope will do',
    async (operation) => {
      const sandbox = fresh();
      const scope = operation.scope ?? '';
      const body = operation.body ? {} : undefined;
      const others = await tokensFor(
        sandbox,
        ['identify:read', ...scopes.filter((other) => other !== scope)].join(' '),
      );
      const refused = await send(sandbox, operation.method, path(operation.path), body, bearer(others.access_token));
      expect([refused.status, errorsOf(refused)]).toEqual([
        403,
        [{ message: `The access token lacks the scope ${scope}.`, code: 'INSUFFICIENT_SCOPE' }],
      ]);
      expect(refused.headers.get('www-authenticate')).toContain(
        `error="insufficient_scope", error_description="The access token lacks the scope ${scope}.", scope="${scope}"`,
      );
      const right = await tokensFor(sandbox, scope);
      expect([401, 403]).not.toContain(
        (await send(sandbox, operation.method, path(operation.path), body, bearer(right.access_token))).status,
      );
    },
  );

  test.each(api.filter(({ scope }) => scope === null))('$id takes any good token', async (operation) => {
    const sandbox = fresh();
    const { access_token: token } = await tokensFor(sandbox, 'identify:read');
    expect([401, 403]).not.toContain(
      (await send(sandbox, operation.method, path(operation.path), operation.body ? {} : undefined, bearer(token)))
        .status,
    );
  });
});
