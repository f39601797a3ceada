/** The README is true: its tables are generated from the commands, and its examples run. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Help, type Command } from '@commander-js/extra-typings';
import { test as base } from '@newsletter-kit/sandbox/vitest';
import { expect, it } from 'vitest';
import { exitCodes } from '../src/exit-codes.ts';
import { commands } from '../src/program.ts';
import { start } from './command.ts';
import { commandTree } from './command-tree.ts';
import { scratchFolder } from '../../../test/support/scratch-folder.ts';

const path = fileURLToPath(new URL('../README.md', import.meta.url));
const readme = readFileSync(path, 'utf8');

/** The README with a generated part put in its place. */
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

/** Options of the connection are the same everywhere and have a table of their own. */
const shared = ['--profile', '--api-url', '--publication', '--json'];

it('lists every command, argument, option and exit code', async () => {
  const overview = Object.entries(commands).map(([name, { about }]) => `| \`newsletter ${name}\` | ${about} |`);
  const sections = (await commandTree()).flatMap((command) => {
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
    ['commands', ['| Command | |', '|---|---|', ...overview].join('\n')],
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

test('the first lines work as they stand', async ({ sandboxOnPort: sandbox }) => {
  const [, block = ''] = /```sh\n(export [\s\S]*?)```/.exec(readme) ?? [];
  const folder = scratchFolder();
  const lines = block.replaceAll('http://127.0.0.1:4010', sandbox.address);
  const { code, stdout, stderr } = await start(
    [],
    { HOME: folder },
    `newsletter() { ${'"$NODE" --conditions=source "$MAIN" "$@"'}; }; NODE=$1 MAIN=$3; set -e; cd ${folder}; ${lines}`,
  ).ended;
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('subscribers.csv') });
  expect(stdout).toContain('reached');
  expect(readFileSync(join(folder, 'subscribers.csv'), 'utf8')).toContain('custom:');
});
