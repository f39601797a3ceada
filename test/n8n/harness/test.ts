/** vitest's `test` with a fresh sandbox for the shared n8n, and a function to run the action node. */
import { createClient, type Client } from '@newsletter-kit/core';
import { test as sandboxTest, type SandboxFixtures } from '@newsletter-kit/sandbox/vitest';
import { inject } from 'vitest';
import { items as rowsOf, newsletterType, start } from './nodes.ts';
import { type Credentials, type Execution, Rest } from './rest.ts';

/** The name of the node under test in every workflow. */
export const underTest = 'Newsletter';

/** Parameters and input of the node. */
export interface NodeRun {
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Input items; one empty item where left out. */
  readonly items?: readonly unknown[] | string;
  /** Settings of the node besides its parameters, such as `onError`. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Time limit of the execution in milliseconds. */
  readonly within?: number;
}

/** The shared n8n. */
export const n8n = new Rest(inject('newsletter').n8nUrl, inject('newsletter').cookie);

interface Fixtures {
  /** Reads and writes the sandbox without n8n. */
  readonly api: Client;
  /** A credential for the sandbox, as a node refers to it. */
  readonly credentials: Credentials;
  /** Runs the action node in a new workflow, and waits for its end. */
  readonly runNode: (run: NodeRun) => Promise<Execution>;
}

export const test = sandboxTest.extend<Fixtures & Pick<SandboxFixtures, 'sandboxOptions'>>({
  sandboxOptions: { seed: 'demo' },
  api: async ({ sandboxOnPort }, use) => use(createClient(sandboxOnPort.clientOptions)),
  credentials: async ({ sandboxOnPort }, use) => use(await n8n.newsletterCredentials(sandboxOnPort)),
  runNode: async ({ credentials }, use) => {
    await use(async ({ parameters, items, settings, within }) => {
      const workflow = await n8n.createWorkflow([
        start,
        ...(items === undefined ? [] : rowsOf(items)),
        { name: underTest, type: newsletterType, parameters, credentials, ...settings },
      ]);
      return n8n.run(workflow, start.name, within);
    });
  },
});
