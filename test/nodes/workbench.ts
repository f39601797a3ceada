/** The built node with a fresh sandbox for each test that asks for it, and functions to run operations. */
import { createSandbox, type Sandbox } from '@newsletter-kit/sandbox';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { loadBundle, type Bundle, type Found, type Item, toMessage } from './bundle.ts';
import { executeContext, itemlessContext, type Run } from './context.ts';

export interface Workbench {
  readonly bundle: Bundle;
  /** Created where a test first asks for it: what a node refuses by itself needs none. */
  readonly sandbox: Sandbox;
  /** The sandbox, completing jobs at once. */
  readonly prompt: Pick<Sandbox, 'fetch'>;
  /** Runs an operation with these parameters once, and returns its items as n8n passes them on. */
  run(
    resource: string,
    operation: string,
    parameters?: Run['parameters'],
    more?: Partial<Run>,
  ): Promise<readonly Item[]>;
  /** Calls a list search of the editor. */
  search(method: string, filter?: string, token?: string, more?: Partial<Run>): Promise<Found>;
  /** The value of the first result of a list search. */
  first(method: string, parameters?: Run['parameters']): Promise<string>;
  /**
   * The sandbox, completing jobs at once, with a step before each request of this method, by address and number from 1.
   * A response that the step returns is the answer instead.
   */
  before(method: string, step: (url: string, times: number) => unknown): Pick<Run, 'sandbox'>;
  /** The bodies and queries of the requests of this operation. */
  requests(operation: string): readonly { readonly path: string; readonly status: number }[];
}

/** An error of the API. */
export const refusal = (status: number, message: string): Response =>
  Response.json({ status, statusText: 'refused', errors: [{ message, code: 'NO' }] }, { status });

/** The fixed start time of the demo publication, whose records depend on it. */
const noon = Date.UTC(2026, 0, 15, 12);

/** Creates the workbench of a file of tests; called once at its top. */
export function workbench(): Workbench {
  const { bench, open, reset, close } = createWorkbench();
  beforeAll(open);
  beforeEach(reset);
  afterAll(close);
  return bench;
}

/** A workbench and its life: loaded once, then with a fresh sandbox after each reset. */
interface OwnWorkbench {
  readonly bench: Workbench;
  open(): Promise<void>;
  reset(): void;
  close(): void;
}

/** Creates a workbench outside of tests. */
export function createWorkbench(): OwnWorkbench {
  const made: { bundle?: Bundle; sandbox?: Sandbox } = {};
  let first: { readonly sandbox: Sandbox; readonly start: string } | undefined;
  /** As it was at its start: to restore a snapshot takes a thirteenth of the time of a seed. */
  const fresh = (): Sandbox => {
    if (!first) {
      const sandbox = createSandbox({ seed: 'demo', now: () => noon });
      first = { sandbox, start: sandbox.snapshots.take().id };
    }
    first.sandbox.reset('empty');
    first.sandbox.snapshots.restore(first.start);
    return first.sandbox;
  };
  const there = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('The workbench is not open: in files of tests, only tests can use it.');
    return value;
  };
  const bench: Workbench = {
    get bundle() {
      return there(made.bundle);
    },
    get sandbox() {
      there(made.bundle);
      return (made.sandbox ??= fresh());
    },
    prompt: {
      async fetch(input, init) {
        const { sandbox } = bench;
        const response = await sandbox.fetch(input, init);
        if (init?.method === 'PATCH') sandbox.clock.advance(5000);
        return response;
      },
    },
    async run(resource, operation, parameters = {}, more = {}) {
      const context = executeContext({
        sandbox: bench.prompt,
        ...more,
        parameters: { resource, operation, ...parameters },
      });
      return ((await bench.bundle.newsletter.execute.call(context))[0] ?? []).map(toMessage);
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
    before(method, step) {
      let times = 0;
      const fetch: Sandbox['fetch'] = async (input, init) => {
        const result = (init?.method ?? 'GET') === method ? await step(String(input), (times += 1)) : undefined;
        return result instanceof Response ? result : bench.prompt.fetch(input, init);
      };
      return { sandbox: { fetch } };
    },
    requests: (operation) => bench.sandbox.requests().filter((entry) => entry.operation === operation),
  };
  return {
    bench,
    async open() {
      made.bundle = await loadBundle();
    },
    reset() {
      delete made.sandbox;
    },
    close: () => first?.sandbox.close(),
  };
}
