/** The SQLite store in memory, for tests that need thousands of stores. */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { SqliteDriver } from '../src/store/sqlite/driver.ts';
import { createTables } from '../src/store/sqlite/schema.ts';

/** A database in memory with the tables of the store. */
export function memoryDriver(): SqliteDriver {
  const db = new DatabaseSync(':memory:');
  db.exec(createTables(true));
  const prepared = new Map<string, StatementSync>();
  const prepare = (text: string): StatementSync => {
    const known = prepared.get(text);
    if (known) return known;
    const statement = db.prepare(text);
    prepared.set(text, statement);
    return statement;
  };
  return {
    isFile: true,
    prepare: (text) => prepare(text) as unknown as ReturnType<SqliteDriver['prepare']>,
    transaction(work) {
      db.exec('BEGIN');
      try {
        const result = work();
        db.exec('COMMIT');
        return result;
      } catch (error) {
        db.exec('ROLLBACK');
        throw error;
      }
    },
    sync: () => Promise.resolve(),
    emptyLog: () => {},
    checkFiles: () => {},
    close: () => {},
  };
}
