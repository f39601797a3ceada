#!/usr/bin/env node
/** `newsletter-relay`: checks the version of Node, then loads the commands, which an old version cannot load. */
import process from 'node:process';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major > 22 || (major === 22 && minor >= 16)) {
  await (await import('./command-line.ts')).run();
} else {
  // The store uses Node's SQLite.
  process.stderr.write(
    `newsletter-relay: This is Node ${process.versions.node}; the relay needs 22.16 or newer. Install a newer Node and start it again.\n`,
  );
  process.exitCode = 2;
}
