/** A Worker for tests: calls the methods of the store in a Durable Object, each by a request. */
import { type DurableObjectStorage, openDurableObjectStore } from '../../src/store/sqlite/durable-object.ts';
import type { SignupStore } from '../../src/store/signup-store.ts';
import type { RelayObjects } from '../../src/worker/index.ts';

/** A call of a method of the store, or of its storage. */
export interface StoreCall {
  /** Name of the opened store: another name opens the same storage again. */
  readonly instance: string;
  /** `webhooks.` or `counters.` before the name calls that part of the store. */
  readonly method: string;
  readonly parameters: readonly unknown[];
}

export class StoreObject {
  readonly #storage: DurableObjectStorage;
  readonly #stores = new Map<string, SignupStore>();

  constructor({ storage }: { readonly storage: DurableObjectStorage }) {
    this.#storage = storage;
  }

  async fetch(request: Request): Promise<Response> {
    const { instance, method, parameters } = (await request.json()) as StoreCall;
    try {
      if (method === 'sql') return Response.json({ value: this.#storage.sql.exec(String(parameters[0])).toArray() });
      const store = this.#stores.get(instance) ?? openDurableObjectStore(this.#storage);
      this.#stores.set(instance, store);
      const [, part, name = method] = /^(webhooks|counters)\.(.+)$/.exec(method) ?? [];
      const target = part === 'webhooks' || part === 'counters' ? store[part] : store;
      const call: unknown = Reflect.get(target, name);
      const value: unknown = typeof call === 'function' ? await Reflect.apply(call, target, parameters) : null;
      return Response.json({ value });
    } catch (error) {
      const { name, message } = error instanceof Error ? error : new Error(String(error));
      return Response.json({ error: { name, message } });
    }
  }
}

export default {
  fetch(request: Request, { RELAY_OBJECTS: objects }: { readonly RELAY_OBJECTS: RelayObjects }): Promise<Response> {
    return objects.get(objects.idFromName(new URL(request.url).pathname)).fetch(request);
  },
};
