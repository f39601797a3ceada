/** A Worker for tests: calls the methods of the store in a Durable Object, each by a message of a WebSocket. */
import { type DurableObjectStorage, openDurableObjectStore } from '../../src/store/sqlite/durable-object.ts';
import type { SignupStore } from '../../src/store/signup-store.ts';
import type { RelayObjects } from '../../src/worker/index.ts';

/** A call of a method of the store, or of its storage. */
export interface StoreCall {
  /** Its number, which the answer has too. */
  readonly call: number;
  /** Name of the opened store: another name opens the same storage again. */
  readonly instance: string;
  /** `webhooks.` or `counters.` before the name calls that part of the store. */
  readonly method: string;
  readonly parameters: readonly unknown[];
}

/** The answer to a call: a value, unless there is an error. */
export interface StoreAnswer {
  readonly call: number;
  readonly value?: unknown;
  readonly error?: { readonly name: string; readonly message: string };
}

/** The platform's: both ends of a connection, of which one is accepted here and the other answered. */
declare const WebSocketPair: new () => readonly [client: WebSocket, server: WebSocket & { accept(): void }];

export class StoreObject {
  readonly #storage: DurableObjectStorage;
  readonly #stores = new Map<string, SignupStore>();

  constructor({ storage }: { readonly storage: DurableObjectStorage }) {
    this.#storage = storage;
  }

  fetch(): Response {
    const { 0: client, 1: server } = new WebSocketPair();
    server.accept();
    server.addEventListener('message', ({ data }) => {
      const call = JSON.parse(String(data)) as StoreCall;
      void this.#answer(call).then((answer) => server.send(JSON.stringify({ call: call.call, ...answer })));
    });
    return new Response(null, { status: 101, webSocket: client } as ResponseInit);
  }

  async #answer({ instance, method, parameters }: StoreCall): Promise<Omit<StoreAnswer, 'call'>> {
    try {
      if (method === 'sql') return { value: this.#storage.sql.exec(String(parameters[0])).toArray() };
      const store = this.#stores.get(instance) ?? openDurableObjectStore(this.#storage);
      this.#stores.set(instance, store);
      const [, part, name = method] = /^(webhooks|counters)\.(.+)$/.exec(method) ?? [];
      const target = part === 'webhooks' || part === 'counters' ? store[part] : store;
      const call: unknown = Reflect.get(target, name);
      return { value: typeof call === 'function' ? await Reflect.apply(call, target, parameters) : null };
    } catch (error) {
      const { name, message } = error instanceof Error ? error : new Error(String(error));
      return { error: { name, message } };
    }
  }
}

export default {
  fetch(request: Request, { RELAY_OBJECTS: objects }: { readonly RELAY_OBJECTS: RelayObjects }): Promise<Response> {
    return objects.get(objects.idFromName(new URL(request.url).pathname)).fetch(request);
  },
};
