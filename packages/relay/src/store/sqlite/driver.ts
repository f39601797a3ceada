/**
 * The database under the SQLite store: `node:sqlite` on a machine, the storage of a Durable Object on Cloudflare
 * Workers. Both run the same statements and the same migration steps.
 */
import type { Row } from '../rows.ts';

/** A value of a column. */
export type SqliteValue = string | number | null;

type NamedValues = Readonly<Record<string, SqliteValue>>;

/** A prepared statement; its values are given by name, or in their order. */
export interface SqliteStatement {
  all(named: NamedValues): Row[];
  all(...values: SqliteValue[]): Row[];
  get(named: NamedValues): Row | undefined;
  get(...values: SqliteValue[]): Row | undefined;
  run(named: NamedValues): { readonly changes: number | bigint };
  run(...values: SqliteValue[]): { readonly changes: number | bigint };
}

/** An open database. */
export interface SqliteDriver {
  prepare(text: string): SqliteStatement;
  /** Runs `work` in a transaction, which is rolled back if `work` throws. */
  transaction<T>(work: () => T): T;
  /** Resolves once all transactions are synced to disk. Absent if `transaction` syncs before it returns. */
  readonly sync?: (() => Promise<void>) | undefined;
  /**
   * Removes erased records from the files beside the tables.
   *
   * @throws StoreUnavailableError if they could not be removed
   */
  emptyLog(): void;
  /** @throws StoreUnavailableError if a file was deleted or replaced: what is written would end with this process */
  checkFiles(): void;
  close(): void;
}
