/** Stores in Durable Objects of one workerd, whose methods are called by messages of a WebSocket each. */
import { once } from 'node:events';
import { afterAll, beforeAll } from 'vitest';
import { bundleWorker, startWorkerd } from '../../../../scripts/workerd.ts';
import { type SignupStore, StoreUnavailableError } from '../../src/index.ts';
import type { StoreAnswer, StoreCall } from './store-worker.ts';

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
let calls = 0;

/** Connects to an object. @returns what calls a method there */
async function connect(object: string) {
  const socket = new WebSocket(`${running.url}/${object}`);
  const open = new Map<number, PromiseWithResolvers<unknown>>();
  socket.addEventListener('message', ({ data }) => {
    const { call, value, error } = JSON.parse(String(data)) as StoreAnswer;
    const { resolve, reject } = open.get(call) ?? Promise.withResolvers();
    open.delete(call);
    if (!error) return resolve(value);
    const { name, message } = error;
    reject(
      name === 'StoreUnavailableError'
        ? new StoreUnavailableError(message)
        : Object.assign(new Error(message), { name }),
    );
  });
  socket.addEventListener('close', ({ reason }) => {
    for (const { reject } of open.values()) reject(new Error(`The object is gone: ${reason}`));
  });
  await once(socket, 'open');
  return (instance: string, method: string, parameters: readonly unknown[]): Promise<unknown> => {
    const answer = Promise.withResolvers<unknown>();
    calls += 1;
    open.set(calls, answer);
    socket.send(JSON.stringify({ call: calls, instance, method, parameters } satisfies StoreCall));
    return answer.promise;
  };
}

/** A storage of its own. */
export function freshObject() {
  objects += 1;
  const connected = connect(`object-${objects}`);
  const call = async (...each: Parameters<Awaited<typeof connected>>): Promise<unknown> => (await connected)(...each);
  return {
    sql: (text: string) => call('sql', 'sql', [text]),
    /** Opens the store in it again, as after a restart. */
    open(): Promise<SignupStore> {
      instances += 1;
      const instance = `instance-${instances}`;
      const pending = new Set<Promise<unknown>>();
      const send = (method: string, parameters: readonly unknown[]): Promise<unknown> => {
        const sent = call(instance, method, parameters);
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
