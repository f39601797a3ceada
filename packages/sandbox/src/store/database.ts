/**
 * Opens one SQLite database, in memory or in a file: prepared statements, transactions, inserts, and lists that are
 * read page by page in order of creation.
 */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { applicationId, indexes, keyedTables, schemaVersion, type Row, type TableName, tables } from './tables.ts';

/** As `:memory:`, but pages beyond 32 MB lie in a temporary file that SQLite deletes. */
export const temporaryFile = '';

/** A value that a statement binds. */
export type Bound = SQLInputValue;

/** A prepared statement whose rows are of type `Row`. */
export interface Statement<Row> {
  /** The first row, if there is one. */
  readonly get: (...values: readonly Bound[]) => Row | undefined;
  readonly all: (...values: readonly Bound[]) => Row[];
  readonly run: (...values: readonly Bound[]) => void;
}

/** A database that could not be opened, with a message for the user. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
}

/** The open database. */
export interface Database {
  /**
   * Prepares `sql` once and answers the same statement from then on. The caller states what the SQL's rows look like.
   */
  prepare<Row = Record<string, unknown>>(sql: string): Statement<Row>;
  /** Runs `work` in one transaction; when it throws, nothing of it stays. Not to be nested. */
  transaction<T>(work: () => T): T;
  /** Runs SQL that answers nothing, several statements too; nothing of it is kept prepared. */
  run(sql: string): void;
  /**
   * Calls `listener` whenever rows that were read before may be outdated: every table was emptied, or a transaction was
   * rolled back.
   */
  onUndone(listener: () => void): void;
  /** Empties every table. */
  clear(): void;
  close(): void;
}

/**
 * Opens the database at `location`, a path or `:memory:`, and makes the tables where there are none.
 *
 * @throws {@link DatabaseError} where the file can't be written, is in use, or is not a sandbox of this version
 */
export function openDatabase(location: string): Database {
  let connection: DatabaseSync | undefined;
  try {
    connection = new DatabaseSync(location);
    prepareFile(connection, location);
  } catch (error) {
    connection?.close();
    throw error instanceof DatabaseError ? error : new DatabaseError(explain(error, location), { cause: error });
  }
  return wrap(connection);
}

/**
 * True for the errors of a store that has no room or no access any more: the request fails, what is stored stays whole.
 */
export function isStorageFailure(error: unknown): boolean {
  const code = primaryCode(error);
  return code !== undefined && code in storageFailures;
}

const busy = 5;
const notADatabase = 26;
const storageFailures: Readonly<Record<number, string>> = { 8: 'READONLY', 10: 'IOERR', 13: 'FULL', 14: 'CANTOPEN' };

function wrap(connection: DatabaseSync): Database {
  const statements = new Map<string, Statement<unknown>>();
  const prepare = (sql: string): Statement<unknown> => {
    let known = statements.get(sql);
    if (!known) statements.set(sql, (known = statement(connection, sql)));
    return known;
  };
  const begin = connection.prepare('BEGIN IMMEDIATE');
  const commit = connection.prepare('COMMIT');
  const undone: (() => void)[] = [];
  const notifyUndone = (): void => {
    for (const listener of undone) listener();
  };

  return {
    // Only the SQL of the caller determines the type of a row; this is the one unchecked cast.
    prepare: <Row>(sql: string) => prepare(sql) as Statement<Row>,
    transaction(work) {
      begin.run();
      try {
        const result = work();
        commit.run();
        return result;
      } catch (error) {
        // SQLite has already rolled back by itself after some errors, a full disk among them.
        if (connection.isTransaction) connection.exec('ROLLBACK');
        notifyUndone();
        throw error;
      }
    },
    run: (sql) => connection.exec(sql),
    onUndone: (listener) => void undone.push(listener),
    clear() {
      notifyUndone();
      for (const table of Object.keys(tables)) prepare(`DELETE FROM ${table}`).run();
    },
    close() {
      if (connection.isOpen) connection.close();
    },
  };
}

