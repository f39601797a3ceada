/** Sandbox, relay, demo site and a browser, from the first to the last test of the file that imports this. */
import { afterAll, afterEach, beforeAll } from 'vitest';
import { startServers, type Servers } from './start-servers.ts';
import { openBrowser, type BrowserSession } from './visitor.ts';

export let servers: Servers;
export let session: BrowserSession;
beforeAll(async () => {
  servers = await startServers();
  session = await openBrowser();
});
afterEach(() => session.closePages());
afterAll(async () => {
  await session?.close();
  await servers?.close();
});
