/** Runs a sandbox on a port until it is told to stop. */
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { createSandbox, type Sandbox } from '../app.ts';
import { listener } from './listener.ts';
import type { CommandOptions } from './options.ts';
import { loadSeed } from './seed-file.ts';

/** A server that could not start, in words for the person who started it. */
export class ServeError extends Error {
  override readonly name = 'ServeError';
}

export interface Served {
  /** `http://host:port` */
  readonly address: string;
  readonly sandbox: Sandbox;
  /** False where the database file already held something and the seed was left aside. */
  readonly planted: boolean;
  /** Stops listening, ends open connections and closes the database. */
  readonly stop: () => Promise<void>;
}

/** How often what has fallen due happens without a request, in milliseconds; only the window and its events notice. */
const tick = 100;

/** @throws {@link ServeError}, SeedError or DatabaseError */
export async function serve(options: CommandOptions): Promise<Served> {
  const sandbox = createSandbox({
    db: options.db,
    seed: loadSeed(options.seed),
    profile: options.profile,
    ...(options.seedSize !== undefined && { seedSize: options.seedSize, onPlanting: planting }),
  });
  const server = createAdaptorServer({ fetch: listener(sandbox), overrideGlobalObjects: false });
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(options.port, options.host, resolve);
    });
  } catch (error) {
    sandbox.close();
    throw new ServeError(explain(error, options), { cause: error });
  }
  const timer = setInterval(() => settle(sandbox), tick);
  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    address: `http://${host}:${port}`,
    sandbox,
    planted: sandbox.planted,
    async stop() {
      clearInterval(timer);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // The window's event streams would never end by themselves.
      if ('closeAllConnections' in server) server.closeAllConnections();
      await closed;
      sandbox.close();
    },
  };
}

/** One line that counts up; where nobody watches, a line for each. */
function planting(planted: number, size: number): void {
  const line = `Planting subscriptions: ${planted} of ${size}`;
  process.stderr.write(process.stderr.isTTY ? `\r${line}${planted >= size ? '\n' : ''}` : `${line}\n`);
}

function settle(sandbox: Sandbox): void {
  try {
    sandbox.settle();
  } catch {
    // A full disk. It stays due, and the next request that has to write says so.
  }
}

function explain(error: unknown, { host, port }: CommandOptions): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is in use. Stop what listens there, or choose another with --port or SANDBOX_PORT.`;
    case 'EACCES':
      return `Port ${port} needs more rights than this user has. Choose one above 1023 with --port or SANDBOX_PORT.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `"${host}" is not an address of this machine. Use 127.0.0.1, or 0.0.0.0 for every one, with --host or SANDBOX_HOST.`;
    default:
      return `The sandbox can't listen on ${host}:${port}: ${error instanceof Error ? error.message : String(error)}.`;
  }
}
