/** Many writers, one transaction: what arrives while the disk is busy shares the next sync. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { StoreUnavailableError } from '../signup-store.ts';
import { isStoreFailure, explainError } from './errors.ts';

interface Write {
  /** Runs inside the transaction; the function it gives is called after the commit reached the disk. */
  readonly work: () => () => void;
  readonly fail: (error: StoreUnavailableError) => void;
}

/** Runs writes in groups. A promise it gave resolves after COMMIT, which with `synchronous=FULL` includes the sync. */
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

  /** @throws StoreUnavailableError where the group could not be written; then none of it was */
  run<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({
        work: () => {
          const value = work();
          return () => resolve(value);
        },
        fail: reject,
      });
      // After the poll phase, so that every request the kernel has handed over by now joins.
      this.#scheduled ??= setImmediate(() => this.flush());
    });
  }

  /** Writes what is waiting, now. */
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
        // One of them is at fault: the others must not suffer for it.
        for (const write of group) this.#commit([write]);
        return;
      }
      const error = new StoreUnavailableError(`The store cannot be written: ${explainError(cause)}.`, { cause });
      for (const { fail } of group) fail(error);
      return;
    }
    for (const tell of acknowledge) tell();
  }

  #rollBack(): void {
    // A full disk or an I/O error may have ended the transaction already.
    if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
  }
}
