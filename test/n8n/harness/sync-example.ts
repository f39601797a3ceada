/** Example workflows as tests run them: with a webhook in place of the clock, and the credentials of the test. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@newsletter-kit/core';
import { expect } from 'vitest';
import type { PostgresServer } from '../../../packages/relay/test/postgres-server.ts';
import { root } from '../../../scripts/chain/root.ts';
import { syncType } from './nodes.ts';
import type { Execution, Rest } from './rest.ts';

export interface ExampleNode {
  readonly name: string;
  readonly type: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** A node's credentials, by their types. */
type Credentials = Readonly<Record<string, { readonly id: string; readonly name: string }>>;

export interface ExampleFile {
  readonly nodes: readonly ExampleNode[];
  readonly connections: object;
  readonly settings: object;
}

/** @param name - of the file in `examples/workflows`, without `.json` */
export async function readExample(name: string): Promise<ExampleFile> {
  return JSON.parse(await readFile(join(root, 'examples/workflows', `${name}.json`), 'utf8')) as ExampleFile;
}

/** An example that runs when the test says so. */
export interface PublishedExample {
  /** The id of the workflow. */
  readonly workflow: string;
  /**
   * Runs it and waits for its end.
   *
   * @param query - `?accept=yes` accepts a plan that would be held back
   * @param status - how it has to end; default `success`
   */
  readonly runOnce: (query?: string, status?: 'success' | 'error') => Promise<Execution>;
}

interface Place {
  readonly n8n: Rest;
  readonly n8nUrl: string;
  readonly example: ExampleFile;
}

interface SyncSettings extends Place {
  /** Of the sync node. */
  readonly credentials: Credentials;
  /** Of the nodes that read and write contacts; `contactNode` tells which ones they are. */
  readonly contactCredentials: Credentials;
  readonly isContactNode: (node: ExampleNode) => boolean;
  /** What a person fills in at these nodes besides. */
  readonly fillIn?: (parameters: ExampleNode['parameters']) => ExampleNode['parameters'];
}

/** Publishes it in Apply. Apart from that, the trigger and the credentials, it is the file as it stands. */
export function publishSync({ fillIn = (parameters) => parameters, ...settings }: SyncSettings) {
  const trigger = settings.example.nodes.find(isSchedule)?.name ?? '';
  return publishExample(settings, (node) => {
    if (settings.isContactNode(node))
      return { ...node, parameters: fillIn(node.parameters), credentials: settings.contactCredentials };
    if (node.type !== syncType) return node;
    const { options, ...parameters } = node.parameters;
    return {
      ...node,
      credentials: settings.credentials,
      parameters: {
        ...parameters,
        mode: 'apply',
        options: {
          ...(typeof options === 'object' && options),
          accept: `={{ $("${trigger}").first().json.query.accept === "yes" }}`,
        },
      },
    };
  });
}

const isSchedule = ({ type }: ExampleNode): boolean => type.endsWith('.scheduleTrigger');

/**
 * Publishes an example; a webhook starts it instead of the clock.
 *
 * @param change - what the test sets in a node
 */
export async function publishExample(
  { n8n, n8nUrl, example }: Place,
  change: (node: ExampleNode) => ExampleNode,
): Promise<PublishedExample> {
  const path = `example-${crypto.randomUUID()}`;
  const workflow = await n8n.saveWorkflow({
    ...example,
    nodes: example.nodes.map((node) =>
      isSchedule(node)
        ? {
            ...node,
            type: 'n8n-nodes-base.webhook',
            typeVersion: 2,
            webhookId: crypto.randomUUID(),
            parameters: { path },
          }
        : change(node),
    ),
  });
  await n8n.activate(workflow);
  let seen = 0;
  return {
    workflow,
    async runOnce(query = '', status = 'success') {
      const response = await fetch(`${n8nUrl}/webhook/${path}${query}`);
      expect(response.status).toBe(200);
      await expect.poll(async () => (await n8n.executionIds(workflow)).length, { timeout: 60_000 }).toBe(seen + 1);
      seen += 1;
      const execution = await n8n.ended((await n8n.executionIds(workflow)).at(-1) ?? '', 300_000);
      expect(execution.status, execution.error?.message).toBe(status);
      return execution;
    },
  };
}

/** A new database with the tables that the notes of these examples describe, and its credential in this n8n. */
export async function createDatabase(
  server: PostgresServer,
  n8n: Rest,
  examples: readonly ExampleFile[],
): Promise<{ readonly address: string; readonly postgres: Credentials }> {
  const address = await server.database();
  const { username, password, port, pathname } = new URL(address);
  const notes = examples.flatMap(({ nodes }) => nodes.filter(({ type }) => type.endsWith('.stickyNote')));
  const statements = notes.flatMap(
    ({ parameters }) => String(parameters['content']).match(/CREATE TABLE[^;]*;/g) ?? [],
  );
  for (const statement of statements) await server.run(statement, address);
  const id = await n8n.createCredential('postgres', {
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
  return { address, postgres: { postgres: { id, name: 'CRM' } } };
}

/** What the tests look at in the subscription of this address. */
export async function subscriptionOf(api: Client, email: string) {
  const { items } = await api.subscriptions.list({ email, expand: ['custom_fields'] });
  const [found] = items;
  return {
    id: found?.id ?? '',
    status: found?.status,
    firstName: found?.custom_fields?.find(({ name }) => name === 'First Name')?.value,
  };
}
