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
export class SqliteGroupCommit {
  readonly #db: SqliteDriver;
  readonly #first: WrittenFirst;
  #waiting: Write[] = [];
  #scheduled: NodeJS.Immediate | null = null;

  constructor(db: SqliteDriver, first: WrittenFirst) {
    this.#db = db;
    this.#first = first;
  }

  /** @throws StoreUnavailableError if the group could not be written; then none of it was */
  run<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({
        work: () => {
          const value = work();
          return () => resolve(value);
        },
        fail: reject,
      });
      // Such a database joins by itself what is written before it syncs.
      if (this.#db.sync) this.flush();
      // After the poll phase, so that every request received by now joins the group.
      else this.#scheduled ??= setImmediate(() => this.flush());
    });
  }

  /** Writes the waiting group now. */
  flush(): void {
    if (this.#scheduled) clearImmediate(this.#scheduled);
    this.#scheduled = null;
    const group = this.#waiting;
    if (group.length === 0) return;
    this.#waiting = [];
    this.#commit(group);
  }

  #commit(group: readonly Write[]): void {
    let acknowledge: (() => void)[];
    try {
      this.#db.checkFiles();
      acknowledge = this.#db.transaction(() => {
        this.#first.write();
        return group.map(({ work }) => work());
      });
      this.#first.written();
    } catch (cause) {
      if (group.length > 1 && !isStoreFailure(cause)) {
        // One write caused the failure: write each by itself.
        for (const write of group) this.#commit([write]);
        return;
      }
      fail(group, cause);
      return;
    }
    const succeed = (): void => acknowledge.forEach((resolve) => resolve());
    if (this.#db.sync) void this.#db.sync().then(succeed, (cause: unknown) => fail(group, cause));
    else succeed();
  }
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

export class PostgresGroupCommit<Item> {
  readonly #write: (items: readonly Item[]) => Promise<void>;
  #waiting: QueuedItem<Item>[] = [];
  #running: Promise<void> | null = null;

  /** @param write - writes a whole group, or none of it and throws */
  constructor(write: (items: readonly Item[]) => Promise<void>) {
    this.#write = write;
  }

  run(item: Item): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#running ??= this.#commitWaiting();
    });
  }

  /** Resolves once nothing is in flight. */
  async done(): Promise<void> {
    await this.#running;
  }

  async #commitWaiting(): Promise<void> {
    // After the poll phase, so that every request received by now joins the group.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) await this.#commit(this.#waiting.splice(0, maxItems));
    this.#running = null;
  }

  async #commit(group: readonly QueuedItem<Item>[]): Promise<void> {
    try {
      await this.#write(group.map(({ item }) => item));
      for (const { resolve } of group) resolve();
    } catch (error) {
      if (isStoreFailure(error)) {
        // Fail the queue too: the store does not answer, and these callers have waited for one group already.
        for (const { reject } of [...group, ...this.#waiting.splice(0)]) reject(error);
        // One item may have caused the failure: then each is written by itself.
      } else if (group.length > 1) for (const call of group) await this.#commit([call]);
      else for (const { reject } of group) reject(error);
    }
  }
}
