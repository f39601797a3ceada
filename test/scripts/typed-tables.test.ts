/** The lint rule `typed-tables`, through oxlint. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runCaptured } from '../../scripts/command.ts';
import { root } from '../../scripts/root.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const lost = [
  "export const titles: Record<string, string> = { active: 'Active', gone: 'Gone' };",
  "const titles: Readonly<Record<string, string>> = { '1': 'One', two: 'Two' };",
  "const titles = { active: 'Active', gone: 'Gone' } satisfies Record<string, string>;",
  "const titles = { active: 'Active', gone: 'Gone' } as const satisfies Readonly<Record<string, string>>;",
  "const titles = { active: 'Active', gone: 'Gone' } as const satisfies Record<string, string>;\ntype Other = keyof typeof other;",
];
const typed = [
  "const titles: Readonly<Record<Status, string>> = { active: 'Active', gone: 'Gone' };",
  "const titles = { active: 'Active', gone: 'Gone' } as const satisfies Record<Status, string>;",
  "const titles = { active: 'Active', gone: 'Gone' } as const satisfies Record<string, string>;\nexport type Status = keyof typeof titles;",
  "const remedies: Readonly<Partial<Record<string, string>>> = { '28P01': 'the password', ENOENT: 'the folder' };",
  'const empty: Record<string, string> = {};',
  "const found: Record<string, string> = { [name]: 'One', ...more };",
  "function headers() {\n  const all: Record<string, string> = { accept: '*/*', host: 'example.com' };\n  return all;\n}",
];

it('reports tables that no type completes, and no others', async () => {
  const folder = scratchFolder();
  mkdirSync(join(folder, 'src'));
  const write = (name: string, texts: readonly string[]) =>
    texts.forEach((text, index) => writeFileSync(join(folder, 'src', `${name}${index}.ts`), `${text}\n`));
  write('lost', lost);
  write('typed', typed);
  const jsPlugins = [join(root, 'scripts/lint-rules.mjs')];
  writeFileSync(
    join(folder, 'oxlint.json'),
    JSON.stringify({ jsPlugins, categories: { correctness: 'off' }, rules: { 'house/typed-tables': 'error' } }),
  );
  const args = ['-c', 'oxlint.json', '--format', 'unix', 'src'];
  const { ok, output } = await runCaptured(join(root, 'node_modules/.bin/oxlint'), args, { cwd: folder });
  expect(ok).toBe(false);
  const reported = [...output.matchAll(/^src\/(\w+)\.ts:\d+:\d+: Nothing notices a missing key of titles/gm)];
  expect(reported.map(([, name]) => name).toSorted(), output).toEqual(lost.map((_, index) => `lost${index}`));
});
