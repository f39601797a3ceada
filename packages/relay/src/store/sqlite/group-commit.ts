/** Group commit: writes that arrive while the disk is busy share the next transaction and its sync. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { StoreUnavailableError } from '../signup-store.ts';
import { isStoreFailure, explainError } from './errors.ts';

interface Write {
  /** Runs inside the transaction; the returned function is called after the commit is synced to disk. */
  readonly work: () => () => void;
  readonly fail: (error: StoreUnavailableError) => void;
}

/** Runs writes in groups. Their promises resolve after COMMIT, which with `synchronous=FULL` includes the sync. */
export class GroupCommit {
  readonly #db: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #end: StatementSync;
  #waiting: Write[] = [];
  #scheduled: NodeJS.Immediate | null = null;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#end = db.prepare('COMMIT');
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
      // After the poll phase, so that every request received by now joins the group.
      this.#scheduled ??= setImmediate(() => this.flush());
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
      this.#begin.run();
      acknowledge = group.map(({ work }) => work());
      this.#end.run();
    } catch (cause) {
      this.#rollBack();
      if (group.length > 1 && !isStoreFailure(cause)) {
        // One write caused the failure: write each by itself.
        for (const write of group) this.#commit([write]);
        return;
      }
      const error = new StoreUnavailableError(`The store cannot be written: ${explainError(cause)}.`, { cause });
      for (const { fail } of group) fail(error);
      return;
    }
    for (const resolve of acknowledge) resolve();
  }

  #rollBack(): void {
    // A full disk or an I/O error may have ended the transaction already.
    if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
  }
}
