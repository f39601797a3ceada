/** The built node and a sandbox of its own for each test, and the few words in which tests speak of them. */
import { createSandbox, type Sandbox } from '@newsletter-kit/sandbox';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { buildBundle, type Bundle, type Found, type Item } from './bundle.ts';
import { executeContext, itemlessContext, type Run } from './context.ts';

export interface Workbench {
  readonly bundle: Bundle;
  readonly sandbox: Sandbox;
  /** Runs an operation with these parameters and gives its items. */
  run(
    resource: string,
    operation: string,
    parameters?: Run['parameters'],
    more?: Partial<Run>,
  ): Promise<readonly Item[]>;
  /** What the editor gets for a list of a resource locator. */
  search(method: string, filter?: string, token?: string, more?: Partial<Run>): Promise<Found>;
  /** The value of the first entry of such a list. */
  first(method: string, parameters?: Run['parameters']): Promise<string>;
  /** The bodies and queries of the requests that the sandbox answered to this operation. */
  requests(operation: string): readonly { readonly path: string; readonly status: number }[];
}

/** A sandbox whose jobs are done by the time one looks at them. */
function promptly(sandbox: Pick<Sandbox, 'fetch' | 'clock'>): Pick<Sandbox, 'fetch'> {
  return {
    async fetch(input, init) {
      const response = await sandbox.fetch(input, init);
      if (init?.method === 'PATCH') sandbox.clock.advance(5000);
      return response;
    },
  };
}

/** The demo publication depends on the moment it is planted at; tests look at the same one. */
const noon = Date.UTC(2026, 0, 15, 12);

/** To be called once at the top of a file. */
export function workbench(): Workbench {
  const made: { bundle?: Bundle; sandbox?: Sandbox } = {};
  const there = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('Only tests can use the workbench.');
    return value;
  };
  beforeAll(async () => {
    made.bundle = await buildBundle();
  });
  beforeEach(() => {
    made.sandbox?.close();
    made.sandbox = createSandbox({ seed: 'demo', now: () => noon });
  });
  afterAll(async () => {
    made.sandbox?.close();
    await made.bundle?.remove();
  });

  const bench: Workbench = {
    get bundle() {
      return there(made.bundle);
    },
    get sandbox() {
      return there(made.sandbox);
    },
    async run(resource, operation, parameters = {}, more = {}) {
      const context = executeContext({
        sandbox: promptly(bench.sandbox),
        ...more,
        parameters: { resource, operation, ...parameters },
      });
      return (await bench.bundle.newsletter.execute.call(context))[0] ?? [];
    },
    async search(method, filter, token, more = {}) {
      const found = bench.bundle.newsletter.methods.listSearch[method];
      if (!found) throw new Error(`There is no list search "${method}".`);
      return found.call(itemlessContext({ sandbox: bench.sandbox, parameters: {}, ...more }), filter, token);
    },
    async first(method, parameters = {}) {
      const { results } = await bench.search(method, '', '', { parameters });
      return there(results[0]).value;
    },
    requests: (operation) => bench.sandbox.requests().filter((entry) => entry.operation === operation),
  };
  return bench;
}
