/** Starts the sandbox that the command line describes, with its seed and its recording. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSandbox, type Sandbox } from '../app.ts';
import { isLoopback } from '../control/access.ts';
import { listen, type Listening } from './listen.ts';
import type { CommandOptions } from './options.ts';
import { keepRecording } from './recordings.ts';
import { readSeed, type ReadSeed, SeedError } from '../world/seeds/seed.ts';
import { isSeedName, type SeedName, seedNames } from '../world/seeds/standard.ts';

export interface Served extends Listening {
  readonly sandbox: Sandbox;
  /** What the control requires; undefined where it requires nothing. */
  readonly controlToken: string | undefined;
}

/** @throws ServeError, SeedError, DatabaseError or RecordingError */
export async function serve(options: CommandOptions): Promise<Served> {
  const sandbox = createSandbox({
    db: options.db,
    seed: loadSeed(options.seed),
    profile: options.profile,
    ...(options.seedSize !== undefined && { seedSize: options.seedSize, onPlanting: planting }),
  });
  // A command that is run begins with the seed, also in a database that holds something.
  if ((options.exec ?? options.certify) && !sandbox.planted) sandbox.reset();
  const stopRecording = options.record === undefined ? undefined : startRecording(sandbox, options.record);
  // Where others can reach it, the control is not left open to them.
  const controlToken =
    options.controlToken ?? (isLoopback(options.host) ? undefined : randomBytes(18).toString('base64url'));
  const { address, stop } = await listen(sandbox, { ...options, controlToken });
  return {
    sandbox,
    controlToken,
    address,
    async stop() {
      await stop();
      stopRecording?.();
    },
  };
}

function startRecording(sandbox: Sandbox, file: string): () => void {
  try {
    return keepRecording(file, sandbox.record());
  } catch (error) {
    sandbox.close();
    throw error;
  }
}

/** Progress: one line that is rewritten on a terminal, otherwise one line each. */
function planting(planted: number, size: number): void {
  const line = `Planting subscriptions: ${planted} of ${size}`;
  process.stderr.write(process.stderr.isTTY ? `\r${line}${planted >= size ? '\n' : ''}` : `${line}\n`);
}

/** @throws {@link SeedError} that names the seed or file and says what to do */
export function loadSeed(seed: string): SeedName | ReadSeed {
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
