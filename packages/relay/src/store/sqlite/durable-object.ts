/** Opens the SQLite store in a Durable Object of Cloudflare Workers: its driver, and its migrations. */
import { StartupError } from '../../errors.ts';
import type { Row } from '../rows.ts';
import type { SignupStore } from '../signup-store.ts';
import type { SqliteDriver, SqliteStatement, SqliteValue } from './driver.ts';
import { personOf, runSteps, steps } from './schema.ts';
import { SqliteStore } from './sqlite-store.ts';

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
 * @throws StartupError if a newer version has written it
 */
export function openDurableObjectStore(storage: DurableObjectStorage): SignupStore {
  storage.transactionSync(() => migrate(storage));
  const db: SqliteDriver = {
    prepare: (text) => new DurableObjectStatement(storage, text),
    transaction: (work) => storage.transactionSync(work),
    sync: () => storage.sync(),
    // The platform keeps earlier states for 30 days, for its point-in-time recovery; nothing can end that.
    emptyLog: () => {},
    checkFiles: () => {},
    close: () => {},
  };
  return new SqliteStore(db);
}

type Values = SqliteValue[] | [Readonly<Record<string, SqliteValue>>];

/** A statement; Durable Objects number named parameters by their first appearance in the text. */
class DurableObjectStatement implements SqliteStatement {
  readonly #storage: DurableObjectStorage;
  readonly #text: string;
  readonly #names: readonly string[];

  constructor(storage: DurableObjectStorage, text: string) {
    this.#storage = storage;
    this.#text = text;
    this.#names = [...new Set([...text.matchAll(/:([a-z]\w*)/gi)].map(([, name = '']) => name))];
  }

  all(...values: Values): Row[] {
    return this.#storage.sql.exec(this.#text, ...this.#inOrder(values)).toArray();
  }

  get(...values: Values): Row | undefined {
    return this.all(...values)[0];
  }

  run(...values: Values): { readonly changes: number } {
    this.all(...values);
    const [row] = this.#storage.sql.exec('SELECT changes() AS changes').toArray();
    return { changes: Number(row?.['changes']) };
  }

  #inOrder(values: Values): SqliteValue[] {
    const [first] = values;
    if (typeof first !== 'object' || first === null) return values.filter(isValue);
    return this.#names.map((name) => first[name] ?? null);
  }
}

function isValue(value: Values[number]): value is SqliteValue {
  return typeof value !== 'object' || value === null;
}

/** The version is a row of the table of settings, because `PRAGMA user_version` is not permitted. */
function migrate({ sql }: DurableObjectStorage): void {
  const hasTables = sql.exec(`SELECT 1 FROM sqlite_schema WHERE name = 'setting'`).toArray().length > 0;
  const [row] = hasTables ? sql.exec(`SELECT value FROM setting WHERE name = 'version'`).toArray() : [];
  const version = Number(row?.['value'] ?? 0);
  if (version > steps.length)
    throw new StartupError(
      `This Durable Object was written by a newer relay (version ${version}): deploy that version again.`,
    );
  if (version === steps.length) return;
  // Durable Objects have no functions of one's own. Objects of the version that needs this one do not exist: its table
  // is empty, and any function will do.
  runSteps(
    steps.slice(version),
    (text) => sql.exec(text.replaceAll(`${personOf}(`, 'quote(')),
    (text, ...values) => sql.exec(text, ...values).toArray(),
    false,
  );
  sql.exec(`INSERT OR REPLACE INTO setting (name, value) VALUES ('version', ?)`, String(steps.length));
}
