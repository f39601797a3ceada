/** Copies of every table in temporary tables, kept until the store is closed. Not written to the database's file. */
import { type Bound, columnsOf, type Database, statementsOf } from './database.ts';
import { keyedTables, type TableName, tableNames, tables } from './tables.ts';

/** The copies; each is known by a number that its maker chooses. */
export type SnapshotStore = ReturnType<typeof snapshotStore>;

const copy = (snapshot: number, table: TableName): string => `temp.snapshot_${snapshot}_${table}`;
const chunk = 1000;

export function snapshotStore(database: Database) {
  const each = (sql: (table: TableName) => string): void => database.run(tableNames.map(sql).join(';'));
  return {
    take: (snapshot: number): void =>
      // In the order of the rows, so that equal tables have equal copies, whatever index a scan would choose.
      database.transaction(() =>
        each(
          (table) =>
            `CREATE TABLE ${copy(snapshot, table)} AS SELECT * FROM main.${table}${keyedTables.includes(table) ? '' : ' ORDER BY rowid'}`,
        ),
      ),

    /** Must run in a transaction. */
    restore(snapshot: number): void {
      database.clear();
      each((table) => `INSERT INTO main.${table} SELECT * FROM ${copy(snapshot, table)} ORDER BY rowid`);
    },

    drop: (snapshot: number): void => each((table) => `DROP TABLE ${copy(snapshot, table)}`),

    count(snapshot: number): number {
      const { number } = statementsOf(database);
      return tableNames.reduce((sum, table) => sum + number(`SELECT count(*) AS n FROM ${copy(snapshot, table)}`)(), 0);
    },

    columns: (table: TableName) => columnsOf(database, table),

    /** The rows of a copied table, in order; read in chunks, so that a large table needs little memory. */
    *rows(snapshot: number, table: TableName): Generator<readonly Bound[]> {
      const read = database.prepare<Record<string, Bound>>(
        `SELECT rowid AS "_row", * FROM ${copy(snapshot, table)} WHERE rowid > ? ORDER BY rowid LIMIT ${chunk}`,
      );
      for (let last = Number.MIN_SAFE_INTEGER, more = true; more;) {
        const rows = read.all(last);
        more = rows.length === chunk;
        for (const { _row, ...row } of rows) {
          last = Number(_row);
          yield Object.values(row);
        }
      }
    },

    /**
     * Makes an empty copy of every table, with the same checks; answers what adds a row to one. Must run in a
     * transaction.
     */
    make(snapshot: number): (table: TableName, row: readonly Bound[]) => void {
      each((table) => `CREATE TABLE ${copy(snapshot, table)} (${tables[table]}) STRICT`);
      return (table, row) =>
        database.prepare(`INSERT INTO ${copy(snapshot, table)} VALUES (${row.map(() => '?').join(', ')})`).run(...row);
    },
  };
}
