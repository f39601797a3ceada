/**
 * Fixtures for vitest: each test gets its own sandbox, in process or on a port. Requires vitest as a peer dependency.
 */
import { test as base } from 'vitest';
import { createSandbox, type Sandbox, type SandboxOptions } from './sandbox.ts';
import { listen } from './command/listen.ts';
import { environmentOf } from './command/child-process.ts';
import { apiKeys, publicationId } from './world/ids.ts';

/** The options of core's `createClient` that connect it to the sandbox. */
export interface ClientSettings {
  readonly baseUrl: string;
  readonly token: string;
  readonly publicationId: string;
  /** Left out where the sandbox has a port: then the platform's own `fetch` reaches it. */
  readonly fetch?: Sandbox['fetch'];
}

/** A sandbox that listens. */
export interface SandboxOnPort extends Sandbox {
  /** `http://127.0.0.1:<free port>` */
  readonly address: string;
  readonly clientOptions: ClientSettings;
  /** What `newsletter-sandbox exec` would set, for a process that a test starts. */
  readonly env: Readonly<Record<string, string>>;
}

export interface SandboxFixtures {
  /**
   * How the sandboxes of a test start; `test.override({ sandboxOptions: { seed: 'demo' } })` for others. Default: the
   * empty seed.
   */
  sandboxOptions: SandboxOptions;
  /** A fresh sandbox in process. */
  sandbox: Sandbox;
  /** For `createClient`: reaches {@link SandboxFixtures.sandbox}. */
  clientOptions: ClientSettings;
  /** A fresh sandbox on a free port, for clients that take no `fetch`. */
  sandboxOnPort: SandboxOnPort;
}

const access = { token: apiKeys.workspace, publicationId } as const;

/**
 * vitest's `test` with a sandbox; only what a test names is started, and closed after it.
 *
 * @example
 * ```ts
 * test('a signup becomes active', async ({ sandbox, clientOptions }) => {
 *   const client = createClient(clientOptions);
 *   await client.subscriptions.create({ email: 'ada@example.com' });
 *   sandbox.clock.advance('PT1S');
 *   expect((await client.subscriptions.list({ status: 'active' })).items).toHaveLength(1);
 * });
 * ```
 */
export const test = base.extend<SandboxFixtures>({
  sandboxOptions: {},
  sandbox: async ({ sandboxOptions }, use) => {
    const sandbox = createSandbox(sandboxOptions);
    await use(sandbox);
    sandbox.close();
  },
  clientOptions: async ({ sandbox }, use) =>
    use({ baseUrl: 'http://sandbox.test/v2', ...access, fetch: sandbox.fetch }),
  sandboxOnPort: async ({ sandboxOptions }, use) => {
    const sandbox = createSandbox(sandboxOptions);
    const { address, stop } = await listen(sandbox, { host: '127.0.0.1', port: 0 });
    await use({
      ...sandbox,
      address,
      env: environmentOf(address),
      clientOptions: { baseUrl: `${address}/v2`, ...access },
    });
    await stop();
  },
});
