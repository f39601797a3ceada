/**
 * The database under the SQLite store: `node:sqlite` on a machine, the storage of a Durable Object on Cloudflare
 * Workers. Both run the same statements.
 */
import type { Row } from '../rows.ts';

/** A value of a column. */
export type SqliteValue = string | number | null;

/** A prepared statement; its values are given in the order of their parameters. */
export interface SqliteStatement {
  all(...values: readonly SqliteValue[]): Row[];
  get(...values: readonly SqliteValue[]): Row | undefined;
  run(...values: readonly SqliteValue[]): { readonly changes: number | bigint };
}

/** An open database. */
export interface SqliteDriver {
  /** Whether it is a file, whose triggers count signups; in a Durable Object each row that is written costs money. */
  readonly isFile: boolean;
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

/** Makes an act on the database a method of the store: its failure becomes a rejection with the error of the store. */
type Lift = <Values extends readonly unknown[], Result>(
  act: (...values: Values) => Result,
) => (...values: Values) => Promise<Result>;

/** A database as the parts of the store that only read use it. */
export interface ReadDatabase extends Pick<SqliteDriver, 'prepare'> {
  /** Of an act that only reads. */
  readonly reads: Lift;
  /** A condition on each row that a long read meets: it ends the read where time is up. True without a limit. */
  readonly inTime: string;
}

/** A database as the other parts of the store use it. */
export interface StoreDatabase extends ReadDatabase, Pick<SqliteDriver, 'emptyLog'> {
  /** Of an act that writes: it runs in the next group commit, and resolves once that is synced. */
  readonly writes: Lift;
}

/**
 * The statements of a part of the store as functions; a parameter stands at `?`, or at `?1` and so on where it occurs
 * again. They are prepared at once, so that a damaged file is noticed at start.
 */
export function statementsOf(db: Pick<SqliteDriver, 'prepare'>) {
  /* oxlint-disable typescript/no-unnecessary-type-parameters -- only the caller knows rows and values of its SQL */
  return {
    one<Values extends readonly SqliteValue[], Result = Row>(sql: string): (...values: Values) => Result | undefined {
      const statement = db.prepare(sql);
      return (...values) => statement.get(...values) as Result | undefined;
    },
    all<Values extends readonly SqliteValue[], Result = Row>(sql: string): (...values: Values) => Result[] {
      const statement = db.prepare(sql);
      return (...values) => statement.all(...values) as Result[];
    },
    run<Values extends readonly SqliteValue[]>(sql: string): (...values: Values) => void {
      const statement = db.prepare(sql);
      return (...values) => void statement.run(...values);
    },
    /** The function returns how many rows changed. */
    change<Values extends readonly SqliteValue[]>(sql: string): (...values: Values) => number {
      const statement = db.prepare(sql);
      return (...values) => Number(statement.run(...values).changes);
    },
    /** The function puts in one row. @param verb - `INSERT` and what happens on a conflict */
    insert<Name extends string>(
      verb: string,
      table: string,
      columns: readonly Name[],
    ): (row: Readonly<Record<Name, SqliteValue>>) => number {
      const places = columns.map(() => '?').join(', ');
      const statement = db.prepare(`${verb} INTO ${table} (${columns.join(', ')}) VALUES (${places})`);
      return (row) => Number(statement.run(...columns.map((name) => row[name])).changes);
    },
  };
  /* oxlint-enable typescript/no-unnecessary-type-parameters */
}
