#!/usr/bin/env node
/** The command `newsletter`. Loads nothing before the version of Node is known to be new enough. */
import process from 'node:process';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major > 22 || (major === 22 && minor >= 16)) {
  await import('./command-line.ts');
} else {
  process.stderr.write(
    `newsletter: This is Node ${process.versions.node}; newsletter needs 22.16 or newer. Install a newer Node and start it again.\n`,
  );
  process.exitCode = 1;
}
