/** Finds free ports for the servers that a test starts. */
import { listenOn } from '../../scripts/ports.ts';
import type { Ports } from '../../scripts/servers.ts';

/**
 * Below the ephemeral ports of all systems, so that no connection is given one of them before its server listens, or
 * while its server is down.
 */
const portRange = { from: 20_000, to: 32_000 };

/** A port that nothing listens on at this moment. */
export async function freePort(): Promise<number> {
  const [port = 0] = await freeNumbers(1);
  return port;
}

/** Ports for demo site, sandbox and relay that nothing listens on at this moment. */
export async function freePorts(): Promise<Ports> {
  const [demo = 0, sandbox = 0, relay = 0] = await freeNumbers(3);
  return { demo, sandbox, relay };
}

/** Different ports that nothing listens on at this moment. */
export async function freeNumbers(count: number): Promise<number[]> {
  const listeners = await Promise.all(Array.from({ length: count }, listenOnAny));
  await Promise.all(listeners.map(({ release }) => release()));
  return listeners.map(({ port }) => port);
}

/** Listens on a random port of the range; tries again where it is in use. */
async function listenOnAny(): ReturnType<typeof listenOn> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await listenOn(portRange.from + Math.floor(Math.random() * (portRange.to - portRange.from)));
    } catch (error) {
      if (tries === 100) throw error;
    }
  }
}
