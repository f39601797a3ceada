/** The README's tables are generated from the commands, and its examples run. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Help, type Command } from '@commander-js/extra-typings';
import { test as base } from '@newsletter-kit/sandbox/vitest';
import { expect, it } from 'vitest';
import { exitCodes } from '../src/context.ts';
import { start } from './command.ts';
import { commandTree, overview } from './command-tree.ts';
import { scratchFolder } from '../../../test/support/scratch-folder.ts';

const path = fileURLToPath(new URL('../README.md', import.meta.url));
const readme = readFileSync(path, 'utf8');

/** The README with a generated part inserted. */
function withPart(text: string, name: string, part: string): string {
  const marked = new RegExp(`(<!-- ${name}: generated, vitest -u writes it -->\\n)[\\s\\S]*?(<!-- end -->)`);
  expect(text).toMatch(marked);
  return text.replace(marked, (_, begin: string, end: string) => `${begin}\n${part}\n\n${end}`);
}

/** `sync plan` */
function nameOf(command: Command): string {
  const names = [];
  for (let each: Command | null = command; each?.parent; each = each.parent as Command | null)
    names.unshift(each.name());
  return names.join(' ');
}

const cell = (text: string): string => text.replaceAll('|', '\\|');

/** Options of every command, which have a table of their own. */
const shared = ['--profile', '--api-url', '--publication', '--json'];

it('lists every command, argument, option and exit code', async () => {
  const tree = await commandTree();
  const commands = overview(tree).map(([name, about]) => `| \`newsletter ${name}\` | ${about} |`);
  const sections = tree.flatMap((command) => {
    const rows = [
      ...command.registeredArguments.map((each) => [
        each.required ? `<${each.name()}>` : `[${each.name()}]`,
        each.description,
      ]),
      ...command.options
        .filter(({ long }) => !shared.includes(long ?? ''))
        .map((option) => [option.flags, new Help().optionDescription(option)]),
    ].map(([term = '', text = '']) => `| \`${cell(term)}\` | ${cell(text)} |`);
    return rows.length === 0
      ? []
      : [`**\`newsletter ${nameOf(command)}\`** – ${command.description()}`, '', '| | |', '|---|---|', ...rows, ''];
  });
  const expected = [
    ['commands', ['| Command | |', '|---|---|', ...commands].join('\n')],
    ['options', sections.join('\n').trimEnd()],
  ].reduce((text, [name = '', part = '']) => withPart(text, name, part), readme);
  await expect(expected).toMatchFileSnapshot(path);
  expect([...readme.matchAll(/^\| (\d) \|/gm)].map(([, code]) => Number(code))).toEqual(Object.values(exitCodes));
});

it('lists every setting with its flag', async () => {
  const flags = (await commandTree()).flatMap(({ options }) =>
    options.filter(({ envVar }) => envVar !== undefined).map(({ envVar, long }) => `${envVar} ${long}`),
  );
  expect(
    [...readme.matchAll(/^\| `(NEWSLETTER_\w+)` \| `(--[\w-]+)`/gm)]
      .map(([, variable, flag]) => `${variable} ${flag}`)
      .toSorted(),
  ).toEqual([...new Set(flags)].toSorted());
});

const test = base.extend({ sandboxOptions: { seed: 'demo' } });

/** Runs the shell block that begins with this text, with the sandbox's address replaced. */
async function runBlock(
  begin: string,
  address: string,
  { folder = scratchFolder(), env = {} }: { folder?: string; env?: Readonly<Record<string, string>> },
) {
  const block = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)]
    .map(([, lines = '']) => lines)
    .find((each) => each.startsWith(begin));
  const lines = (block ?? 'exit 9')
    .replaceAll('http://127.0.0.1:4010', address)
    .replaceAll('https://api.example.com', address);
  return await start(
    [],
    { HOME: folder, ...env },
    `newsletter() { ${'"$NODE" --conditions=source "$MAIN" "$@"'}; }; NODE=$1 MAIN=$3; set -e; cd ${folder}; ${lines}`,
  ).ended;
}

test('runs the first commands as they are printed', async ({ sandboxOnPort: sandbox }) => {
  const folder = scratchFolder();
  const { code, stdout, stderr } = await runBlock('export NEWSLETTER_API_URL', sandbox.address, { folder });
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('subscribers.csv') });
  expect(stdout).toContain('accessible');
  expect(readFileSync(join(folder, 'subscribers.csv'), 'utf8')).toContain('custom:');
});

test('runs the commands of the API and of profiles as they are printed', async ({ sandboxOnPort: sandbox }) => {
  const folder = scratchFolder();
  writeFileSync(join(folder, 'body.json'), '{"email":"grace@example.com"}');
  const api = await runBlock('newsletter api', sandbox.address, { folder, env: sandbox.env });
  expect(api).toMatchObject({ code: 0, stderr: '' });
  expect(api.stdout).toContain('ada@example.com');
  expect(api.stdout).toContain('grace@example.com');
  expect(api.stdout).toContain('HTTP 200\n');
  expect(api.stdout.match(/^\{"id":"sub_/gm)).toHaveLength(3);

  writeFileSync(join(folder, 'key.txt'), 'sandbox-key\n');
  const profiles = await runBlock('newsletter login --with-token', sandbox.address, { folder });
  expect(profiles.stdout).toContain('Saved the API key in the profile prod');
  expect(profiles.stdout).toMatch(/^\* prod /m);
  expect(profiles).toMatchObject({ code: 0, stdout: expect.stringContaining('Removed the profile prod.') });
});