/**
 * The place of each parameter among the values of a statement: `?2` names the second, and `?` stands for one more than
 * the highest before it. Node binds values to numbered parameters only from 22.20 and 24.7 on.
 */
function placesIn(sql: string): readonly number[] {
  let highest = 0;
  return Array.from(sql.matchAll(/\?(\d*)/g), ([, number]) => {
    const place = number ? Number(number) : highest + 1;
    highest = Math.max(highest, place);
    return place - 1;
  });
}

/** Rows are read as arrays and named here, in half the time that the driver takes. */
function statement(connection: DatabaseSync, sql: string): Statement<unknown> {
  const prepared = connection.prepare(sql.replaceAll(/\?\d+/g, '?'));
  const places = placesIn(sql);
  const inOrder = (values: readonly Bound[]): Bound[] => places.map((place) => values[place] as Bound);
  const names = prepared.columns().map((column) => column.name);
  prepared.setReturnArrays(true);
  // Copied from a template: an object that grows key by key takes three times as long.
  const blank: Readonly<Record<string, unknown>> = Object.fromEntries(names.map((name) => [name, null]));
  const named = (values: unknown): unknown => {
    const row: Record<string, unknown> = { ...blank };
    const cells: readonly unknown[] = Array.isArray(values) ? values : [];
    for (let index = 0; index < names.length; index += 1) row[names[index] ?? ''] = cells[index];
    return row;
  };
  return {
    get(...values) {
      const cells: unknown = prepared.get(...inOrder(values));
      return cells === undefined ? undefined : named(cells);
    },
    all: (...values) => prepared.all(...inOrder(values)).map(named),
    run: (...values) => void prepared.run(...inOrder(values)),
  };
}

