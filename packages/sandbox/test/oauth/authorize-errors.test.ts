/** Refusals of the authorization endpoint. */
import { describe, expect, test } from 'vitest';
import { fresh } from '../caller.ts';
import { callback, origin } from './app.ts';
import { asked, authorizeUrl, errorOf, get } from './wire.ts';
import { texts, lacks, publicAsked, without, limited } from './refused-requests.ts';

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
