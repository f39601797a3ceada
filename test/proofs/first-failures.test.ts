/** What goes wrong first, tried for real: client and command line name the cause, and the exit code what to do. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient, isRecord } from '@newsletter-kit/core';
import { expect, it } from 'vitest';
import { withEnvironment } from '../support/captured-output.ts';
import { answering, closed, intercepted, refusingApi, unknownHost, wall } from '../support/failing-services.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { run } from '../../packages/cli/test/command.ts';

const key = 'hush-key';
const publicationId = 'pub_00000000-0000-4000-8000-000000000001';

const notReached = /could not be reached \((?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED)\)\. Check the base URL/;

it.each<[string, () => Promise<string> | string, RegExp, number]>([
  ['an intercepted TLS connection', intercepted, /TLS certificate .* was not accepted.*NODE_EXTRA_CA_CERTS/, 64],
  ['a host name that nobody has', () => unknownHost, notReached, 75],
  ['an address where nothing listens', closed, notReached, 75],
  ['a wrong key', () => refusingApi(401, 'bad key'), /answered 401.*Check the API key or token/, 77],
  ['a plan without the API, as 403', () => refusingApi(403, 'No API access'), /No API access.*must be enabled/, 77],
  ['a plan without the API, as 402', () => refusingApi(402, 'Upgrade it'), /Upgrade it.*plan of the account/, 65],
  ['a wall', () => answering(403, wall), /403 a page titled ‹Just a moment\.\.\.› \(server edge\)/, 75],
  ['another website', () => answering(404, '<title>None</title>'), /you and the service.*404.*base URL is wrong/, 75],
])('%s', async (_, address, message, code) => {
  const baseUrl = await address();
  const client = createClient({ baseUrl, token: key, publicationId, retry: false });
  await expect(Promise.resolve(client.subscriptions.list())).rejects.toThrow(message);
  const env = { NEWSLETTER_API_URL: baseUrl, NEWSLETTER_API_KEY: key, NEWSLETTER_PUBLICATION_ID: publicationId };
  const ended = await run(['api', 'subscriptions.list', '--json'], env);
  const { error }: { readonly error?: unknown } = JSON.parse(ended.stderr.trimEnd().split('\n').at(-1) ?? '');
  expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code, stdout: '' });
  expect(isRecord(error) && error['message']).toMatch(message);
  expect(ended.stderr).not.toContain(key);
});

it('no key', async () => {
  expect(() => createClient({ baseUrl: 'http://api.test/v2' })).toThrow('token is missing: pass an API key');
  const ended = await run(['whoami'], { NEWSLETTER_API_URL: 'http://api.test/v2' });
  expect(ended).toMatchObject({ code: 77, stderr: expect.stringContaining('set NEWSLETTER_API_KEY to an API key') });
});

it('the key of another service', async () => {
  const other = { NEWSLETTER_API_URL: 'http://other.test/v2', NEWSLETTER_API_KEY: key };
  await withEnvironment(other, async () => {
    expect(() => createClient({ baseUrl: 'http://api.test/v2' })).toThrow(
      'NEWSLETTER_API_KEY belongs to NEWSLETTER_API_URL',
    );
  });
  const folder = scratchFolder();
  mkdirSync(join(folder, 'newsletter-kit'));
  const profile = { apiUrl: 'http://other.test/v2', credential: { kind: 'key', key } };
  writeFileSync(
    join(folder, 'newsletter-kit', 'profiles.json'),
    JSON.stringify({ current: 'a', profiles: { a: profile } }),
    { mode: 0o600 },
  );
  const ended = await run(['whoami'], { XDG_CONFIG_HOME: folder, NEWSLETTER_API_URL: 'http://api.test/v2' });
  expect(ended).toMatchObject({
    code: 77,
    stderr: expect.stringContaining('its credential is not sent to http://api.test/v2'),
  });
});
