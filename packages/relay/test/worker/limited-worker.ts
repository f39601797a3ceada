/** The relay's Worker with the limit of calls that Cloudflare's free plan has, and workerd has not. */
import { RelayObject as Relay } from '../../src/worker/index.ts';

const maxCalls = 50;
const send = globalThis.fetch;
let calls = 0;

globalThis.fetch = async (input, init) => {
  calls += 1;
  if (calls > maxCalls) throw new Error('Too many subrequests by single Worker invocation.');
  return send(input, init);
};

export class RelayObject extends Relay {
  override async alarm(): Promise<void> {
    calls = 0;
    await super.alarm();
    console.log(`calls of an alarm: ${calls}`);
  }
}

export { default } from '../../src/worker/index.ts';
