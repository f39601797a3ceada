/** Free ports for the servers that a test starts. */
import { freeNumbers } from '../../scripts/chain/free-port.ts';
import type { Ports } from '../../scripts/chain/servers.ts';

/** Ports for demo site, sandbox and relay that nothing listens on at this moment. */
export async function freePorts(): Promise<Ports> {
  const [demo = 0, sandbox = 0, relay = 0] = await freeNumbers(3);
  return { demo, sandbox, relay };
}
