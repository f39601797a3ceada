/** Starts sandbox, relay and demo site for one test file: as processes on free ports, with an empty store. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, type Client } from '@newsletter-kit/core';
import { launch, type RunningServer } from '../../scripts/launch.ts';
import { freePorts } from '../support/free-ports.ts';
import { plans, sandboxAccount, servers, serverUrl, type ServerName } from '../../scripts/servers.ts';
import { buildIfStale } from '../../scripts/build.ts';

export interface Servers {
  readonly demoUrl: string;
  readonly relayUrl: string;
  /** The file of the relay's store. */
  readonly relayFile: string;
  readonly sandboxUrl: string;
  /** Base URL of the sandbox's API. */
  readonly apiUrl: string;
  /** A client of the sandbox's API. */
  readonly api: Client;
  start(name: ServerName): Promise<void>;
  stop(name: ServerName): Promise<void>;
  /** Every line the servers printed so far, each with the server's name. */
  readonly output: readonly string[];
  /** Stops the servers and deletes the store. */
  close(): Promise<void>;
}

export async function startServers(): Promise<Servers> {
  await buildIfStale('start');
  const folder = await mkdtemp(join(tmpdir(), 'newsletter-e2e-'));
  const relayFile = join(folder, 'relay.db');
  const settings = { ports: await freePorts(), relayStore: `sqlite:${relayFile}` };
  const running = new Map<ServerName, RunningServer>();
  const output: string[] = [];

  const sandboxUrl = serverUrl(settings.ports.sandbox);
  const apiUrl = `${sandboxUrl}/v2`;
  const started: Servers = {
    apiUrl,
    sandboxUrl,
    relayFile,
    relayUrl: serverUrl(settings.ports.relay),
    demoUrl: serverUrl(settings.ports.demo),
    api: createClient({ baseUrl: apiUrl, token: sandboxAccount.key, publicationId: sandboxAccount.publicationId }),
    output,
    async start(name) {
      running.set(name, await launch(plans[name], settings, (line) => output.push(`[${name}] ${line}`)));
    },
    async stop(name) {
      await running.get(name)?.stop();
      running.delete(name);
    },
    async close() {
      await Promise.all([...running.values()].map((server) => server.stop()));
      await rm(folder, { recursive: true, force: true });
    },
  };
  try {
    for (const { name } of servers) await started.start(name);
  } catch (error) {
    await started.close();
    throw error;
  }
  return started;
}
