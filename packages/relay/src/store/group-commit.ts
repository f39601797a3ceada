/**
 * Group commit of both stores: writes that arrive while one is in progress share the next transaction and its sync to
 * disk. A write resolves, and its 202 is answered, only after that sync.
 */
import { isStoreFailure, storeError } from './database-errors.ts';
import type { SqliteDriver } from './sqlite/driver.ts';

interface Write {
  /** Runs inside the transaction; the returned function is called after the commit is synced to disk. */
  readonly work: () => () => void;
  readonly fail: (error: unknown) => void;
}

/** What every transaction writes before its group. */
interface WrittenFirst {
  write(): void;
  /** Called after the commit. */
  written(): void;
}

/** Runs writes in groups. Their promises resolve after the transaction is synced to disk. */
export function createSqliteGroupCommit(db: SqliteDriver, first: WrittenFirst) {
  let waiting: Write[] = [];
  let scheduled: NodeJS.Immediate | null = null;

  /** @throws StoreUnavailableError if the group could not be written; then none of it was */
  function run<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      waiting.push({
        work: () => {
          const value = work();
          return () => resolve(value);
        },
        fail: reject,
      });
      // Such a database joins by itself what is written before it syncs.
      if (db.sync) flush();
      // After the poll phase, so that every request received by now joins the group.
      else scheduled ??= setImmediate(flush);
    });
  }

  /** Writes the waiting group now. */
  function flush(): void {
    if (scheduled) clearImmediate(scheduled);
    scheduled = null;
    const group = waiting;
    if (group.length === 0) return;
    waiting = [];
    commit(group);
  }

  function commit(group: readonly Write[]): void {
    let acknowledge: (() => void)[];
    try {
      db.checkFiles();
      acknowledge = db.transaction(() => {
        first.write();
        return group.map(({ work }) => work());
      });
      first.written();
    } catch (cause) {
      if (group.length > 1 && !isStoreFailure(cause)) {
        // One write caused the failure: write each by itself.
        for (const write of group) commit([write]);
        return;
      }
      fail(group, cause);
      return;
    }
    const succeed = (): void => acknowledge.forEach((resolve) => resolve());
    if (db.sync) void db.sync().then(succeed, (cause: unknown) => fail(group, cause));
    else succeed();
  }

  return { run, flush };
}

function fail(group: readonly Write[], cause: unknown): void {
  const error = storeError('written', cause);
  for (const write of group) write.fail(error);
}

interface QueuedItem<Item> {
  readonly item: Item;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Maximum number of items in a group. */
const maxItems = 500;

/** @param write - writes a whole group, or none of it and throws */
export function createPostgresGroupCommit<Item>(write: (items: readonly Item[]) => Promise<void>) {
  const waiting: QueuedItem<Item>[] = [];
  let running: Promise<void> | null = null;

  async function commitWaiting(): Promise<void> {
    // After the poll phase, so that every request received by now joins the group.
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0) await commit(waiting.splice(0, maxItems));
    running = null;
  }

  async function commit(group: readonly QueuedItem<Item>[]): Promise<void> {
    try {
      await write(group.map(({ item }) => item));
      for (const { resolve } of group) resolve();
    } catch (error) {
      if (isStoreFailure(error)) {
        // Fail the queue too: the store does not answer, and these callers have waited for one group already.
        for (const { reject } of [...group, ...waiting.splice(0)]) reject(error);
        return;
      }
      // One item may have caused the failure: then each is written by itself.
      if (group.length > 1) for (const call of group) await commit([call]);
      else for (const { reject } of group) reject(error);
    }
  }

  return {
    run: (item: Item): Promise<void> =>
      new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        running ??= commitWaiting();
      }),
    /** Resolves once nothing is in flight. */
    async done(): Promise<void> {
      await running;
    },
  };
}
