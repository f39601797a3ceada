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
import type { SqliteReader } from './open-reader.ts';
import type { SqliteStore } from './sqlite-store.ts';

interface Call {
  readonly id: number;
  /** Name of a method of the store, or of a member of it: `accept`, `webhooks.claim`. */
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

/** What a thread sends first: the names of the methods and the counts, or why there is no store. */
type Opened =
  | { readonly methods: readonly string[]; readonly counts: readonly StoredCount[] }
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

/** A thread with a store, whose methods are functions here. */
interface StoreThread<Store> {
  readonly store: Store;
  readonly counts: readonly StoredCount[];
  setCount(this: void, key: string, count: Count): void;
  /** Resolves when the thread has ended. */
  readonly ended: Promise<unknown>;
}

/** Megabytes for new objects, in which a commit of a hundred signups finds room. By default they take 16 and more. */
const maxYoungGenerationSizeMb = 4;

async function startThread<Store>(data: ThreadData): Promise<StoreThread<Store>> {
  const thread = new Worker(new URL(import.meta.url), {
    workerData: data,
    resourceLimits: { maxYoungGenerationSizeMb },
  });
  // One that only reads ends alone; without the other there is no store, and the process ends with it.
  if (data.isReader) thread.on('error', () => undefined);
  const ended = new Promise((resolve) => thread.once('exit', resolve));
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
  let isOver = false;
  const stopped = () => new StoreUnavailableError('The thread of the store has ended.');
  void ended.then(() => {
    isOver = true;
    for (const { reject } of pending.values()) reject(stopped());
  });
  let next = 0;
  const store: Record<string, unknown> = {};
  for (const method of opened.methods) {
    const [name = '', member] = method.split('.').toReversed();
    const part = member === undefined ? store : ((store[member] ??= {}) as typeof store);
    part[name] = (...values: unknown[]) =>
      new Promise((resolve, reject) => {
        if (isOver) throw stopped();
        const id = next++;
        pending.set(id, { resolve, reject });
        calls.push({ id, method, values });
        schedule();
      });
  }
  return {
    store: store as unknown as Store,
    counts: opened.counts,
    ended,
    setCount(key, count) {
      changed.set(key, count);
      schedule();
    },
  };
}

/**
 * Opens or creates the store in a file, in a new thread.
 *
 * @throws StartupError if the file cannot be used, is in use, or belongs to another program
 */
export async function openStoreThread(path: string): Promise<SignupStore> {
  const writing = await startThread<SqliteStore>({ newsletterStore: path, isReader: false });
  /** Started with the first read of an operator: it takes a few megabytes. */
  let started: Promise<StoreThread<SqliteReader>> | undefined;
  const reading = async (): Promise<SqliteReader> => {
    started ??= startThread<SqliteReader>({ newsletterStore: path, isReader: true }).then((thread) => {
      void thread.ended.then(() => (started = undefined));
      return thread;
    });
    try {
      return (await started).store;
    } catch (error) {
      started = undefined;
      throw error;
    }
  };
  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await started?.then(closeThread).catch(() => undefined);
    await closeThread(writing);
  };
  return {
    ...writing.store,
    counts: async () => (await reading()).counts(),
    overview: async (now) => (await reading()).overview(now),
    list: async (...asked) => (await reading()).list(...asked),
    listConsents: async (page) => (await reading()).listConsents(page),
    suppressions: async (page) => (await reading()).suppressions(page),
    person: async (address) => (await reading()).person(address),
    webhooks: { ...writing.store.webhooks, overview: async () => (await reading()).webhooks.overview() },
    counters: countersOf(writing),
    shared: false,
    close: () => (closed ??= close()),
  };
}

/** Closes the store, and waits for the end of its thread. */
async function closeThread({ store, ended }: StoreThread<{ close(this: void): Promise<void> }>): Promise<void> {
  await store.close();
  await ended;
}

/** Counters in this thread, since a count would wait for the commit that runs. */
function countersOf({ counts, store, setCount }: StoreThread<SqliteStore>): Counters {
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
      await store.counters.expire(now);
    },
  };
}

/** Opens the store in this thread. A thread that reads loads nothing of what the other needs. */
async function openHere({ newsletterStore: path, isReader }: ThreadData): Promise<SqliteReader | SqliteStore> {
  if (isReader) return (await import('./open-reader.ts')).openSqliteReader(path);
  return (await import('./open-database.ts')).openSqliteStore(path);
}

/** Answers the calls of the thread that opened the store. */
async function run(data: ThreadData, port: MessagePort): Promise<void> {
  let store: SqliteReader | SqliteStore;
  try {
    store = await openHere(data);
  } catch (error) {
    if (!(error instanceof StartupError) && !data.isReader) throw error;
    port.postMessage({ failure: failureOf(error) } satisfies Opened);
    return;
  }
  let replies: Reply[] = [];
  const reply = (each: Reply): void => {
    // After all calls of a commit have been answered.
    if (replies.push(each) === 1)
      process.nextTick(() => {
        port.postMessage(replies);
        replies = [];
      });
  };
  const counters = 'counters' in store ? store.counters : null;
  const methods = new Map(methodsOf(store));
  port.on('message', ({ counts, calls }: Message) => {
    for (const [key, count] of counts) counters?.set(key, count);
    for (const { id, method, values } of calls) {
      void methods
        .get(method)?.(...values)
        .then(
          (value) => {
            reply({ id, value });
            if (method === 'close') process.nextTick(() => port.close());
          },
          (error: unknown) => reply({ id, failure: failureOf(error) }),
        );
    }
  });
  port.postMessage({ methods: [...methods.keys()], counts: counters?.stored() ?? [] } satisfies Opened);
}

/** The methods of an object and of its members, with their names. */
function* methodsOf(
  part: object,
  prefix = '',
): Generator<[string, (...values: readonly unknown[]) => Promise<unknown>]> {
  for (const [name, value] of Object.entries(part) as [string, unknown][])
    if (typeof value === 'function')
      yield [prefix + name, value as (...values: readonly unknown[]) => Promise<unknown>];
    else if (typeof value === 'object' && value !== null) yield* methodsOf(value, `${prefix}${name}.`);
}

const data = workerData as Partial<ThreadData> | null;
if (parentPort && data?.newsletterStore !== undefined) await run(data as ThreadData, parentPort);
