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

/** A connection to an object: opens the store in it. @returns what calls a method there; calls arrive in order */
async function connect(address: string) {
  const socket = new WebSocket(address);
  const calls: PromiseWithResolvers<unknown>[] = [];
  socket.addEventListener('message', ({ data }) => {
    const { call, value, error } = JSON.parse(String(data)) as StoreAnswer;
    if (!error) return calls[call]?.resolve(value);
    const Thrown = error.name === 'StoreUnavailableError' ? StoreUnavailableError : Error;
    calls[call]?.reject(Object.assign(new Thrown(error.message), error));
  });
  socket.addEventListener('close', ({ reason }) => {
    for (const { reject } of calls) reject(new Error(`The object is gone: ${reason}`));
  });
  await once(socket, 'open');
  return (method: string, ...parameters: readonly unknown[]): Promise<unknown> => {
    const answer = Promise.withResolvers<unknown>();
    const call = calls.push(answer) - 1;
    socket.send(JSON.stringify({ call, method, parameters } satisfies StoreCall));
    return answer.promise;
  };
}

let objects = 0;

/** A storage of its own. */
export function freshObject() {
  objects += 1;
  const address = `${running.url}/object-${objects}`;
  let connection: ReturnType<typeof connect> | undefined;
  return {
    sql: async (text: string) => (await (connection ??= connect(address)))('sql', text),
    /** Opens the store in it again, as after a restart. */
    async open(): Promise<SignupStore> {
      const send = await connect(address);
      // Every method returns a promise; awaiting the store itself calls none.
      const remote = <T extends object>(own: Partial<T>, prefix: string): T =>
        new Proxy(own as T, {
          get: (target, name) =>
            name === 'then' || Reflect.has(target, name)
              ? Reflect.get(target, name)
              : (...parameters: unknown[]) => send(`${prefix}${String(name)}`, ...parameters),
        });
      return remote<SignupStore>(
        {
          shared: false,
          webhooks: remote<SignupStore['webhooks']>({}, 'webhooks.'),
          counters: remote<SignupStore['counters']>({}, 'counters.'),
        },
        '',
      );
    },
  };
}
