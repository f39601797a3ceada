/** Opens the SQLite store in a Durable Object of Cloudflare Workers: its driver, and its tables. */
import type { Row } from '../rows.ts';
import type { SignupStore } from '../signup-store.ts';
import { hasTablesOf } from '../version.ts';
import type { SqliteDriver, SqliteStatement, SqliteValue } from './driver.ts';
import { createTables, tablesVersion } from './schema.ts';
import { sqliteStore } from './sqlite-store.ts';

/** The part of a Durable Object's storage that the store needs. */
export interface DurableObjectStorage {
  readonly sql: { exec(text: string, ...values: SqliteValue[]): { toArray(): Row[] } };
  transactionSync<T>(work: () => T): T;
  /** Resolves once every write is durable. */
  sync(): Promise<void>;
}

/**
 * Opens the store in the storage of a Durable Object, and creates its tables.
 *
 * @throws StartupError if another version has written it
 */
export function openDurableObjectStore(storage: DurableObjectStorage): SignupStore {
  storage.transactionSync(() => prepareTables(storage));
  const db: SqliteDriver = {
    isFile: false,
    prepare: (text) => statementOf(storage, text),
    transaction: (work) => storage.transactionSync(work),
    sync: () => storage.sync(),
    // The platform keeps earlier states for 30 days, for its point-in-time recovery; nothing can end that.
    emptyLog: () => {},
    checkFiles: () => {},
    close: () => {},
  };
  return sqliteStore(db);
}

/** A statement, which the platform caches by its text. */
function statementOf({ sql }: DurableObjectStorage, text: string): SqliteStatement {
  const all = (...values: readonly SqliteValue[]): Row[] => sql.exec(text, ...values).toArray();
  return {
    all,
    run(...values) {
      all(...values);
      const [row] = sql.exec('SELECT changes() AS changes').toArray();
      return { changes: Number(row?.['changes']) };
    },
  };
}

/** The version is a row of the table of settings, because `PRAGMA user_version` is not permitted. */
function prepareTables({ sql }: DurableObjectStorage): void {
  const hasTables = sql.exec(`SELECT 1 FROM sqlite_schema WHERE name = 'setting'`).toArray().length > 0;
  const [row] = hasTables ? sql.exec(`SELECT value FROM setting WHERE name = 'version'`).toArray() : [];
  if (hasTablesOf(tablesVersion, Number(row?.['value'] ?? 0), 'This Durable Object was')) return;
  sql.exec(createTables(false));
  sql.exec(`INSERT INTO setting (name, value) VALUES ('version', ?)`, String(tablesVersion));
}
