/** The snippets of the page on bulk import, executed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { test } from '@newsletter-kit/sandbox/vitest';
import { expect } from 'vitest';
import { blocks, page } from '../support/documentation.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const core = new URL('../../packages/core/', import.meta.url);
const section = page('client/import');
const snippets = (language: string): string[] => blocks(section, language);

async function run(code: string, address: string): Promise<{ stdout: string; stderr: string }> {
  const child = spawn(
    process.execPath,
    ['--conditions=@newsletter-kit/source', '--disable-warning=ExperimentalWarning', '--input-type=module-typescript'],
    { cwd: fileURLToPath(core) },
  );
  child.stdin.end(code.replaceAll('http://127.0.0.1:4010', address));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { stdout, stderr };
}

test('prints the documented output of an import from a CSV file', async ({ sandboxOnPort }) => {
  const folder = scratchFolder();
  await writeFile(join(folder, 'people.csv'), snippets('csv')[0] ?? '');
  const code = (snippets('ts')[0] ?? '')
    .replace("'people.csv'", JSON.stringify(join(folder, 'people.csv')))
    .replace("'people.journal'", JSON.stringify(join(folder, 'people.journal')));
  const { stdout, stderr } = await run(code, sandboxOnPort.address);
  expect(stdout, stderr).toBe(
    'row 3: "email" must be an e-mail address such as name@example.com\nrow 4: row 2 has the same address\ncomplete 1\n',
  );
  for (const line of stdout.trim().split('\n')) expect(section.replaceAll('\n', ' ')).toContain(line);
});

test('prints the documented output of a bulk update', async ({ sandboxOnPort }) => {
  const { stdout, stderr } = await run(
    snippets('ts').find((code) => code.includes('awaitUpdate')) ?? '',
    sandboxOnPort.address,
  );
  expect(stdout, stderr).toBe('complete [ 1 ]\n');
});
