/** The page about OAuth: its example runs, its seed is one, its figures are those of the code. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { accessTokenLifetime, codeLifetime } from '../../src/oauth/grants.ts';
import { standardRedirectUris } from '../../src/world/client-registration.ts';
import { blocks, page } from '../../../../test/support/documentation.ts';
import { fresh } from '../caller.ts';
import { asked, authorizeUrl } from './wire.ts';

const section = page('sandbox/oauth');
const snippet = (language: string) => blocks(section, language)[0] ?? '';

test('the OAuth example of the page prints what its comments say', () => {
  const code = snippet('ts');
  const cwd = fileURLToPath(new URL('../..', import.meta.url));
  const ended = spawnSync(process.execPath, ['--conditions=@newsletter-kit/source', '--input-type=module-typescript'], {
    cwd,
    input: code,
    encoding: 'utf8',
    timeout: 120_000,
  });
  const said = [...code.matchAll(/^console\.log.*\/\/ (.*)$/gm)].map(([, comment]) => comment);
  expect(said).toHaveLength(3);
  expect(ended.stdout.trimEnd().split('\n'), ended.stderr).toEqual(said);
});

test('the seed of the page loads, and its client gets its redirect', async () => {
  const sandbox = fresh({ seed: JSON.parse(snippet('json')) as never });
  expect(
    (
      await sandbox.fetch(
        authorizeUrl({ ...asked, client_id: 'my-app', redirect_uri: 'https://app.example.com/callback' }),
      )
    ).status,
  ).toBe(200);
});

test('the redirect paths and the lifetimes of the page equal those of the code', () => {
  const paths = new Set(standardRedirectUris.map((uri) => new URL(uri).pathname));
  const prose = section.slice(section.indexOf('Both clients'), section.indexOf('Register any other'));
  expect(new Set([...prose.matchAll(/`(\/[\w/-]*)`/g)].map(([, path]) => path))).toEqual(paths);
  expect(section).toContain(`valid once, for ${codeLifetime} s`);
  expect(section).toContain(`valid for ${accessTokenLifetime} s.`);
});
