/** Finds free ports for servers that need a fixed one. */
import { createServer } from 'node:net';

/**
 * Below the ephemeral ports of all systems, so that no connection is given one of them before its server listens, or
 * while its server is down.
 */
const portRange = { from: 20_000, to: 32_000 };

/** A port that nothing listens on at this moment. */
export async function freePort(): Promise<number> {
  const [number = 0] = await freeNumbers(1);
  return number;
}

/** Different ports that nothing listens on at this moment. */
export async function freeNumbers(count: number): Promise<number[]> {
  const listeners = await Promise.all(Array.from({ length: count }, listenOnAny));
  await Promise.all(listeners.map(({ release }) => release()));
  return listeners.map(({ port }) => port);
}

/** Listens on a random port of the range; tries again where it is in use. */
async function listenOnAny(): Promise<Listener> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await listenOn(portRange.from + Math.floor(Math.random() * (portRange.to - portRange.from)));
    } catch (error) {
      if (tries === 100) throw error;
    }
  }
}

interface Listener {
  readonly port: number;
  readonly release: () => Promise<void>;
}

/** Listens on a port. @throws the system's error where it cannot */
export function listenOn(port: number): Promise<Listener> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host: '127.0.0.1' }, () =>
      resolve({ port, release: () => new Promise((done) => server.close(() => done())) }),
    );
  });
}
