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

/** What goes to the thread together: each message costs more than what is in it. */
interface Message {
  /** Counts, which need no reply. They come before the calls: none is stored without its count. */
  readonly counts: readonly StoredCount[];
  readonly calls: readonly Call[];
}

type StoredCount = readonly [key: string, count: Count];

type Reply = { readonly id: number } & ({ readonly value: unknown } | { readonly failure: Failure });

/** What the thread sends first: the names of the methods of each part and the counts, or why there is no store. */
type Opened =
  | {
      readonly methods: Readonly<Record<Part, readonly string[]>>;
      readonly counts: readonly StoredCount[];
    }
  | { readonly failure: Failure };

const knownErrors: Readonly<Partial<Record<string, new (message: string, options: ErrorOptions) => Error>>> = {
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
  const pending = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>();
  const changed = new Map<string, Count>();
  let calls: Call[] = [];
  let scheduled: NodeJS.Immediate | null = null;
  const send = (): void => {
    thread.postMessage({ counts: [...changed], calls } satisfies Message);
    changed.clear();
    calls = [];
    scheduled = null;
  };
  // After the poll phase: with the calls of every request received by now.
  const schedule = (): void => void (scheduled ??= setImmediate(send));
  thread.on('message', (replies: readonly Reply[]) => {
    for (const reply of replies) {
      const call = pending.get(reply.id);
      pending.delete(reply.id);
      if ('failure' in reply) call?.reject(errorOf(reply.failure));
      else call?.resolve(reply.value);
    }
  });
  let next = 0;
  const part = (name: Part): object =>
    Object.fromEntries(
      opened.methods[name].map((method) => [
        method,
        (...values: unknown[]) =>
          new Promise((resolve, reject) => {
            const id = next++;
            pending.set(id, { resolve, reject });
            calls.push({ id, part: name, method, values });
            schedule();
          }),
      ]),
    );
  // Counted here, since a count would wait for the commit that runs.
  const kept = new Map(opened.counts);
  const counting = new MemoryCounters(
    (key) => kept.get(key),
    (key, count) => {
      kept.delete(key);
      changed.set(key, count);
      schedule();
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
  let replies: Reply[] = [];
  const reply = (each: Reply): void => {
    // After all calls of a commit have been answered.
    if (replies.push(each) === 1)
      process.nextTick(() => {
        port.postMessage(replies);
        replies = [];
      });
  };
  port.on('message', ({ counts, calls }: Message) => {
    for (const [key, count] of counts) parts.counters.set(key, count);
    for (const { id, part, method, values } of calls) {
      const work = parts[part] as unknown as Readonly<
        Record<string, (...values: readonly unknown[]) => Promise<unknown>>
      >;
      work[method]?.(...values).then(
        (value) => {
          reply({ id, value });
          if (method === 'close') process.nextTick(() => port.close());
        },
        (error: unknown) => reply({ id, failure: failureOf(error) }),
      );
    }
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
