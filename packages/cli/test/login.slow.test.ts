import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { consent, oauthClients, publicationId } from '@newsletter-kit/sandbox';
import { test as base, type SandboxOnPort } from '@newsletter-kit/sandbox/vitest';
import { expect } from 'vitest';
import { events, run, start, type Started } from './command.ts';
import { waitUntil } from '../../../test/support/waits.ts';
import { scratchFolder } from '../../../test/support/scratch-folder.ts';

const test = base.extend({ sandboxOptions: { seed: 'demo' } });

/** The settings of a user without a key, who signs in with a public OAuth app. */
function user(sandbox: SandboxOnPort) {
  const folder = scratchFolder();
  const env = {
    XDG_CONFIG_HOME: folder,
    NEWSLETTER_API_URL: `${sandbox.address}/v2`,
    NEWSLETTER_APP_URL: sandbox.address,
    NEWSLETTER_OAUTH_CLIENT_ID: oauthClients.public.uid,
  };
  return { env, kit: join(folder, 'newsletter-kit'), home: { XDG_CONFIG_HOME: folder } };
}

/** The files of a login, without the lock file of the tokens, which is empty and stays. */
const loginFiles = (kit: string): string[] =>
  readdirSync(kit)
    .filter((file) => !file.endsWith('-lock'))
    .toSorted();

const addressOf = (login: Started): Promise<string> =>
  waitUntil('an address to sign in at', () => /^ {2}(http\S+)$/m.exec(login.stderr())?.[1] ?? null);
const begin = (env: Readonly<Record<string, string>>, ...args: string[]): Started =>
  start(['login', '--no-browser', ...args], env);

/** Signs in as a browser does, from the consent page on. */
async function signIn(env: Readonly<Record<string, string>>, ...args: string[]) {
  const login = begin(env, ...args);
  const redirected = await fetch(await consent(fetch, await addressOf(login)));
  return { ...(await login.ended), page: await redirected.text(), status: redirected.status };
}

test('logs in with a browser, stores the tokens readable by their owner only, and revokes them', async ({
  sandboxOnPort: sandbox,
}) => {
  const { env, kit, home } = user(sandbox);
  const { code, stdout, page } = await signIn({ ...env, NEWSLETTER_PUBLICATION_ID: publicationId });
  expect({ code, page }).toEqual({ code: 0, page: expect.stringContaining('You are signed in') });
  expect(stdout).toContain('Scopes: custom_fields:read, subscriptions:read, subscriptions:write.');

  const files = loginFiles(kit);
  expect(files).toEqual(['profiles.json', expect.stringMatching(/^tokens-\w{16}\.json$/)]);
  expect(files.map((file) => statSync(join(kit, file)).mode & 0o777)).toEqual([0o600, 0o600]);
  expect(statSync(kit).mode & 0o777).toBe(0o700);

  // Later commands need no settings, and renew an expired token.
  sandbox.clock.advance('PT3H');
  const who = await run(['whoami'], home);
  expect(who).toMatchObject({ code: 0, stderr: '' });
  expect(who.stdout).toContain(`by login, as the app sandbox-public at ${sandbox.address}`);
  expect(who.stdout).toContain(`${publicationId} – accessible`);
  expect(who.stdout).toContain('custom_fields:read, subscriptions:read, subscriptions:write');
  const list = await run(['export'], home);
  expect(list.code).toBe(0);
  expect(list.stdout.trim().split('\r\n')).toHaveLength(301);
  expect(sandbox.requests().filter(({ operation }) => operation === 'oauth.refresh')).toHaveLength(1);

  const tokens = JSON.parse(readFileSync(join(kit, files[1] ?? ''), 'utf8')) as { accessToken: string };
  expect(await run(['logout'], home)).toMatchObject({
    code: 0,
    stdout: `Logged out of ${sandbox.address} (profile default).\n`,
  });
  expect(loginFiles(kit)).toEqual(['profiles.json']);
  const revoked = await fetch(`${sandbox.address}/oauth/token/info`, {
    headers: { authorization: `Bearer ${tokens.accessToken}` },
  });
  expect(revoked.status).toBe(401);
  expect(await run(['logout'], home)).toMatchObject({ code: 0, stdout: 'Nobody is logged in.\n' });
  expect((await run(['whoami'], home)).stderr).toContain('Nobody is logged in');
});

