import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { publicationId } from '@newsletter-kit/sandbox';
import { test, type SandboxOnPort } from '@newsletter-kit/sandbox/vitest';
import { expect } from 'vitest';
import { events, run, start } from './command.ts';
import { waitUntil } from '../../../test/support/waits.ts';
import { scratchFolder } from '../../../test/support/scratch-folder.ts';

/** A user without settings. */
function user(sandbox: SandboxOnPort) {
  const folder = scratchFolder();
  const env = { XDG_CONFIG_HOME: folder };
  const address = ['--api-url', `${sandbox.address}/v2`, '--publication', publicationId];
  const login = (profile: string) => ['login', '--with-token', '--profile', profile, ...address];
  return {
    env,
    file: join(folder, 'newsletter-kit', 'profiles.json'),
    login,
    saveKey: (profile: string, key = 'sandbox-key') => run(login(profile), env, [`${key}\n`]),
    newsletter: (...args: string[]) => run(args, env),
  };
}

test('stores a key from stdin in a profile that only its owner can read, and uses it', async ({
  sandboxOnPort: sandbox,
}) => {
  const { env, login, newsletter, file } = user(sandbox);
  expect(await start(login('prod'), env, 'echo sandbox-key | "$@"').ended).toMatchObject({
    code: 0,
    stdout: `Saved the API key in the profile prod (${file}).\n`,
  });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const who = await newsletter('whoami');
  expect(who).toMatchObject({ code: 0, stderr: '' });
  expect(who.stdout).toContain('Profile      prod\n');
  expect(who.stdout).toContain('with the API key of the profile');
  expect(who.stdout).toContain(`${publicationId} – accessible`);
  expect(who.stdout).not.toContain('sandbox-key');

  // The addresses stay for the next login.
  expect(await newsletter('logout')).toMatchObject({ code: 0 });
  expect(readFileSync(file, 'utf8')).not.toContain('sandbox-key');
  expect((await newsletter('whoami')).stderr).toContain('Nobody is logged in with the profile prod');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ profiles: { prod: { publicationId } } });
});

test('stores no key that is refused, missing or malformed', async ({ sandboxOnPort: sandbox }) => {
  const { saveKey, file } = user(sandbox);
  expect(await saveKey('prod', 'wrong')).toMatchObject({
    code: 77,
    stderr: expect.stringContaining('refuses this key'),
  });
  expect(await saveKey('prod', '')).toMatchObject({ code: 64, stderr: expect.stringContaining('stdin is empty') });
  expect(await saveKey('prod', 'two words')).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('bare API key'),
  });
  expect(await saveKey('sandbox')).toMatchObject({ code: 64, stderr: expect.stringContaining('is built in') });
  expect(existsSync(file)).toBe(false);
});

test('lists, selects and removes profiles', async ({ sandboxOnPort: sandbox }) => {
  const { saveKey, newsletter, file } = user(sandbox);
  await saveKey('prod');
  await saveKey('staging', 'sandbox-key-restricted');
  const current = async () =>
    events((await newsletter('profiles', 'list', '--json')).stdout).map(({ profile, current: is }) => [profile, is]);
  expect(await current()).toEqual([
    ['sandbox', false],
    ['prod', true],
    ['staging', false],
  ]);
  expect((await newsletter('profiles', 'list')).stdout).toMatch(/^ {2}sandbox .*\n\* prod {12}http/);
  expect(await newsletter('profiles', 'use', 'staging')).toMatchObject({ code: 0 });
  expect((await newsletter('whoami')).stdout).toContain('Profile      staging');
  expect((await newsletter('whoami', '--profile', 'prod')).stdout).toContain('Profile      prod');
  expect(await newsletter('profiles', 'remove', 'staging')).toMatchObject({ code: 0 });
  expect(await current()).toEqual([
    ['sandbox', true],
    ['prod', false],
  ]);
  expect(readFileSync(file, 'utf8')).not.toContain('restricted');
  expect(await newsletter('profiles', 'use', 'staging')).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('There is no profile "staging". The profiles are prod, sandbox.'),
  });
  expect((await newsletter('profiles', 'remove', 'sandbox')).stderr).toContain('is built in and cannot be removed');
});

test('prefers flags to variables, variables to the profile, and --profile to variables', async ({
  sandboxOnPort: sandbox,
}) => {
  const { saveKey, env } = user(sandbox);
  await saveKey('prod');
  const who = async (args: readonly string[], variables: Readonly<Record<string, string>>) => {
    const { stdout } = await run(['whoami', '--json', ...args], { ...env, ...variables });
    return events(stdout).at(-1);
  };
  const other = 'pub_11111111-1111-4111-8111-111111111111';
  const third = 'pub_22222222-2222-4222-8222-222222222222';
  expect(await who([], { NEWSLETTER_PUBLICATION_ID: other })).toMatchObject({ profile: 'prod', publication_id: other });
  expect(await who(['--publication', third], { NEWSLETTER_PUBLICATION_ID: other })).toMatchObject({
    publication_id: third,
  });
  expect(await who([], { NEWSLETTER_API_KEY: 'wrong' })).toMatchObject({ accepted: false });
  expect(
    await who(['--profile', 'prod'], { NEWSLETTER_API_KEY: 'wrong', NEWSLETTER_PUBLICATION_ID: other }),
  ).toMatchObject({ accepted: true, publication_id: publicationId });
  expect(await who([], { NEWSLETTER_PROFILE: 'prod', NEWSLETTER_PUBLICATION_ID: other })).toMatchObject({
    publication_id: other,
  });
});

test('sends the key of a profile only to the service of the profile', async ({ sandboxOnPort: sandbox }) => {
  const { saveKey, newsletter } = user(sandbox);
  await saveKey('prod');
  const { code, stderr } = await newsletter('whoami', '--api-url', 'http://127.0.0.1:4999/v2');
  expect({ code, stderr }).toEqual({ code: 77, stderr: expect.stringContaining('its credential is not sent to http') });
});

test('refuses profiles that other users can read', async ({ sandboxOnPort: sandbox }) => {
  const { saveKey, newsletter, file } = user(sandbox);
  await saveKey('prod');
  chmodSync(file, 0o644);
  expect((await newsletter('whoami')).stderr).toContain(`Run chmod 600 ${file}.`);
});

test('uses the sandbox on its default port where nothing is configured, and prints a notice', async () => {
  const { stderr } = start(['whoami'], { XDG_CONFIG_HOME: scratchFolder() });
  await waitUntil('the notice', () =>
    /^No connection is configured, so the sandbox at http:\/\/127\.0\.0\.1:4010\/v2 is used/.exec(stderr()),
  );
});
