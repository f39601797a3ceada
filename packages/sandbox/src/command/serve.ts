/** Starts a sandbox on a port, as the options of the command line say. */
import { randomBytes } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { isRecord } from '@newsletter-kit/core/engine';
import { UsageError } from '#command-line';
import { createSandbox, type Sandbox } from '../sandbox.ts';
import { ApiError } from '../http/errors.ts';
import { createAssumptions } from '../control/assumptions.ts';
import type { AssumptionChoice } from '../gaps.ts';
import { readShapes, ShapesError, type AnswerShapes } from '../control/shapes.ts';
import { isLoopback } from '../control/access.ts';
import { apiKeys, publicationId } from '../world/ids.ts';
import { readSeed, SeedError, type ReadSeed } from '../world/seeds/seed.ts';
import { isSeedName, seedNames, type SeedName } from '../world/seeds/standard.ts';
import { listen, type Listening } from './listen.ts';
import type { ServerOptions } from './options.ts';

export interface Served extends Listening {
  readonly sandbox: Sandbox;
  /** The token that the control requires; undefined where it requires none. */
  readonly controlToken: string | undefined;
}

/**
 * @param options.fresh - begins with the seed, also in a database that holds something
 * @throws ServeError, SeedError, DatabaseError, or UsageError for the file of assumptions or shapes
 */
export async function serve(options: ServerOptions & { readonly fresh?: boolean }): Promise<Served> {
  const sandbox = createSandbox({
    db: options.db,
    seed: readSeedOption(options.seed),
    profile: options.profile,
    ...(options.assumptions !== undefined && { assumptions: readAssumptions(options.assumptions) }),
    ...(options.shape !== undefined && { shapes: readShapesFile(options.shape) }),
    ...(options.seedSize > 0 && { seedSize: options.seedSize, onPlanting: reportProgress }),
  });
  if (options.fresh && !sandbox.planted) sandbox.reset();
  // Control endpoints that other machines can reach always require a token.
  const controlToken =
    options.controlToken ?? (isLoopback(options.host) ? undefined : randomBytes(18).toString('base64url'));
  const { host, port, allowedHost: allowedHosts = [] } = options;
  return { sandbox, controlToken, ...(await listen(sandbox, { host, port, allowedHosts, controlToken })) };
}

/**
 * Serves until Ctrl-C or SIGTERM; a second signal ends the process at once.
 *
 * @param signals - emits them
 * @returns the exit code
 */
export async function serveUntilStopped(options: ServerOptions, signals: EventEmitter): Promise<number> {
  const { address, controlToken, sandbox, stop } = await serve(options);
  const lines = [
    `Newsletter sandbox: ${address}`,
    `  API          ${address}/v2`,
    `  Publication  ${publicationId}`,
    `  Key          ${apiKeys.workspace}`,
    ...(controlToken === undefined
      ? []
      : [
          `  Web page     ${address.replace(/\/\/(?:0\.0\.0\.0|\[::\])/, '//127.0.0.1')}/?token=${controlToken}`,
          `  Control      "Authorization: Bearer ${controlToken}" for ${address}/_sandbox`,
        ]),
    `  Database     ${options.db}${sandbox.planted ? ` (new, seed ${options.seed})` : ' (existing content; POST /_sandbox/reset loads the seed)'}`,
    'Stop with Ctrl-C.',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  // Saves the compiled code early, since a killed process saves none.
  setTimeout(flushCompileCache, 500).unref();
  return new Promise((resolve) => {
    let stopping = false;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      signals.on(signal, () => {
        if (stopping) process.exit(1);
        stopping = true;
        void stop().then(() => resolve(0));
      });
    }
  });
}

/** Progress: on a terminal one line that counts up, elsewhere a line for each step. */
function reportProgress(planted: number, size: number): void {
  const line = `Adding subscriptions: ${planted} of ${size}`;
  process.stderr.write(process.stderr.isTTY ? `\r${line}${planted >= size ? '\n' : ''}` : `${line}\n`);
}

/**
 * Reads the seed that the command line names: a standard one, or a file.
 *
 * @throws {@link SeedError} that names the seed or file and says what to do
 */
function readSeedOption(seed: string): SeedName | ReadSeed {
  if (isSeedName(seed)) return seed;
  try {
    return readSeed(JSON.parse(readFileSync(seed, 'utf8')));
  } catch (error) {
    throw new SeedError(explain(error, seed), { cause: error });
  }
}

function explain(error: unknown, seed: string): string {
  const use = `Use ${seedNames.join(', ')} or the path of a seed file (.json).`;
  if (error instanceof SeedError) return `"${seed}": ${error.message}`;
  if (error instanceof SyntaxError) return `"${seed}" is not valid JSON. ${use}`;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return `There is no seed and no file "${seed}". ${use}`;
  return `The seed file "${seed}" can't be read${typeof code === 'string' ? ` (${code})` : ''}. ${use}`;
}

/**
 * Reads a file of assumptions, `{"pagination_fields": "nested"}`.
 *
 * @throws UsageError that names the file and what is wrong with it
 */
function readAssumptions(path: string): AssumptionChoice {
  return readFileOf('assumptions', 'It is written {"pagination_fields": "nested"}.', path, (choice) => {
    if (!isRecord(choice)) return 'must hold one JSON object.';
    // Checks every name and value.
    createAssumptions(choice);
    return choice;
  });
}

/** Reads a file that `newsletter probe --out` wrote. @throws UsageError that names the file and says what is wrong */
function readShapesFile(path: string): AnswerShapes {
  return readFileOf('shapes', 'newsletter probe --out FILE writes such a file.', path, readShapes);
}

/** @param hint - says how such a file is made. @param read - returns the content, or the reason why it is wrong */
function readFileOf<Content extends object>(
  what: string,
  hint: string,
  path: string,
  read: (value: unknown) => Content | string,
): Content {
  const wrong = (reason: string): UsageError => new UsageError(`The ${what} file "${path}" ${reason} ${hint}`);
  try {
    const content = read(JSON.parse(readFileSync(path, 'utf8')));
    if (typeof content === 'string') throw wrong(content);
    return content;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (error instanceof ApiError) throw wrong(`is wrong: ${error.details[0]?.message ?? ''}`);
    if (error instanceof ShapesError) throw wrong(error.message);
    if (error instanceof SyntaxError) throw wrong('is not valid JSON.');
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw wrong(`can't be read (${code}).`);
  }
}
