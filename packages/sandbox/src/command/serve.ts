/** Starts the sandbox that the command line describes. */
import { randomBytes } from 'node:crypto';
import { createSandbox, type Sandbox } from '../app.ts';
import { isLoopback } from '../control/access.ts';
import { listen, type Listening } from './listen.ts';
import type { CommandOptions } from './options.ts';
import { keepRecording } from './recordings.ts';
import { loadSeed } from './seed-file.ts';

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

/** One line that counts up; where nobody watches, a line for each. */
function planting(planted: number, size: number): void {
  const line = `Planting subscriptions: ${planted} of ${size}`;
  process.stderr.write(process.stderr.isTTY ? `\r${line}${planted >= size ? '\n' : ''}` : `${line}\n`);
}
