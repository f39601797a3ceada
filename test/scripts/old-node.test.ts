/** The commands' error on a Node that is too old, such as that of a distribution. */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../scripts/root.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

/** A Node of this machine that is older than 22. */
const oldNode = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin', '/usr/local/bin']
  .map((folder) => join(folder, 'node'))
  .find((node) => existsSync(node) && Number.parseInt(version(node).slice(1), 10) < 22);

function version(node: string): string {
  return execFileSync(node, ['--version'], { encoding: 'utf8' });
}

test.skipIf(oldNode === undefined).each([
  ['newsletter-sandbox', 'sandbox', 'the sandbox', 2],
  ['newsletter-relay', 'relay', 'the relay', 2],
  ['newsletter', 'cli', 'newsletter', 1],
])(
  `%s prints in one sentence which Node it needs${oldNode === undefined ? ' (skipped: there is no Node older than 22 here)' : ''}`,
  (command, room, subject, status) => {
    // The entry holds nothing but JavaScript, so that an old Node reads it as the build has it.
    const entry = join(scratchFolder(), 'main.mjs');
    copyFileSync(join(root, 'packages', room, 'src', 'main.ts'), entry);
    const node = oldNode ?? '';
    const ended = spawnSync(node, [entry], { encoding: 'utf8' });
    expect(ended).toMatchObject({
      status,
      stdout: '',
      stderr: `${command}: This is Node ${version(node).trim().slice(1)}; ${subject} needs 22.16 or newer. Install a newer Node and start it again.\n`,
    });
  },
);
