#!/usr/bin/env node
/** The command `newsletter-sandbox`. */
import { enableCompileCache, flushCompileCache } from 'node:module';
import { help, readOptions, UsageError } from './command/options.ts';

/** Errors whose message is written for the person at the terminal. */
const spoken = new Set(['UsageError', 'ServeError', 'SeedError', 'DatabaseError', 'RecordingError', 'SnapshotError']);

// Saves a quarter of the time from the second start on.
enableCompileCache();

try {
  const options = readOptions(process.argv.slice(2), process.env);
  if (options === 'help') process.stdout.write(help);
  else if (options.replay !== null) {
    checkNode();
    const { replayFile } = await import('./command/recordings.ts');
    process.exitCode = await replayFile(options.replay, (text) => process.stdout.write(text));
  } else if (options.exec) {
    checkNode();
    const { execute } = await import('./command/exec.ts');
    process.exitCode = await execute(options, options.exec);
  } else {
    checkNode();
    // Loaded here, so that --help and a mistyped option answer at once.
    const { serve } = await import('./command/serve.ts');
    const { apiKeys, publicationId } = await import('./world/fixed.ts');
    const { address, sandbox, stop } = await serve(options);
    const lines = [
      `Newsletter sandbox: ${address}`,
      `  API          ${address}/v2`,
      `  Publication  ${publicationId}`,
      `  Key          ${apiKeys.workspace}`,
      `  Database     ${options.db}${sandbox.planted ? ` (new, seed ${options.seed})` : ' (kept as it was; POST /_sandbox/reset starts over)'}`,
      ...(options.record === undefined ? [] : [`  Recording    ${options.record}`]),
      'Stop with Ctrl-C.',
    ];
    process.stdout.write(`${lines.join('\n')}\n`);
    // Kept as soon as there is a moment, for not everyone who stops it asks it to stop.
    setTimeout(flushCompileCache, 500).unref();
    let stopping = false;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (stopping) process.exit(1);
        stopping = true;
        void stop();
      });
    }
  }
} catch (error) {
  if (!(error instanceof Error) || !spoken.has(error.name)) throw error;
  process.stderr.write(`newsletter-sandbox: ${error.message}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}

/** The store is Node's own SQLite. */
function checkNode(): void {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 16)) return;
  throw new UsageError(
    `This is Node ${process.versions.node}; the sandbox needs 22.16 or newer. Install a newer Node and start it again.`,
  );
}
