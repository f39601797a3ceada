/** Sandbox, relay, demo site and a browser, from the first to the last test of the file that imports this. */
import { afterAll, beforeAll } from 'vitest';
import { startServers, type Servers } from './start-servers.ts';
import { useBrowser } from './use-browser.ts';

export let servers: Servers;
beforeAll(async () => {
  servers = await startServers();
});
afterAll(() => servers?.close());
export const session = useBrowser();
