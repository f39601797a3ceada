#!/usr/bin/env node
/** `newsletter`: refuses a Node that is too old, then loads the commands, which such a Node cannot load. */
import process from 'node:process';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major > 22 || (major === 22 && minor >= 16)) {
  const { run } = await import('./command-line.ts');
  await run();
} else {
  process.stderr.write(
    `newsletter: This is Node ${process.versions.node}; newsletter needs 22.16 or newer. Install a newer Node and start it again.\n`,
  );
  process.exitCode = 1;
}
