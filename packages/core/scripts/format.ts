/** Lays out a generated text as the repository's formatter does. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** @param name - a file name, by whose ending the language is known */
export function format(name: string, text: string): string {
  const { status, stdout, stderr } = spawnSync(
    join(root, 'node_modules', '.bin', 'oxfmt'),
    [`--stdin-filepath=${name}`],
    {
      cwd: root,
      input: text,
      encoding: 'utf8',
      shell: process.platform === 'win32',
    },
  );
  if (status !== 0) throw new Error(`oxfmt did not take ${name}: ${stderr}`);
  return stdout;
}
