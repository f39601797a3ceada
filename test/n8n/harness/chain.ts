/** Sandbox, relay and demo site as processes on free ports, where n8n can reach the sandbox. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launch, type RunningServer } from '../../../scripts/launch.ts';
import { freePorts } from '../../support/free-ports.ts';
import { servers, serverUrl } from '../../../scripts/servers.ts';
import { buildIfStale } from '../../../scripts/build.ts';

export interface ServedChain {
  readonly demoUrl: string;
  readonly sandboxUrl: string;
  /** Stops the servers and deletes the relay's store. */
  close(): Promise<void>;
}

export async function serveChain(): Promise<ServedChain> {
  await buildIfStale('start');
  const folder = await mkdtemp(join(tmpdir(), 'newsletter-n8n-chain-'));
  const settings = { ports: await freePorts(), relayStore: `sqlite:${join(folder, 'relay.db')}` };
  const running: RunningServer[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(running.map((server) => server.stop()));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    for (const plan of servers) running.push(await launch(plan, settings, () => undefined));
  } catch (error) {
    await close();
    throw error;
  }
  return { demoUrl: serverUrl(settings.ports.demo), sandboxUrl: serverUrl(settings.ports.sandbox), close };
}
