/** The commands' error on a Node that is too old, such as that of a distribution. */
import { spawnSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../scripts/root.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { findNodeBefore } from './starter.ts';

const oldNode = findNodeBefore(22);

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
      stderr: `${command}: This is Node ${spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim().slice(1)}; ${subject} needs 22.16 or newer. Install a newer Node and start it again.\n`,
    });
  },
);
