/** Example workflows prepared for tests: a webhook instead of the schedule, and the credentials of the test. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@newsletter-kit/core';
import { waitUntil } from '../../support/waits.ts';
import type { Postgres } from '../../../packages/relay/test/postgres-server.ts';
import { root } from '../../../scripts/root.ts';
import { syncType } from './nodes.ts';
import type { Credentials, Execution, Rest } from './rest.ts';

export interface ExampleNode {
  readonly name: string;
  readonly type: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface ExampleFile {
  readonly nodes: readonly ExampleNode[];
  readonly connections: Readonly<Record<string, unknown>>;
  readonly settings: object;
  /** Sample data of manual runs, by node. */
  readonly pinData?: Readonly<Record<string, readonly { readonly json: Readonly<Record<string, unknown>> }[]>>;
}

/** @param name - of the file in `examples/workflows`, without `.json` */
export async function readExample(name: string): Promise<ExampleFile & { readonly id: string }> {
  return JSON.parse(await readFile(join(root, 'examples/workflows', `${name}.json`), 'utf8')) as ExampleFile & {
    readonly id: string;
  };
}

/** A published example that the test runs. */
export interface PublishedExample {
  /** The id of the workflow. */
  readonly workflow: string;
  /** The webhook's address. */
  readonly url: string;
  /** Starts an execution. @returns its id */
  readonly start: (query?: string) => Promise<string>;
  /**
   * Runs it and waits for its end.
   *
   * @param query - `?accept=yes` accepts a plan that would be held back
   * @param status - the expected status; default `success`
   * @throws where it ends with another status
   */
  readonly runOnce: (query?: string, status?: 'success' | 'error') => Promise<Execution>;
}

interface Place {
  readonly n8n: Rest;
  readonly example: ExampleFile;
}

interface SyncSettings extends Place {
  /** Credentials of the sync node. */
  readonly credentials: Credentials;
  /** Credentials of the nodes that read and write contacts, which `contactNode` selects. */
  readonly contactCredentials: Credentials;
  readonly isContactNode: (node: ExampleNode) => boolean;
  /** Other parameters to fill in at these nodes. */
  readonly fillIn?: (parameters: ExampleNode['parameters']) => ExampleNode['parameters'];
  /** The mode of the sync node; `as-saved` keeps that of the file. Default `apply`. */
  readonly mode?: 'apply' | 'as-saved';
}

/** Publishes the example in the mode Apply, with another trigger and credentials, otherwise unchanged. */
export function publishSync({
  fillIn = (parameters) => parameters,
  mode = 'apply',
  ...settings
}: SyncSettings): Promise<PublishedExample> {
  const trigger = settings.example.nodes.find(isSchedule)?.name ?? '';
  // The examples of the sync save only runs that fail, and the tests read every run.
  const saved = { ...settings.example.settings, saveDataSuccessExecution: 'all' };
  return publishExample({ ...settings, example: { ...settings.example, settings: saved } }, (node) => {
    if (settings.isContactNode(node))
      return { ...node, parameters: fillIn(node.parameters), credentials: settings.contactCredentials };
    if (node.type !== syncType || node.parameters['operation'] === 'checkAnswers') return node;
    const { options } = node.parameters;
    return {
      ...node,
      credentials: settings.credentials,
      parameters: {
        ...node.parameters,
        ...(mode === 'apply' && { mode }),
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
 * Publishes an example; a webhook starts it instead of the schedule.
 *
 * @param change - changes of the test to a node
 */
export async function publishExample(
  { n8n, example }: Place,
  change: (node: ExampleNode) => ExampleNode,
): Promise<PublishedExample> {
  const path = `example-${crypto.randomUUID()}`;
  const nodes = example.nodes.map((node) =>
    isSchedule(node)
      ? {
          ...node,
          type: 'n8n-nodes-base.webhook',
          typeVersion: 2,
          webhookId: crypto.randomUUID(),
          parameters: { path },
        }
      : change(node),
  );
  const workflow = await n8n.saveWorkflow({ ...example, nodes });
  await n8n.activate(workflow);
  const url = `${n8n.url}/webhook/${path}`;
  return { workflow, url, start, runOnce };

  async function start(query = ''): Promise<string> {
    const before = new Set(await n8n.executionIds(workflow));
    // After a restart n8n accepts requests before it has registered its webhooks.
    await waitUntil('the webhook takes the request', async () => {
      const response = await fetch(url + query);
      await response.body?.cancel();
      return response.ok;
    });
    return waitUntil(
      'the execution begins',
      async () => (await n8n.executionIds(workflow)).find((each) => !before.has(each)) ?? null,
    );
  }

  async function runOnce(query = '', status: 'success' | 'error' = 'success'): Promise<Execution> {
    const execution = await n8n.ended(await start(query), 300_000);
    if (execution.status !== status)
      throw new Error(`The execution ended with ${execution.status}: ${execution.error?.message}`);
    return execution;
  }
}

/** A new database with the tables that the notes of these examples describe, and its credential in this n8n. */
export async function createDatabase(
  server: Postgres,
  n8n: Rest,
  examples: readonly ExampleFile[],
): Promise<{ readonly address: string; readonly postgres: Credentials }> {
  const address = await server.database();
  await createTables(server, address, examples);
  const id = await n8n.createCredential('postgres', databaseFields(address));
  return { address, postgres: { postgres: { id, name: 'CRM' } } };
}

/** Creates the tables that the notes of these examples describe. */
export async function createTables(server: Postgres, address: string, examples: readonly ExampleFile[]): Promise<void> {
  const notes = examples.flatMap(({ nodes }) => nodes.filter(({ type }) => type.endsWith('.stickyNote')));
  const statements = notes.flatMap(
    ({ parameters }) => String(parameters['content']).match(/CREATE TABLE[^;]*;/g) ?? [],
  );
  for (const statement of statements) await server.run(statement, address);
}

/** The fields of n8n's credential for a database. */
export function databaseFields(address: string) {
  const { username, password, port, pathname } = new URL(address);
  return {
    host: '127.0.0.1',
    port: Number(port),
    database: pathname.slice(1),
    user: username,
    password,
    ssl: 'disable',
    sshTunnel: false,
    allowUnauthorizedCerts: false,
    maxConnections: 5,
  };
}

/** Publishes the example with contacts in a new database. @returns it with the address of the database */
export async function publishContactSync({
  server,
  ...settings
}: Pick<SyncSettings, 'n8n' | 'credentials'> & {
  readonly server: Postgres;
}): Promise<PublishedExample & { readonly address: string }> {
  const example = await readExample('contact-sync');
  const { address, postgres } = await createDatabase(server, settings.n8n, [example]);
  const published = await publishSync({
    ...settings,
    example,
    contactCredentials: postgres,
    isContactNode: ({ type }) => type.endsWith('.postgres'),
  });
  return { address, ...published };
}

/** The tested fields of the subscription with this address. */
export async function subscriptionOf(api: Client, email: string) {
  const { items } = await api.subscriptions.list({ email, expand: ['custom_fields'] });
  const [found] = items;
  return {
    id: found?.id ?? '',
    status: found?.status,
    firstName: found?.custom_fields?.find(({ name }) => name === 'First Name')?.value,
  };
}