test('logs in with a confidential app, and does not store its secret', async ({ sandboxOnPort: sandbox }) => {
  const { env, kit, home } = user(sandbox);
  const secret = { NEWSLETTER_OAUTH_CLIENT_SECRET: oauthClients.confidential.secret };
  const login = start(['login', '--no-browser', '--json', '--scope', 'subscriptions:read'], {
    ...env,
    NEWSLETTER_OAUTH_CLIENT_ID: oauthClients.confidential.uid,
    ...secret,
  });
  const { url } = await waitUntil(
    'the event with the address',
    () => events(login.stdout()).find(({ type }) => type === 'authorize') ?? null,
  );
  await fetch(await consent(fetch, String(url)));
  const ended = await login.ended;
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(events(ended.stdout).at(-1)).toMatchObject({ type: 'login', scopes: ['subscriptions:read'] });
  for (const file of loginFiles(kit))
    expect(readFileSync(join(kit, file), 'utf8')).not.toContain(oauthClients.confidential.secret);

  sandbox.clock.advance('PT3H');
  const who = await run(['whoami', '--json', '--publication', publicationId], { ...home, ...secret });
  expect(events(who.stdout)).toEqual([
    expect.objectContaining({
      type: 'whoami',
      credential: 'login',
      accepted: true,
      publication: 'reached',
      scopes: ['subscriptions:read'],
    }),
  ]);
});

test('reports a login that the user refuses, and stores nothing', async ({ sandboxOnPort: sandbox }) => {
  const { env, home } = user(sandbox);
  const login = begin(env);
  const redirected = await fetch(await consent(fetch, await addressOf(login), 'deny'));
  expect(redirected.status).toBe(400);
  const { code, stderr } = await login.ended;
  expect(code).toBe(77);
  expect(stderr).toContain('did not allow access');
  expect((await run(['whoami'], { ...env, ...home })).stderr).toContain('Nobody is logged in');
});

test('ignores requests to the loopback port that do not belong to the login', async ({ sandboxOnPort: sandbox }) => {
  const { env } = user(sandbox);
  const login = begin(env);
  const url = await addressOf(login);
  const port = new URL(new URL(url).searchParams.get('redirect_uri') ?? '').origin;
  const tries = [
    '/',
    '/favicon.ico',
    '/callback',
    '/callback?error=access_denied',
    '/callback?code=x&state=x',
    '/callback?code=x&state=x&state=y',
  ];
  expect(await Promise.all(tries.map(async (path) => (await fetch(port + path)).status))).toEqual([
    404, 404, 400, 400, 400, 400,
  ]);
  expect((await fetch(await consent(fetch, url))).status).toBe(200);
  expect((await login.ended).code).toBe(0);
});

test('ends a login after its time limit and with Ctrl-C', async ({ sandboxOnPort: sandbox }) => {
  const { env } = user(sandbox);
  const late = begin(env, '--timeout', '1');
  expect(await late.ended).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('The sign-in was not completed within 1 s'),
  });
  const stopped = begin(env);
  await addressOf(stopped);
  stopped.kill('SIGINT');
  expect(await stopped.ended).toMatchObject({ code: 3, stderr: expect.stringContaining('The login was interrupted') });
});

test('reports usage errors before a login', async ({ sandboxOnPort: sandbox }) => {
  const { env, home } = user(sandbox);
  expect((await run(['login'], home)).stderr).toMatch(
    /NEWSLETTER_API_URL is missing[\s\S]*NEWSLETTER_APP_URL is missing[\s\S]*NEWSLETTER_OAUTH_CLIENT_ID is missing/,
  );
  expect((await run(['login', '--app-url', 'http://app.test'], env)).stderr).toContain(
    'must be an https address, or http on this machine',
  );
  const taken = new URL(sandbox.address).port;
  expect((await run(['login', '--port', taken, '--no-browser'], env)).stderr).toContain(
    `Cannot listen on port ${taken} of 127.0.0.1`,
  );
});

test('sends the token of a login only to the service of its profile', async ({ sandboxOnPort: sandbox }) => {
  const { env, home } = user(sandbox);
  await signIn(env);
  const { code, stderr } = await run(['whoami'], { ...home, NEWSLETTER_API_URL: 'http://127.0.0.1:9/v2' });
  expect(code).toBe(77);
  expect(stderr).toContain(`its credential is not sent to http://127.0.0.1:9/v2`);
});

test('requires a new login after the service revoked it, and logout still deletes the login', async ({
  sandboxOnPort: sandbox,
}) => {
  const { env, kit, home } = user(sandbox);
  await signIn({ ...env, NEWSLETTER_PUBLICATION_ID: publicationId });
  sandbox.reset();
  const { code, stdout } = await run(['whoami'], home);
  expect(code).toBe(77);
  expect(stdout).toContain('the login has ended: run newsletter login');
  expect((await run(['export'], home)).stderr).toContain('Log in again');
  expect(await run(['logout'], { ...home, NEWSLETTER_OAUTH_CLIENT_SECRET: 'not-of-a-public-app' })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('settings of the service'),
  });
  expect(loginFiles(kit)).toEqual(['profiles.json']);
});
