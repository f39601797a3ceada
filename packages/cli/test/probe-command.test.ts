/** The command `newsletter probe`: output, files and exit codes. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { scratchFolder } from '../../../test/support/scratch-folder.ts';
import { test as base } from '@newsletter-kit/sandbox/vitest';
import { expect } from 'vitest';
import { events, run, start } from './command.ts';

const test = base.extend({ sandboxOptions: { seed: 'demo' } });

test('prints a verdict for every operation, and no address, key or value', async ({ sandboxOnPort: { env } }) => {
  const { code, stdout, stderr } = await start(['probe'], env).ended;
  expect(code).toBe(0);
  expect(stdout).toContain('as specified subscriptions.list, by page');
  expect(stdout).toContain('not read     oauth.tokenInfo: it describes an OAuth login, and this is an API key');
  expect(stdout).toContain('the client understands all of them');
  expect(stdout + stderr).not.toMatch(/@|sandbox-key/);
});

test('writes shapes to a file', async ({ sandboxOnPort: { env } }) => {
  const file = join(scratchFolder(), 'shapes.json');
  const { code, stdout } = await run(['probe', '--out', file, '--json'], env);
  expect(code).toBe(0);
  const { operations, unknown_path } = JSON.parse(await readFile(file, 'utf8')) as Record<string, object>;
  expect(operations).toHaveProperty(['subscriptions.list', 'statuses'], { 200: 4 });
  expect(unknown_path).toMatchObject({ statuses: { 404: 1 } });
  expect(events(stdout).at(-1)).toMatchObject({ type: 'probed', breaking: 0, shapes: file });
});

test('ends with code 2 where the client does not understand an answer', async ({ sandboxOnPort: { env, faults } }) => {
  faults.add({ match: 'authors.list', effect: { status: 404 } });
  const { code, stdout } = await run(['probe'], env);
  expect(code).toBe(2);
  expect(stdout).toMatch(/breaks {7}authors\.list\n {5}answered 404/);
});

test('compares nothing with a key that the service refuses, or a publication that it does not know', async ({
  sandboxOnPort: { env },
}) => {
  const refused = await run(['probe'], { ...env, NEWSLETTER_API_KEY: 'wrong-key' });
  expect([refused.code, refused.stdout]).toEqual([77, '']);
  expect(refused.stderr).toContain('The service refuses the key or login');
  const unknown = await run(['probe', '--publication', 'pub_11111111-1111-4111-8111-111111111111'], env);
  expect(unknown.code).toBe(64);
  expect(unknown.stderr).toContain('does not know the publication');
});
