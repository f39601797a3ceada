/** The tables of the README and the pages are generated from the commands, and their examples run. */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test as base } from '@newsletter-kit/sandbox/vitest';
import { expect, it } from 'vitest';
import { exitCodes } from '../src/context.ts';
import { start } from './command.ts';
import { syncFixture } from './sync-fixture.ts';
import { generate } from './command-tables.ts';
import { commandTree } from './command-tree.ts';
import { root } from '../../../scripts/root.ts';
import { blocks, page, readmeAndPages } from '../../../test/support/documentation.ts';
import { scratchFolder } from '../../../test/support/scratch-folder.ts';
import { expectUpToDate } from '../../../test/support/up-to-date.ts';

const documentation = readmeAndPages('packages/cli/README.md', 'cli');
it('lists every command, argument, option and exit code', async () => {
  expectUpToDate(await generate());
  expect([...documentation.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code))).toEqual(
    Object.values(exitCodes),
  );
});

it('lists every setting with its flag', async () => {
  const flags = (await commandTree()).flatMap(({ options }) =>
    options.filter(({ envVar }) => envVar !== undefined).map(({ envVar, long }) => `${envVar} ${long}`),
  );
  expect(
    [...documentation.matchAll(/^\| `(NEWSLETTER_\w+)` \| `(--[\w-]+)`/gm)]
      .map(([, variable, flag]) => `${variable} ${flag}`)
      .toSorted(),
  ).toEqual([...new Set(flags)].toSorted());
});

const readme = readFileSync(join(root, 'packages/cli/README.md'), 'utf8');
const test = base.extend({ sandboxOptions: { seed: 'demo' } });

/**
 * Runs the shell block of a text that begins with these words, with the sandbox's address replaced. `npm run
 * newsletter --` runs the command, too.
 */
async function runBlock(
  text: string,
  begin: string,
  address: string,
  { folder = scratchFolder(), env = {} }: { folder?: string; env?: Readonly<Record<string, string>> },
) {
  const block = [...text.matchAll(/^```sh(?: elsewhere=".*")?\n([\s\S]*?)^```$/gm)]
    .map(([, lines = '']) => lines)
    .find((each) => each.startsWith(begin));
  const lines = (block ?? 'exit 9').replaceAll('http://127.0.0.1:4010', address);
  return await start(
    [],
    { HOME: folder, ...env },
    `newsletter() { ${'"$NODE" --conditions=@newsletter-kit/source "$MAIN" "$@"'}; }; npm() { shift 3; newsletter "$@"; }; NODE=$1 MAIN=$3; set -e; cd ${folder}; ${lines}`,
  ).ended;
}

test('runs the first commands as they are printed', async ({ sandboxOnPort: sandbox }) => {
  const folder = scratchFolder();
  const { code, stdout, stderr } = await runBlock(readme, 'export NEWSLETTER_API_URL', sandbox.address, { folder });
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('subscribers.csv') });
  expect(stdout).toContain('accessible');
  expect(readFileSync(join(folder, 'subscribers.csv'), 'utf8')).toContain('custom:');
});

base('runs the commands of docs/src/content/docs/cli/sync.md with PostgreSQL', async ({ sandboxOnPort: sandbox }) => {
  const { env, fields, path, sql, subscribe } = await syncFixture(sandbox);
  const [settings = ''] = blocks(page('cli/sync'), 'json');
  writeFileSync(path, settings.replace('crm.contacts', 'contacts').replace(/(?<=")[\da-f-]{36}(?=")/, fields.City));
  const folder = dirname(path);
  const contact = { id: '1', email: 'ada@example.com', city: 'Bonn', newsletter_status: 'active', do_not_mail: false };
  writeFileSync(join(folder, 'contacts.ndjson'), JSON.stringify(contact));
  await subscribe('ada@example.com', 'Bonn');
  const options = { folder, env };
  const { code, stdout, stderr } = await runBlock(page('cli/sync'), 'npm run newsletter', sandbox.address, options);
  expect({ code, stdout, stderr }).toMatchObject({ code: 0 });
  expect(await sql('SELECT email, city, newsletter_status FROM contacts')).toEqual([
    { email: 'ada@example.com', city: 'Bonn', newsletter_status: 'active' },
  ]);
});
