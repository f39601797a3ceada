/** Starts the sandbox that the command line describes. */
import { createSandbox, type Sandbox } from '../app.ts';
import { listen, type Listening } from './listen.ts';
import type { CommandOptions } from './options.ts';
import { loadSeed } from './seed-file.ts';

export interface Served extends Listening {
  readonly sandbox: Sandbox;
}

/** @throws ServeError, SeedError or DatabaseError */
export async function serve(options: CommandOptions): Promise<Served> {
  const sandbox = createSandbox({
    db: options.db,
    seed: loadSeed(options.seed),
    profile: options.profile,
    ...(options.seedSize !== undefined && { seedSize: options.seedSize, onPlanting: planting }),
  });
  return { sandbox, ...(await listen(sandbox, options)) };
}

/** One line that counts up; where nobody watches, a line for each. */
function planting(planted: number, size: number): void {
  const line = `Planting subscriptions: ${planted} of ${size}`;
  process.stderr.write(process.stderr.isTTY ? `\r${line}${planted >= size ? '\n' : ''}` : `${line}\n`);
}
