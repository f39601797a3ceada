/** The example workflow of the contact sync, published in an n8n, with contacts in a PostgreSQL database of its own. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Postgres } from '../../../packages/relay/test/postgres-server.ts';
import { eventually } from '../../../packages/relay/test/eventually.ts';
import { root } from '../../../scripts/chain/root.ts';
import { syncType } from './nodes.ts';
import type { Execution, Rest } from './rest.ts';

/** The workflow as n8n exports it. */
export interface ExampleWorkflow {
  readonly nodes: readonly {
    readonly name: string;
    readonly type: string;
    readonly parameters: Readonly<Record<string, unknown>>;
  }[];
  readonly connections: Readonly<Record<string, unknown>>;
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface ContactSyncOptions {
  readonly rest: Rest;
  /** Of the same n8n. */
  readonly n8nUrl: string;
  readonly postgres: Postgres;
  /** The sync node's credential for the newsletter. */
  readonly credentials: object;
  /** Parameters of the sync node that differ from the example's. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** Changes the workflow before it is saved. */
  readonly change?: (workflow: ExampleWorkflow) => ExampleWorkflow;
}

export interface ContactSync {
  /** The database with the table `contacts`. */
  readonly address: string;
  /** Its credential in n8n, as a node refers to it. */
  readonly database: { readonly postgres: { readonly id: string; readonly name: string } };
  readonly workflow: string;
  /** The webhook's address. */
  readonly url: string;
  /** Starts an execution. @returns its id */
  start(query?: string): Promise<string>;
  /** Runs it once. @throws where the execution ends with an error */
  runOnce(query?: string): Promise<Execution>;
}

/**
 * Publishes the example in Apply. A webhook starts it instead of the clock: a plan that was held back is accepted by
 * `?accept=yes`.
 */
export async function publishContactSync({
  rest,
  n8nUrl,
  postgres,
  credentials,
  parameters,
  change = (workflow) => workflow,
}: ContactSyncOptions): Promise<ContactSync> {
  const address = await postgres.database();
  const { username, password, port, pathname } = new URL(address);
  const id = await rest.createCredential('postgres', {
    host: '127.0.0.1',
    port: Number(port),
    database: pathname.slice(1),
    user: username,
    password,
    ssl: 'disable',
    sshTunnel: false,
    allowUnauthorizedCerts: false,
    maxConnections: 5,
  });
  const database = { postgres: { id, name: 'CRM' } };
  const example = JSON.parse(
    await readFile(join(root, 'examples/workflows/contact-sync.json'), 'utf8'),
  ) as ExampleWorkflow;
  const note = example.nodes.find(({ type }) => type.endsWith('.stickyNote'))?.parameters['content'];
  await postgres.run(/CREATE TABLE[^;]*;/.exec(String(note))?.[0] ?? '', address);

  const path = `sync-${crypto.randomUUID()}`;
  const url = `${n8nUrl}/webhook/${path}`;
  const nodes = example.nodes.map((node) => {
    if (node.type.endsWith('.scheduleTrigger'))
      return {
        ...node,
        type: 'n8n-nodes-base.webhook',
        typeVersion: 2,
        webhookId: crypto.randomUUID(),
        parameters: { path },
      };
    if (node.type.endsWith('.postgres')) return { ...node, credentials: database };
    if (node.type !== syncType) return node;
    const options = { accept: '={{ $("Every night").first().json.query.accept === "yes" }}' };
    return { ...node, credentials, parameters: { ...node.parameters, mode: 'apply', options, ...parameters } };
  });
  const workflow = await rest.saveWorkflow(change({ ...example, nodes }));
  await rest.activate(workflow);

  async function start(query = ''): Promise<string> {
    const before = new Set(await rest.executionIds(workflow));
    // After a restart n8n answers before it has registered its webhooks.
    await eventually('the webhook takes the request', async () => {
      const response = await fetch(url + query);
      await response.body?.cancel();
      return response.ok;
    });
    return eventually('the execution begins', async () =>
      (await rest.executionIds(workflow)).find((each) => !before.has(each)),
    );
  }

  return {
    address,
    database,
    workflow,
    url,
    start,
    async runOnce(query) {
      const execution = await rest.ended(await start(query), 120_000);
      if (execution.error) throw new Error(`The execution failed: ${execution.error.message}`);
      return execution;
    },
  };
}
