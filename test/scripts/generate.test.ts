/** `npm run generate` writes what differs and says so; `test/nodes/extension` runs it as a whole. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeChanged } from '../../scripts/generate.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

it('writes only the files that differ, and a line about each', async () => {
  const folder = scratchFolder();
  for (const name of ['same.md', 'changed.md', 'stale.json']) await writeFile(join(folder, name), name);
  const files = { 'same.md': 'same.md', 'changed.md': 'now', 'new/folder/new.json': '{}', 'stale.json': null };
  expect(await writeChanged({ ...files, 'never.json': null }, folder)).toEqual([
    'wrote changed.md',
    'wrote new/folder/new.json',
    'deleted stale.json',
  ]);
  expect(await readFile(join(folder, 'new/folder/new.json'), 'utf8')).toBe('{}');
  expect(await writeChanged(files, folder)).toEqual([]);
});
