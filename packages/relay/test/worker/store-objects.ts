/** Stores in Durable Objects of one workerd, whose methods are called by requests. */
import { Agent, fetch } from 'undici';
import { afterAll, beforeAll } from 'vitest';
import { bundleWorker, startWorkerd } from '../../../../scripts/workerd.ts';
import { type SignupStore, StoreUnavailableError } from '../../src/index.ts';
import type { StoreCall } from './store-worker.ts';

/** workerd resets connections where a thousand arrive at once, and closes idle ones: few, idle for a second at most. */
const dispatcher = new Agent({ connections: 32, keepAliveTimeout: 1000, keepAliveMaxTimeout: 1000 });

let running: Awaited<ReturnType<typeof startWorkerd>>;

/** Starts workerd for the tests of one file. */
export function storeObjects(): void {
  beforeAll(async () => {
    const script = await bundleWorker('packages/relay/test/worker/store-worker.ts');
    running = await startWorkerd(script, { className: 'StoreObject' });
  });
  afterAll(() => running?.workerd.dispose());
}

let objects = 0;
let instances = 0;

async function call(object: string, instance: string, method: string, ...parameters: unknown[]): Promise<unknown> {
  const request: StoreCall = { instance, method, parameters };
  const answer = await fetch(`${running.url}/${object}`, {
    method: 'POST',
    body: JSON.stringify(request),
    dispatcher,
  });
  const { value, error } = (await answer.json()) as {
    readonly value?: unknown;
    readonly error?: { readonly name: string; readonly message: string };
  };
  if (error?.name === 'StoreUnavailableError') throw new StoreUnavailableError(error.message);
  if (error) throw Object.assign(new Error(error.message), { name: error.name });
  return value;
}

/** A storage of its own. */
export function freshObject() {
  objects += 1;
  const object = `object-${objects}`;
  return {
    sql: (text: string) => call(object, 'sql', 'sql', text),
    /** Opens the store in it again, as after a restart. */
    open(): Promise<SignupStore> {
      instances += 1;
      const instance = `instance-${instances}`;
      const pending = new Set<Promise<unknown>>();
      const send = (method: string, parameters: readonly unknown[]): Promise<unknown> => {
        const sent = call(object, instance, method, ...parameters);
        pending.add(sent);
        void sent.catch(() => null).finally(() => pending.delete(sent));
        return sent;
      };
      // Every method returns a promise; awaiting the store itself calls none.
      const remote = <T extends object>(own: Partial<T>, prefix: string): T =>
        new Proxy(own as T, {
          get: (target, name) =>
            name === 'then'
              ? undefined
              : Reflect.has(target, name)
                ? Reflect.get(target, name)
                : (...parameters: unknown[]) => send(`${prefix}${String(name)}`, parameters),
        });
      const store = remote<SignupStore>(
        {
          shared: false,
          webhooks: remote<SignupStore['webhooks']>({}, 'webhooks.'),
          counters: remote<SignupStore['counters']>({}, 'counters.'),
          async close() {
            await Promise.allSettled(pending);
            await send('close', []);
          },
        },
        '',
      );
      return Promise.resolve(store);
    },
  };
}
