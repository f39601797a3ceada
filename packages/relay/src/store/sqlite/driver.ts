/**
 * The database under the SQLite store: `node:sqlite` on a machine, the storage of a Durable Object on Cloudflare
 * Workers. Both run the same statements.
 */
import type { Act, Value } from '../acts/act.ts';
import type { Row } from '../rows.ts';

/** A value of a column. */
export type SqliteValue = string | number | null;

/** A prepared statement; its values are given in the order of their parameters. */
export interface SqliteStatement {
  all(...values: readonly SqliteValue[]): Row[];
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

/** Carries out acts. A statement is prepared once, for an act that is defined at the start at once. */
export function actsIn(db: Pick<SqliteDriver, 'prepare'>) {
  const prepared = new Map<string, SqliteStatement>();
  const statementOf = (sql: string): SqliteStatement => {
    const statement = prepared.get(sql) ?? db.prepare(sql.replaceAll(/\$(\d)/g, '?$1'));
    prepared.set(sql, statement);
    return statement;
  };
  return {
    prepare: (sql: string): void => void statementOf(sql),
    carryOut<Result>(act: Act<Result>): Result {
      let step = act.next();
      while (!step.done) {
        const { sql, values, gives } = step.value;
        const bound = values.map(bindable);
        const statement = statementOf(sql);
        step = act.next(gives === 'rows' ? statement.all(...bound) : Number(statement.run(...bound).changes));
      }
      return step.value;
    },
  };
}

function bindable(value: Value): SqliteValue {
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}
