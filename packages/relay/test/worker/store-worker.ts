/** A Worker for tests: calls the methods of the store in a Durable Object, each by a message of a WebSocket. */
import { type DurableObjectStorage, openDurableObjectStore } from '../../src/store/sqlite/durable-object.ts';
import type { SignupStore } from '../../src/store/signup-store.ts';
import type { RelayObjects } from '../../src/worker/index.ts';

/** A call of a method of the store, or of its storage. */
export interface StoreCall {
  /** Its number, which the answer has too. */
  readonly call: number;
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

  constructor({ storage }: { readonly storage: DurableObjectStorage }) {
    this.#storage = storage;
  }

  /** Each connection opens the store again. */
  fetch(): Response {
    const { 0: client, 1: server } = new WebSocketPair();
    let store: SignupStore | undefined;
    const take = async (data: unknown): Promise<void> => {
      const { call, method, parameters } = JSON.parse(String(data)) as StoreCall;
      const answer = (told: Omit<StoreAnswer, 'call'>): void => server.send(JSON.stringify({ call, ...told }));
      try {
        if (method === 'sql') return answer({ value: this.#storage.sql.exec(String(parameters[0])).toArray() });
        store ??= openDurableObjectStore(this.#storage);
        const [, part, name = method] = /^(webhooks|counters)\.(.+)$/.exec(method) ?? [];
        const target = part === 'webhooks' || part === 'counters' ? store[part] : store;
        const called: unknown = Reflect.get(target, name);
        answer({ value: typeof called === 'function' ? await Reflect.apply(called, target, parameters) : null });
      } catch (error) {
        const { name, message } = error instanceof Error ? error : new Error(String(error));
        answer({ error: { name, message } });
      }
    };
    server.accept();
    server.addEventListener('message', ({ data }) => void take(data));
    return new Response(null, { status: 101, webSocket: client } as ResponseInit);
  }
}

export default {
  fetch(request: Request, { RELAY_OBJECTS: objects }: { readonly RELAY_OBJECTS: RelayObjects }): Promise<Response> {
    return objects.get(objects.idFromName(new URL(request.url).pathname)).fetch(request);
  },
};
