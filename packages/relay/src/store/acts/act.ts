/**
 * What both stores are written in: acts, each of a few statements one after the other. SQLite carries an act out at
 * once, within a group commit; PostgreSQL over a connection. What the databases say differently is their dialect.
 */
import type { Row } from '../rows.ts';

/** A value of a statement; a list counts as one. */
export type Value = string | number | boolean | null | readonly string[];

/** Adds a value to those of a statement. @returns its place there, `$1` and so on */
export type Bind = (value: Value) => string;

/** A statement of an act, with its values, which are `$1` and so on in it; the same may stand there again. */
export interface Step {
  readonly sql: string;
  readonly values: readonly Value[];
  /** What the act goes on with: the rows, or how many of them have changed. */
  readonly gives: 'rows' | 'count';
}

export type Act<Result> = Generator<Step, Result, unknown>;

/** Makes an act a method of the store: what the database throws becomes a rejection with the error of the store. */
export type Lift = <Values extends readonly unknown[], Result>(
  act: (...values: Values) => Act<Result>,
) => (...values: Values) => Promise<Result>;

/** The tables that acts name. */
export type Table =
  | 'signup'
  | 'consent'
  | 'batch'
  | 'walk'
  | 'suppression'
  | 'confirmation_mailbox'
  | 'setting'
  | Webhooks;
type Webhooks = 'webhook_destination' | 'webhook_message';

/** What the databases say differently. */
export interface Dialect {
  table(this: void, name: Table): string;
  /** Function for the position of a substring. */
  readonly find: string;
  /** Whether a column has a value of a list. */
  among(this: void, column: string, list: string): string;
  /** Whether a column has a value that a query finds. */
  within(this: void, column: string, query: string): string;
  /** A list as rows with the column `value`. */
  each(this: void, list: string, name: string): string;
  /** Rows that {@link json} has written, with these columns of a table; `id AS key` renames one. */
  rows(this: void, table: Table, list: string, columns: readonly string[]): string;
  /** The entries of a mailbox `m`, as `e.value`. */
  readonly entries: string;
  /** An id that is given, or read from JSON. */
  id(this: void, text: string): string;
  /**
   * A column as an expression that no index matches, where rows are found by id: with few statistics a planner may take
   * states to be rarer than ids.
   */
  unindexed(this: void, column: string): string;
  /** The signups `s` of the people whose hashes are a list: one range of an index for each. */
  ofPeople(this: void, list: string): string;
  /** The ids and states of all that is not delivered, by an index that does not have the delivered. */
  readonly undelivered: string;
  /** Whether a signup is in one of these states, without `delivered`, likewise. */
  ofStates(this: void, states: readonly string[]): string;
  /** Whether a signup can be redriven, likewise. */
  readonly redrivable: string;
  /** How many signups that match a filter are changed at once. */
  readonly atOnce: number;
  /** At the end of a query: keeps the rows of a table for this act, but for those that another process keeps. */
  skipLocked(this: void, ofTable?: string): string;
  /** Likewise, and waits for those. */
  readonly awaitLocked: string;
}

/** A database as the parts of the store that only read use it. */
export interface ReadDatabase {
  readonly dialect: Dialect;
  /** A condition on each row that a long read meets: it ends the read where time is up. True without a limit. */
  readonly inTime: string;
  /** Takes note of a statement: what is prepared at once shows a damaged file at the start. */
  prepare(this: void, sql: string): void;
  /** Of an act of one statement that operators read by: it ends where it takes too long. */
  readonly readOne: Lift;
  /** The same of several statements, which see one state of the store. */
  readonly readLong: Lift;
}

/** A database as the other parts use it. */
export interface Database extends ReadDatabase {
  /** Of an act that reads what a visitor or a delivery waits for. */
  readonly read: Lift;
  /** Of an act of one statement that writes. */
  readonly writeOne: Lift;
  /** Of an act that writes all of it, or nothing. */
  readonly write: Lift;
  /** Of an act that changes what claims read: such acts of all processes run one after the other. */
  readonly alone: Lift;
  /** Of an act of operators or retention, which may change many rows. */
  readonly writeLong: Lift;
  /** Clears away what rows leave behind that were erased. */
  clear(this: void): Promise<void> | void;
  /** Called where so many signups became delivered, or fewer are. */
  delivered(this: void, change: number): void;
}

/** The statements of a part of the store as acts. */
export function actsOf({ prepare }: Pick<ReadDatabase, 'prepare'>) {
  const statement = <Result>(sql: string, gives: Step['gives']) => {
    prepare(sql);
    return function* (...values: readonly Value[]): Act<Result> {
      return (yield { sql, values, gives }) as Result;
    };
  };
  /* oxlint-disable typescript/no-unnecessary-type-parameters -- only the caller knows rows and values of its SQL */
  return {
    /** The first row. */
    one<Values extends readonly Value[], Found = Row>(sql: string): (...values: Values) => Act<Found | undefined> {
      const rows = statement<readonly Found[]>(sql, 'rows');
      return function* (...values) {
        return (yield* rows(...values))[0];
      };
    },
    all<Values extends readonly Value[], Found = Row>(sql: string): (...values: Values) => Act<readonly Found[]> {
      return statement(sql, 'rows');
    },
    run<Values extends readonly Value[]>(sql: string): (...values: Values) => Act<void> {
      return statement(sql, 'count');
    },
    /** How many rows have changed. */
    change<Values extends readonly Value[]>(sql: string): (...values: Values) => Act<number> {
      return statement(sql, 'count');
    },
  };
  /* oxlint-enable typescript/no-unnecessary-type-parameters */
}

/** Without NUL and unpaired surrogates, which PostgreSQL does not store in text. */
export function storable(value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value;
}

/** Rows as a value of a statement, see {@link Dialect.rows}. */
export function json(rows: readonly object[]): string {
  return JSON.stringify(rows, (_name, value: unknown) => storable(value));
}