function prepareFile(connection: DatabaseSync, location: string): void {
  if (location === temporaryFile) {
    // No other process reads it and nothing outlives the process, so no write has to reach the disk in order.
    connection.exec('PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA cache_size = -32768');
  } else if (location !== ':memory:') {
    // One process per file: the ids, the clock and the window belong to it.
    connection.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
  }
  connection.exec('BEGIN IMMEDIATE');
  const version = pragma(connection, 'user_version');
  const application = pragma(connection, 'application_id');
  const objects = Number(connection.prepare('SELECT count(*) AS n FROM sqlite_schema').get()?.['n']);
  if (objects === 0) {
    for (const [name, columns] of Object.entries(tables)) {
      connection.exec(`CREATE TABLE ${name} (${columns}) STRICT${keyedTables.includes(name) ? ', WITHOUT ROWID' : ''}`);
    }
    for (const index of indexes) connection.exec(index);
    connection.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${schemaVersion}`);
  } else if (application !== applicationId) {
    throw new DatabaseError(`"${location}" is a database of another program. Choose another file.`);
  } else if (version !== schemaVersion) {
    throw new DatabaseError(
      `"${location}" was written by another version of the sandbox (table version ${version}, this one has ${schemaVersion}). Choose another file, or delete this one.`,
    );
  }
  connection.exec('COMMIT');
}

function pragma(connection: DatabaseSync, name: string): number {
  return Number(connection.prepare(`PRAGMA ${name}`).get()?.[name]);
}

/** SQLite's extended result codes keep the primary one in their low byte. */
function primaryCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined;
  return error.errcode & 0xff;
}

function explain(error: unknown, location: string): string {
  const code = primaryCode(error);
  if (code === busy) return `"${location}" is in use by another process. Stop that process, or choose another file.`;
  if (code === notADatabase) return `"${location}" is not a SQLite database. Choose another file.`;
  const reason = error instanceof Error ? error.message : String(error);
  return `"${location}" can't be opened for writing (${reason}). Choose a file in a folder that exists and is writable, or use :memory:.`;
}

/** A position in a list: by time of creation, then by arrival. */
export interface Position {
  readonly created: number;
  readonly seq: number;
}

/** Which part of a list to read. */
export interface Slice {
  readonly direction: 'asc' | 'desc';
  readonly limit: number;
  /** Only rows after this position. */
  readonly after?: Position | undefined;
  readonly offset?: number | undefined;
}

/** A list that can be read in parts. */
export interface PagedRows<Row extends Position> {
  readonly rows: (slice: Slice) => readonly Row[];
  readonly total: () => number;
}

/** The statements of a store as functions; a parameter stands at `?`, or at `?1` and so on where the order differs. */
export function statementsOf(database: Database) {
  /* oxlint-disable typescript/no-unnecessary-type-parameters -- only the caller knows rows and values of its SQL */
  /** Of a query that always has a row, such as a count. */
  const aggregate = <Found, Values extends readonly Bound[] = []>(sql: string): ((...values: Values) => Found) => {
    const { all } = database.prepare<Found>(sql);
    return (...values) => {
      const [row] = all(...values);
      if (row === undefined) throw new Error(`No row: ${sql}`);
      return row;
    };
  };
  return {
    aggregate,
    /** The column `n` of a query that always has a row. */
    number<Values extends readonly Bound[] = []>(sql: string): (...values: Values) => number {
      const read = aggregate<{ n: number }, Values>(sql);
      return (...values) => read(...values).n;
    },
    one: <Found, Values extends readonly Bound[] = []>(sql: string): ((...values: Values) => Found | undefined) =>
      database.prepare<Found>(sql).get,
    all: <Found, Values extends readonly Bound[] = []>(sql: string): ((...values: Values) => readonly Found[]) =>
      database.prepare<Found>(sql).all,
    run: <Values extends readonly Bound[] = []>(sql: string): ((...values: Values) => void) =>
      database.prepare(sql).run,
  };
  /* oxlint-enable typescript/no-unnecessary-type-parameters */
}

/** The columns of a table, in their order. */
export const columnsOf = (database: Database, table: TableName): readonly string[] =>
  database
    .prepare<{ name: string }>('SELECT name FROM pragma_table_info(?)')
    .all(table)
    .map(({ name }) => name);

/** Conditions, each with the value of every `?` in it; one whose value is undefined does not narrow. */
export type Conditions = Readonly<Record<string, Bound | undefined>>;

/** Conditions as SQL, and the values of its `?`. */
export function whereOf(conditions: Conditions): { readonly where: string; readonly values: readonly Bound[] } {
  const narrowing = Object.entries(conditions).filter((entry): entry is [string, Bound] => entry[1] !== undefined);
  return {
    where: ['true', ...narrowing.map(([condition]) => `(${condition})`)].join(' AND '),
    values: narrowing.flatMap(([condition, value]) => Array.from(condition.matchAll(/\?/g), () => value)),
  };
}

/** Which rows: `table` with its `columns`, those that meet all conditions. */
export interface Selection<Name extends TableName> {
  readonly table: Name;
  readonly columns?: string;
  readonly where: Conditions;
}

/** The rows of a table that meet conditions. */
export function selection<Name extends TableName, Selected extends Position = Row<Name> & Position>(
  database: Database,
  { table, columns = '*', where: conditions }: Selection<Name>,
): PagedRows<Selected> {
  const { where, values } = whereOf(conditions);
  return {
    rows({ direction, limit, after, offset }) {
      const behind = after ? ` AND (created, seq) ${direction === 'asc' ? '>' : '<'} (?, ?)` : '';
      return database
        .prepare<Selected>(
          `SELECT ${columns} FROM ${table} WHERE ${where}${behind} ORDER BY created ${direction}, seq ${direction} LIMIT ? OFFSET ?`,
        )
        .all(...values, ...(after ? [after.created, after.seq] : []), limit, offset ?? 0);
    },
    total: () => statementsOf(database).number<Bound[]>(`SELECT count(*) AS n FROM ${table} WHERE ${where}`)(...values),
  };
}

/** A list whose rows are in memory, in their order. */
export function recordsInMemory<Row extends Position>(all: readonly Row[]): PagedRows<Row> {
  return {
    rows: ({ limit, offset = 0 }) => all.slice(offset, offset + limit),
    total: () => all.length,
  };
}
