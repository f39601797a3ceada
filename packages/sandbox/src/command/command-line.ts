/** Runs the command that the command line names, and returns the exit code. */
import { enableCompileCache, flushCompileCache } from 'node:module';
import { help, readOptions, UsageError, type CommandOptions } from './options.ts';

/** Errors whose message is written for the person at the terminal. */
const forTerminal = new Set([
  'UsageError',
  'ServeError',
  'SeedError',
  'DatabaseError',
  'RecordingError',
  'SnapshotError',
]);

export async function main(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  // Saves a quarter of the time from the second start on.
  enableCompileCache();
  try {
    const options = readOptions(argv, env);
    if (options === 'help') {
      process.stdout.write(help);
      return 0;
    }
    // Loaded only here, so that --help and a mistyped option answer at once.
    if (options.replay !== null) {
      const { replayFile } = await import('./recordings.ts');
      return await replayFile(options.replay, (text) => process.stdout.write(text));
    }
    if (options.certify) {
      const { certify } = await import('./certify.ts');
      return await certify(options, options.certify);
    }
    if (!options.exec) return await serveUntilStopped(options);
    const { execute } = await import('./exec.ts');
    return await execute(options, options.exec);
  } catch (error) {
    if (!(error instanceof Error) || !forTerminal.has(error.name)) throw error;
    process.stderr.write(`newsletter-sandbox: ${error.message}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

async function serveUntilStopped(options: CommandOptions): Promise<number> {
  const { serve } = await import('./serve.ts');
  const { apiKeys, publicationId } = await import('../world/standard-values.ts');
  const { address, controlToken, sandbox, stop } = await serve(options);
  const lines = [
    `Newsletter sandbox: ${address}`,
    `  API          ${address}/v2`,
    `  Publication  ${publicationId}`,
    `  Key          ${apiKeys.workspace}`,
    ...(controlToken === undefined
      ? []
      : [
          `  Window       ${address.replace(/\/\/(?:0\.0\.0\.0|\[::\])/, '//127.0.0.1')}/?token=${controlToken}`,
          `  Control      "Authorization: Bearer ${controlToken}" for ${address}/_sandbox`,
        ]),
    `  Database     ${options.db}${sandbox.planted ? ` (new, seed ${options.seed})` : ' (kept as it was; POST /_sandbox/reset starts over)'}`,
    ...(options.record === undefined ? [] : [`  Recording    ${options.record}`]),
    'Stop with Ctrl-C.',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  // Written early, because the process may be killed without a signal that it can handle.
  setTimeout(flushCompileCache, 500).unref();
  return new Promise((resolve) => {
    let stopping = false;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (stopping) process.exit(1);
        stopping = true;
        void stop().then(() => resolve(0));
      });
    }
  });
}
