/**
 * The SQLite store in a thread of its own: while a disk syncs slowly, the relay goes on to receive requests, and
 * answers in time. What operators read has another thread and connection, so that no visitor waits for it. This file is
 * also what the threads run.
 */
import { once } from 'node:events';
import { type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads';
import { StartupError, StoreInUseError, StoreUnavailableError } from '../../errors.ts';
import { type Count, type Counters, MemoryCounters } from '../counters.ts';
import type { SignupStore } from '../signup-store.ts';
import type { SqliteStore } from './sqlite-store.ts';

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

/** What goes to a thread together: each message costs more than what is in it. */
interface Message {
  /** Counts, which need no reply. They come before the calls: none is stored without its count. */
  readonly counts: readonly StoredCount[];
  readonly calls: readonly Call[];
}

type StoredCount = readonly [key: string, count: Count];

type Reply = { readonly id: number } & ({ readonly value: unknown } | { readonly failure: Failure });

/** What a thread sends first: the names of the methods of each part and the counts, or why there is no store. */
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

/** The value of `workerData` in those threads. */
interface ThreadData {
  readonly newsletterStore: string;
  /** Whether it only reads, beside the thread that has opened the store. */
  readonly isReader: boolean;
}

/** A thread with the store, and its parts as objects here. */
interface StoreThread {
  readonly store: SignupStore & Pick<SqliteStore, 'untallied' | 'tally'>;
  readonly webhooks: SignupStore['webhooks'];
  readonly counters: Counters;
  readonly counts: readonly StoredCount[];
  setCount(this: void, key: string, count: Count): void;
  /** Closes the store, and ends the thread. */
  end(this: void): Promise<void>;
}

async function startThread(data: ThreadData): Promise<StoreThread> {
  const thread = new Worker(new URL(import.meta.url), { workerData: data });
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
  const store = part('store') as StoreThread['store'];
  const members = { webhooks: part('webhooks'), counters: part('counters') } satisfies Record<Member, object>;
  return {
    store,
    ...(members as Pick<StoreThread, Member>),
    counts: opened.counts,
    setCount(key, count) {
      changed.set(key, count);
      schedule();
    },
    async end() {
      const ended = once(thread, 'exit');
      await store.close();
      await ended;
    },
  };
}

/**
 * Opens or creates the store in a file, in a new thread.
 *
 * @throws StartupError if the file cannot be used, is in use, or belongs to another program
 */
export async function openStoreThread(path: string): Promise<SignupStore> {
  const writing = await startThread({ newsletterStore: path, isReader: false });
  /** Started with the first read of an operator: it takes a few megabytes. */
  let started: Promise<StoreThread> | undefined;
  const reading = async (): Promise<StoreThread> => {
    started ??= startThread({ newsletterStore: path, isReader: true }).then(async (thread) => {
      // Of a large store of an earlier version: until then each read counts.
      void thread.store
        .untallied()
        .then((missing) => missing && writing.store.tally(missing))
        .catch(() => undefined);
      return thread;
    });
    return started.catch((error: unknown) => {
      started = undefined;
      throw error;
    });
  };
  return {
    ...writing.store,
    counts: async () => (await reading()).store.counts(),
    overview: async (now) => (await reading()).store.overview(now),
    list: async (...asked) => (await reading()).store.list(...asked),
    listConsents: async (page) => (await reading()).store.listConsents(page),
    suppressions: async (page) => (await reading()).store.suppressions(page),
    person: async (address) => (await reading()).store.person(address),
    webhooks: { ...writing.webhooks, overview: async () => (await reading()).webhooks.overview() },
    counters: countersOf(writing),
    shared: false,
    async close() {
      await started?.then(({ end }) => end()).catch(() => undefined);
      await writing.end();
    },
  };
}

/** Counters in this thread, since a count would wait for the commit that runs. */
function countersOf({ counts, counters: stored, setCount }: StoreThread): Counters {
  const kept = new Map(counts);
  const counting = new MemoryCounters(
    (key) => kept.get(key),
    (key, count) => {
      kept.delete(key);
      setCount(key, count);
    },
  );
  return {
    count: (...values) => counting.count(...values),
    release: (...values) => counting.release(...values),
    expire: async (now) => {
      for (const [key, { until }] of kept) if (until <= now) kept.delete(key);
      await counting.expire(now);
      await stored.expire(now);
    },
  };
}

/** Answers the calls of the thread that opened the store. */
async function run({ newsletterStore: path, isReader }: ThreadData, port: MessagePort): Promise<void> {
  const { openSqliteReader, openSqliteStore } = await import('./open-database.ts');
  let store;
  try {
    store = isReader ? openSqliteReader(path) : openSqliteStore(path);
  } catch (error) {
    if (!(error instanceof StartupError) && !isReader) throw error;
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
  port.postMessage({ methods, counts: isReader ? [] : store.counters.stored() } satisfies Opened);
}

const methodsOf = (part: object): string[] =>
  Object.getOwnPropertyNames(Object.getPrototypeOf(part)).filter((name) => name !== 'constructor');

const data = workerData as Partial<ThreadData> | null;
if (parentPort && data?.newsletterStore !== undefined) await run(data as ThreadData, parentPort);
