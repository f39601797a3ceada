/** Fuzzing of the OAuth endpoints: every answer is a documented one. */
import { oauthError } from '@newsletter-kit/core/schema';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fresh } from '../caller.ts';
import { callback, origin } from './app.ts';
import { asked, codeFor, confidential, tokensFor } from './wire.ts';

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('\u0000', '\ud800', '%', '%E0%A4%A', ':', '__proto__'),
);

test('no request to OAuth causes a 500, and every error is one of RFC 6749', async () => {
  const sandbox = fresh();
  const { access_token: access, refresh_token: refresh } = await tokensFor(sandbox);
  const code = await codeFor(sandbox);
  const names = [
    'client_id',
    'client_secret',
    'redirect_uri',
    'response_type',
    'scope',
    'state',
    'code_challenge',
    'code_challenge_method',
    'grant_type',
    'code',
    'code_verifier',
    'refresh_token',
    'token',
    'token_type_hint',
    'authenticity_token',
    'decision',
  ];
  const values = [
    ...Object.values(asked),
    ...Object.values(confidential),
    'sandbox-public',
    'c'.repeat(43),
    'S256',
    'plain',
    'authorization_code',
    'refresh_token',
    'access_token',
    access,
    refresh,
    code,
    callback,
    'allow',
    'deny',
    'constructor',
  ];
  const address = fc
    .tuple(
      fc.constantFrom('http', 'https', 'x'),
      fc.constantFrom('localhost', '127.0.0.1', '[::1]', '127.0.0.1@a', ''),
      fc.oneof(
        fc.constant(''),
        fc.nat(99_999).map((port) => `:${port}`),
      ),
      fc.constantFrom('/', '/callback', '/callback#x', ''),
    )
    .map(([scheme, host, port, path]) => `${scheme}://${host}${port}${path}`);
  const fields = fc.array(
    fc.tuple(
      fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...names) }, text),
      fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...values) }, text),
    ),
    { maxLength: 8 },
  );
  const wellAsked = address.map((redirect_uri) => Object.entries({ ...asked, redirect_uri }));
  const good = fc.oneof(
    wellAsked,
    fc.constantFrom<[string, string][]>(
      [['grant_type', 'authorization_code']],
      [['grant_type', 'refresh_token']],
      Object.entries(asked),
      Object.entries(confidential),
    ),
  );
  const form = fc
    .tuple(good, fields)
    .map(([some, more]) =>
      new URLSearchParams(
        [...some, ...more].map(([name, value]): [string, string] => [name.toWellFormed(), value.toWellFormed()]),
      ).toString(),
    );
  const body = fc.oneof(
    form,
    text.map((it) => it.toWellFormed()),
    fields.map((pairs) => JSON.stringify(Object.fromEntries(pairs))),
    fc.jsonValue().map((json) => JSON.stringify(json)),
  );
  const header = fc.oneof(
    fc.constantFrom(
      undefined,
      `Bearer ${access}`,
      'Basic',
      `Basic ${btoa('sandbox-app:sandbox-secret')}`,
      'Basic %%%',
      `Basic ${btoa(':')}`,
    ),
    fc.base64String().map((it) => `Basic ${it}`),
    fc.base64String().map((it) => `Bearer ${it}`),
  );
  const seen = new Set<number>();
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('GET', 'POST', 'HEAD', 'PUT', 'OPTIONS'),
      fc.oneof(
        { weight: 6, arbitrary: fc.constantFrom('authorize', 'token', 'revoke', 'introspect', 'token/info') },
        fc.webPath().map((path) => path.slice(1)),
      ),
      form,
      body,
      header,
      fc.constantFrom(
        'application/x-www-form-urlencoded',
        'application/json',
        'text/plain',
        'multipart/form-data',
        'x',
        undefined,
      ),
      fc.constantFrom('text/html', 'application/json', undefined),
      async (method, path, query, sent, authorization, type, accept) => {
        const headers = Object.entries({ authorization, 'content-type': type, accept }).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, value] as [string, string]],
        );
        const answer = await sandbox.fetch(`${origin}/oauth/${path}?${query}`, {
          method,
          headers,
          ...(method !== 'GET' && method !== 'HEAD' && { body: sent }),
          redirect: 'manual',
        });
        seen.add(answer.status);
        expect([200, 302, 400, 401, 403, 404, 405]).toContain(answer.status);
        const location = answer.headers.get('location');
        if (answer.status === 302) expect(location).toMatch(/^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])[:/]/);
        else expect(location).toBeNull();
        if (
          answer.status >= 400 &&
          method !== 'HEAD' &&
          answer.headers.get('content-type')?.startsWith('application/json')
        )
          oauthError.parse(await answer.json());
      },
    ),
    { numRuns: 4000 },
  );
  expect([...seen].toSorted()).toEqual([200, 302, 400, 401, 403, 404, 405]);
});
