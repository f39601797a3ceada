/** The README says what is true. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test as base } from '@newsletter-kit/sandbox/vitest';
import { expect, it } from 'vitest';
import { commands } from '../src/command/commands.ts';
import { exitCodes } from '../src/command/exit-codes.ts';
import { appOptions, connectionOptions } from '../src/settings/settings.ts';
import { start } from './command.ts';
import { scratchFolder } from '../../../test/support/scratch-folder.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

it('lists every command, exit code and setting that has a flag', () => {
  const rows = Object.entries(commands).map(
    ([name, { about, operands }]) => `| \`newsletter ${name}${operands ? ` ${operands.usage}` : ''}\` | ${about} |`,
  );
  expect(readme.split('\n').filter((line) => line.startsWith('| `newsletter '))).toEqual(rows);
  expect([...readme.matchAll(/^\| (\d) \|/gm)].map(([, code]) => Number(code))).toEqual(Object.values(exitCodes));
  const flags = Object.entries({ ...connectionOptions, ...appOptions }).map(
    ([flag, { variable }]) => `${variable} --${flag}`,
  );
  expect(
    [...readme.matchAll(/^\| `(NEWSLETTER_\w+)` \| `(--[\w-]+)`/gm)]
      .map(([, variable, flag]) => `${variable} ${flag}`)
      .toSorted(),
  ).toEqual(flags.toSorted());
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
