#!/usr/bin/env node
/** `newsletter-sandbox`: refuses a Node that is too old, then loads the commands, which such a Node cannot load. */
import process from 'node:process';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major > 22 || (major === 22 && minor >= 16)) {
  const { main } = await import('./command/command-line.ts');
  process.exitCode = await main(process.argv.slice(2));
} else {
  // The store is Node's own SQLite.
  process.stderr.write(
    `newsletter-sandbox: This is Node ${process.versions.node}; the sandbox needs 22.16 or newer. Install a newer Node and start it again.\n`,
  );
  process.exitCode = 2;
}
