/** The redirect URIs that a client may name. */
import { describe, expect, test } from 'vitest';
import { createSandbox, publicationId, SeedError, type Seed } from '../../src/index.ts';
import { fresh } from '../caller.ts';
import { asked, authorizeUrl } from './wire.ts';

/** Whether the request is taken; the only other answer is the refusal in place. */
async function accepts(
  sandbox: ReturnType<typeof fresh>,
  redirect_uri: string,
  client_id = 'sandbox-app',
): Promise<boolean> {
  const { status } = await sandbox.fetch(
    authorizeUrl({ ...asked, client_id, redirect_uri, code_challenge: 'c'.repeat(43), code_challenge_method: 'S256' }),
  );
  expect([200, 400]).toContain(status);
  return status === 200;
}

const seed = (...redirect_uris: string[]): Seed => ({
  publications: [{ id: publicationId, name: 'P' }],
  oauth_clients: [{ uid: 'mine', name: 'Mine', secret: null, redirect_uris }],
});

describe('the clients of the standard seeds', () => {
  test.each([
    'http://localhost:5678/rest/oauth2-credential/callback',
    'http://127.0.0.1:5678/rest/oauth2-credential/callback',
    'http://127.0.0.1:49152/callback',
    'http://127.0.0.1/callback',
    'http://localhost:3000/oauth/callback',
    'http://[::1]:8080/callback',
    'http://localhost:8085/',
    'http://127.0.0.1:8085/oauth2callback',
  ])('may be called back at %s', async (uri) => {
    for (const client of ['sandbox-app', 'sandbox-public']) expect(await accepts(fresh(), uri, client)).toBe(true);
  });

  test.each([
    'https://127.0.0.1:5678/callback',
    'http://127.0.0.2/callback',
    'http://localhost.evil.example/callback',
    'http://127.0.0.1:80:80/callback',
    'http://127.0.0.1@evil.example/callback',
    'http://user@127.0.0.1/callback',
    'http://127.0.0.1:99999/callback',
    'http://127.0.0.1/callback/',
    'http://127.0.0.1/CALLBACK',
    'http://127.0.0.1/callback?x',
    'http://127.0.0.1/callback#x',
    'http://127.0.0.1/x/../callback',
    'http:\\\\127.0.0.1\\callback',
    'HTTP://127.0.0.1/callback',
    ' http://127.0.0.1/callback',
    'http://127.0.0.1:/callback',
    '//127.0.0.1/callback',
    '/callback',
    'javascript:alert(1)',
    'http://127.1/callback',
  ])('may not be called back at %s', async (uri) => {
    expect(await accepts(fresh(), uri)).toBe(false);
  });
});

describe('a client of a seed file', () => {
  test('accepts exactly the registered redirect URIs, with any port on loopback addresses', async () => {
    const sandbox = fresh({
      seed: seed('https://app.example/cb?tenant=1', 'http://localhost:3000/done', 'com.example.app:/cb'),
    });
    const table = {
      'https://app.example/cb?tenant=1': true,
      'https://app.example/cb': false,
      'https://app.example:444/cb?tenant=1': false,
      'http://localhost:4000/done': true,
      'http://127.0.0.1:3000/done': false,
      'com.example.app:/cb': true,
    };
    for (const [uri, expected] of Object.entries(table))
      expect([uri, await accepts(sandbox, uri, 'mine')]).toEqual([uri, expected]);
  });

  test('gets the code added to the existing query of its redirect URI', async () => {
    const sandbox = fresh({ seed: seed('https://app.example/cb?tenant=1') });
    const answer = await sandbox.fetch(
      authorizeUrl({ client_id: 'mine', redirect_uri: 'https://app.example/cb?tenant=1', response_type: 'code' }),
    );
    expect(answer.headers.get('location')).toMatch(/^https:\/\/app\.example\/cb\?tenant=1&error=invalid_request&/);
  });

  test.each(['/callback', 'app', 'https://app.example/#x', 'javascript:alert(1)', ''])(
    'can not register "%s"',
    (uri) => {
      expect(() => createSandbox({ seed: seed(uri) })).toThrow(SeedError);
      expect(() => createSandbox({ seed: seed(uri) })).toThrow(
        'oauth_clients.0.redirect_uris.0: must be an absolute URI',
      );
    },
  );
});
