/**
 * Before all tests: installs n8n and the packed package, imports credentials and examples, starts all servers.
 * Afterwards: stops them.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { globSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { root } from '../../../scripts/root.ts';
import { sandboxAccount } from '../../../scripts/servers.ts';
import { sandboxCredential } from '../../../scripts/n8n/examples.ts';
import { startServers, type Servers } from '../../e2e/start-servers.ts';
import { installN8n, type N8nAge, type N8nProgram } from '../../../scripts/n8n/install.ts';
import { createInstallation, type Installation } from './n8n.ts';
import { installPackage } from '../../../scripts/n8n/pack.ts';
import { Rest } from './rest.ts';

/** Values provided to the tests. */
export interface Provided {
  readonly n8nUrl: string;
  readonly cookie: string;
  /** For tests that start a separate n8n. */
  readonly program: N8nProgram;
  /** The version of n8n under test. */
  readonly age: N8nAge;
  /** The shared n8n's folder, which holds the unpacked package. */
  readonly userFolder: string;
  readonly demoUrl: string;
  readonly credentialId: string;
  /** Fields of the workflows' credential. */
  readonly credential: {
    readonly service: 'other';
    readonly apiKey: string;
    readonly baseUrl: string;
    readonly publicationId: string;
  };
}

declare module 'vitest' {
  export interface ProvidedContext {
    newsletter: Provided;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const age = process.env['TEST_N8N'] === 'oldest' ? 'oldest' : 'newest';
  const program = await installN8n({ age });
  const opened: { servers?: Servers; n8n?: Installation } = {};
  const close = async (): Promise<void> => {
    await opened.n8n?.close();
    await opened.servers?.close();
  };
  try {
    console.error('▸ Starting sandbox, relay, demo site and n8n');
    const servers = (opened.servers = await startServers());
    const n8n = (opened.n8n = await createInstallation(program));
    await installPackage(n8n.userFolder);
    const sandbox = sandboxCredential(servers.sandboxUrl);
    const { key, publicationId } = sandboxAccount;
    await n8n.importCredential(sandbox);
    await importAll(n8n);
    await n8n.start();
    const cookie = await Rest.setUpOwner(n8n.url);
    project.provide('newsletter', {
      n8nUrl: n8n.url,
      cookie,
      program,
      age,
      userFolder: n8n.userFolder,
      demoUrl: servers.demoUrl,
      credentialId: sandbox.id,
      credential: { service: 'other', apiKey: key, baseUrl: servers.apiUrl, publicationId },
    });
    console.error(`✓ n8n at ${n8n.url}`);
  } catch (error) {
    await close();
    throw error;
  }
  return close;
}

/** Imports all example workflows with one call, since each call of n8n's command line takes seconds. */
async function importAll(n8n: Installation): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'newsletter-workflows-'));
  try {
    const files = globSync('examples/workflows/*.json', { cwd: root });
    const workflows = await Promise.all(
      files.map(async (file) => JSON.parse(await readFile(join(root, file), 'utf8')) as unknown),
    );
    const all = join(folder, 'all.json');
    await writeFile(all, JSON.stringify(workflows));
    await n8n.importWorkflow(all);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
