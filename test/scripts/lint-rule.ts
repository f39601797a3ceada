/** A lint rule of the house, through oxlint. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { runCaptured } from '../../scripts/command.ts';
import { root } from '../../scripts/root.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

/** Expects the rule to report each of the wrong texts with this message, and none of the right ones. */
export async function expectReports(
  rule: string,
  message: string,
  texts: Readonly<Record<'wrong' | 'right', readonly string[]>>,
): Promise<void> {
  const folder = scratchFolder();
  mkdirSync(join(folder, 'src'));
  for (const [name, list] of Object.entries(texts))
    for (const [index, text] of list.entries()) writeFileSync(join(folder, 'src', `${name}${index}.ts`), `${text}\n`);
  const jsPlugins = [join(root, 'scripts/lint-rules.mjs')];
  const rules = { [`house/${rule}`]: 'error' };
  writeFileSync(join(folder, 'oxlint.json'), JSON.stringify({ jsPlugins, categories: { correctness: 'off' }, rules }));
  const args = ['-c', 'oxlint.json', '--format', 'unix', 'src'];
  const { ok, output } = await runCaptured(join(root, 'node_modules/.bin/oxlint'), args, { cwd: folder });
  expect(ok).toBe(false);
  const reported = [...output.matchAll(/^src\/(\w+)\.ts:\d+:\d+: (.*)/gm)];
  const names = reported.flatMap(([, name, told]) => (told?.startsWith(message) ? [name] : []));
  expect([...new Set(names)].toSorted(), output).toEqual(texts.wrong.map((_, index) => `wrong${index}`).toSorted());
}
