/** Shared queries of all tables: insert a row, and read a list page by page in order of creation. */
import type { Bound, Database } from './database.ts';

/** A place in the order of a list: by time of creation, then by arrival. */
export interface Position {
  readonly created: number;
  readonly seq: number;
}

/** One stretch of a list. */
export interface Stretch {
  readonly direction: 'asc' | 'desc';
  readonly limit: number;
  /** Rows strictly behind this place. */
  readonly after?: Position | undefined;
  readonly offset?: number | undefined;
}

/** A list that can be read a stretch at a time. */
export interface Rows<Row extends Position> {
  readonly rows: (stretch: Stretch) => readonly Row[];
  readonly total: () => number;
}

/** Puts rows into `table`; the columns are the row's keys. */
export function inserter<Row extends object>(
  database: Database,
  table: string,
  columns: readonly (keyof Row & string)[],
): (row: Row) => void {
  const statement = database.prepare(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
  );
  return (row) => statement.run(...columns.map((column) => row[column] as Bound));
}

/** Which rows: `table` with its `columns`, those that meet `where`, whose `?` are `values`. */
export interface Selection {
  readonly table: string;
  readonly columns?: string;
  readonly where: string;
  readonly values: readonly Bound[];
}

/** The rows of a table that meet a condition. */
export function selection<Row extends Position>(
  database: Database,
  { table, columns = '*', where, values }: Selection,
): Rows<Row> {
  return {
    rows({ direction, limit, after, offset }) {
      const behind = after ? ` AND (created, seq) ${direction === 'asc' ? '>' : '<'} (?, ?)` : '';
      return database
        .prepare<Row>(
          `SELECT ${columns} FROM ${table} WHERE ${where}${behind} ORDER BY created ${direction}, seq ${direction} LIMIT ? OFFSET ?`,
        )
        .all(...values, ...(after ? [after.created, after.seq] : []), limit, offset ?? 0);
    },
    total: () =>
      database.prepare<{ n: number }>(`SELECT count(*) AS n FROM ${table} WHERE ${where}`).get(...values)?.n ?? 0,
  };
}

/** A list whose rows are in memory, in their order. */
export function recordsInMemory<Row extends Position>(all: readonly Row[]): Rows<Row> {
  return {
    rows: ({ limit, offset = 0 }) => all.slice(offset, offset + limit),
    total: () => all.length,
  };
}
