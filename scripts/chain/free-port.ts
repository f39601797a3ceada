/** Free ports for servers that are told which one to take. */
import { createServer } from 'node:net';

/**
 * Below those that systems give out by themselves, to connections and to whoever listens on any port: so nobody gets
 * one by chance between this moment and the one it is listened on, or while its server is down for a time.
 */
const unasked = { from: 20_000, to: 32_000 };

/** A port that nobody listens on at this moment. */
export async function freePort(): Promise<number> {
  const [number = 0] = await freeNumbers(1);
  return number;
}

/** As many ports that nobody listens on at this moment; all different. */
export async function freeNumbers(count: number): Promise<number[]> {
  const holders = await Promise.all(Array.from({ length: count }, holdAny));
  await Promise.all(holders.map(({ release }) => release()));
  return holders.map(({ port }) => port);
}

/** Rolls until nobody else is there. */
async function holdAny(): Promise<Held> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await hold(unasked.from + Math.floor(Math.random() * (unasked.to - unasked.from)));
    } catch (error) {
      if (tries === 100) throw error;
    }
  }
}

interface Held {
  readonly port: number;
  readonly release: () => Promise<void>;
}

/** Listens on a port. @throws where that cannot be, with the code of the system */
export function hold(port: number): Promise<Held> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host: '127.0.0.1' }, () =>
      resolve({ port, release: () => new Promise((done) => server.close(() => done())) }),
    );
  });
}
