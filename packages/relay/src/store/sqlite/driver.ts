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

/** A prepared statement of an act, and the place of each of its parameters among the act's values. */
interface Prepared {
  readonly statement: SqliteStatement;
  readonly places: readonly number[];
}

/** Carries out acts. A statement is prepared once, for an act that is defined at the start at once. */
export function actsIn(db: Pick<SqliteDriver, 'prepare'>) {
  const known = new Map<string, Prepared>();
  const preparedOf = (sql: string): Prepared => {
    let prepared = known.get(sql);
    if (!prepared) {
      // Node binds values to numbered parameters only from 22.20 and 24.7 on.
      const statement = db.prepare(sql.replaceAll(/\$\d+/g, '?'));
      prepared = { statement, places: Array.from(sql.matchAll(/\$(\d+)/g), ([, number]) => Number(number) - 1) };
      known.set(sql, prepared);
    }
    return prepared;
  };
  return {
    prepare: (sql: string): void => void preparedOf(sql),
    carryOut<Result>(act: Act<Result>): Result {
      let step = act.next();
      while (!step.done) {
        const { sql, values, gives } = step.value;
        const { statement, places } = preparedOf(sql);
        const bindables = values.map(bindable);
        const bound = places.map((place) => bindables[place] as SqliteValue);
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
