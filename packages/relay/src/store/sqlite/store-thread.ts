/**
 * The SQLite store in a thread of its own: while a disk syncs slowly, the relay goes on to receive requests, and
 * answers in time. This file is also what the thread runs.
 */
import { once } from 'node:events';
import { type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads';
import { StartupError, StoreInUseError, StoreUnavailableError } from '../../errors.ts';
import { type Count, type Counters, MemoryCounters } from '../counters.ts';
import type { SignupStore } from '../signup-store.ts';

/** The members of a store that have methods of their own. */
type Member = {
  [Name in keyof SignupStore]-?: SignupStore[Name] extends (...values: never) => unknown
    ? never
    : SignupStore[Name] extends object
      ? Name
      : never;
}[keyof SignupStore];

/** The parts of a store that are called. */
type Part = 'store' | Member;

interface Call {
  readonly id: number;
  readonly part: Part;
  readonly method: string;
  readonly values: readonly unknown[];
}

/** An error loses its class on its way between threads. */
interface Failure {
  readonly name: string;
  readonly error: unknown;
}

/** A count, which needs no reply. */
interface Counting {
  readonly key: string;
  readonly count: Count;
}

type Reply = { readonly id: number } & ({ readonly value: unknown } | { readonly failure: Failure });

/** What the thread sends first: the names of the methods of each part and the counts, or why there is no store. */
type Opened =
  | {
      readonly methods: Readonly<Record<Part, readonly string[]>>;
      readonly counts: readonly (readonly [key: string, count: Count])[];
    }
  | { readonly failure: Failure };

const knownErrors: Readonly<Record<string, new (message: string, options: ErrorOptions) => Error>> = {
  StartupError,
  StoreInUseError,
  StoreUnavailableError,
};

function errorOf({ name, error }: Failure): unknown {
  const Known = knownErrors[name];
  return Known && error instanceof Error ? new Known(error.message, { cause: error.cause }) : error;
}

const failureOf = (error: unknown): Failure => ({
  name: error instanceof Error ? error.constructor.name : '',
  error,
});

/** The value of `workerData` in that thread. */
interface ThreadData {
  readonly newsletterStore: string;
}

/**
 * Opens or creates the store in a file, in a new thread.
 *
 * @throws StartupError if the file cannot be used, is in use, or belongs to another program
 */
export async function openStoreThread(path: string): Promise<SignupStore> {
  const thread = new Worker(new URL(import.meta.url), { workerData: { newsletterStore: path } satisfies ThreadData });
  const [opened] = (await once(thread, 'message')) as [Opened];
  if ('failure' in opened) throw errorOf(opened.failure);
  const calls = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>();
  let next = 0;
  thread.on('message', (reply: Reply) => {
    const call = calls.get(reply.id);
    calls.delete(reply.id);
    if ('failure' in reply) call?.reject(errorOf(reply.failure));
    else call?.resolve(reply.value);
  });
  const part = (name: Part): object =>
    Object.fromEntries(
      opened.methods[name].map((method) => [
        method,
        (...values: unknown[]) =>
          new Promise((resolve, reject) => {
            const id = next++;
            calls.set(id, { resolve, reject });
            thread.postMessage({ id, part: name, method, values } satisfies Call);
          }),
      ]),
    );
  // Counted here, since a count would wait for the commit that runs. It arrives before the signup that it counts.
  const kept = new Map(opened.counts);
  const counting = new MemoryCounters(
    (key) => kept.get(key),
    (key, count) => {
      kept.delete(key);
      thread.postMessage({ key, count } satisfies Counting);
    },
  );
  const stored = part('counters') as Counters;
  const counters: Counters = {
    count: (...values) => counting.count(...values),
    release: (...values) => counting.release(...values),
    expire: async (now) => {
      for (const [key, { until }] of kept) if (until <= now) kept.delete(key);
      await counting.expire(now);
      await stored.expire(now);
    },
  };
  const members = { webhooks: part('webhooks'), counters } satisfies Record<Member, object>;
  const store = { ...part('store'), ...members, shared: false } as SignupStore;
  return {
    ...store,
    async close() {
      const ended = once(thread, 'exit');
      await store.close();
      await ended;
    },
  };
}

/** Answers the calls of the thread that opened the store. */
async function run(path: string, port: MessagePort): Promise<void> {
  const { openSqliteStore } = await import('./open-database.ts');
  let store;
  try {
    store = openSqliteStore(path);
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    port.postMessage({ failure: failureOf(error) } satisfies Opened);
    return;
  }
  const parts = { store, webhooks: store.webhooks, counters: store.counters } satisfies Record<Part, object>;
  port.on('message', (message: Call | Counting) => {
    if ('count' in message) {
      parts.counters.set(message.key, message.count);
      return;
    }
    const { id, part, method, values } = message;
    const work = parts[part] as unknown as Readonly<
      Record<string, (...values: readonly unknown[]) => Promise<unknown>>
    >;
    work[method]?.(...values).then(
      (value) => {
        port.postMessage({ id, value } satisfies Reply);
        if (method === 'close') port.close();
      },
      (error: unknown) => port.postMessage({ id, failure: failureOf(error) } satisfies Reply),
    );
  });
  const methods = {
    store: methodsOf(parts.store),
    webhooks: methodsOf(parts.webhooks),
    counters: methodsOf(parts.counters),
  };
  port.postMessage({ methods, counts: store.counters.stored() } satisfies Opened);
}

const methodsOf = (part: object): string[] =>
  Object.getOwnPropertyNames(Object.getPrototypeOf(part)).filter((name) => name !== 'constructor');

const data = workerData as Partial<ThreadData> | null;
if (parentPort && data?.newsletterStore !== undefined) await run(data.newsletterStore, parentPort);
