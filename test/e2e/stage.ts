/** The whole chain and a browser before it, from the first test of the file that imports this to its last. */
import { afterAll, afterEach, beforeAll } from 'vitest';
import { openChain, type Chain } from './chain.ts';
import { openBrowser, type BrowserSession } from './visitor.ts';

export let chain: Chain;
export let session: BrowserSession;
beforeAll(async () => {
  chain = await openChain();
  session = await openBrowser();
});
afterEach(() => session.closePages());
afterAll(async () => {
  await session?.close();
  await chain?.close();
});
