/** An example workflow of the contact sync, published with a webhook in place of its clock. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@newsletter-kit/core';
import { expect } from 'vitest';
import { root } from '../../../scripts/chain/root.ts';
import { syncType } from './nodes.ts';
import type { Execution, Rest } from './rest.ts';

interface ExampleNode {
  readonly name: string;
  readonly type: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** A node's credentials, by their types. */
type Credentials = Readonly<Record<string, { readonly id: string; readonly name: string }>>;

export interface ExampleFile {
  readonly nodes: readonly ExampleNode[];
  readonly connections: object;
}

/** @param name - of the file in `examples/workflows`, without `.json` */
export async function readExample(name: string): Promise<ExampleFile> {
  return JSON.parse(await readFile(join(root, 'examples/workflows', `${name}.json`), 'utf8')) as ExampleFile;
}

export interface PublishedSync {
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

interface SyncSettings {
  readonly n8n: Rest;
  readonly n8nUrl: string;
  readonly example: ExampleFile;
  /** Of the sync node. */
  readonly credentials: Credentials;
  /** Of the nodes that read and write contacts; `contactNode` tells which ones they are. */
  readonly contactCredentials: Credentials;
  readonly isContactNode: (node: ExampleNode) => boolean;
}

/** Publishes it in Apply. Apart from that, the trigger and the credentials, it is the file as it stands. */
export async function publishSync({ n8n, n8nUrl, example, ...settings }: SyncSettings): Promise<PublishedSync> {
  const path = `sync-${crypto.randomUUID()}`;
  const trigger = example.nodes.find(({ type }) => type.endsWith('.scheduleTrigger'))?.name ?? '';
  const workflow = await n8n.saveWorkflow({
    nodes: example.nodes.map((node) => {
      if (node.name === trigger)
        return {
          ...node,
          type: 'n8n-nodes-base.webhook',
          typeVersion: 2,
          webhookId: crypto.randomUUID(),
          parameters: { path },
        };
      if (settings.isContactNode(node)) return { ...node, credentials: settings.contactCredentials };
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
    }),
    connections: example.connections,
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
