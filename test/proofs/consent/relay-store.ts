/** The relay's SQLite store in memory, whose rows are taken out and put back between two actions. */
import type { SignupStore } from '@newsletter-kit/relay';
import { sqliteStore } from '../../../packages/relay/src/store/sqlite/sqlite-store.ts';
import { memoryDriver } from '../../../packages/relay/test/memory-store.ts';

type Value = string | number | null;

const tables = { signup: 'received_at, id', batch: 'claimed_at, id', walk: 'publication' } as const;
type Table = keyof typeof tables;

/** The rows of each table. */
export type RelayRows = Record<Table, Record<string, Value>[]>;

export interface MemoryStore {
  /** The store with these rows. It holds nothing else: what its process knew, a restart may have taken. */
  open(rows: RelayRows): SignupStore;
  rows(): RelayRows;
  /** Changes rows past the store. */
  exec(text: string, ...values: Value[]): void;
}

export function createMemoryStore(): MemoryStore {
  const driver = memoryDriver();
  const { prepare } = driver;
  const names = Object.keys(tables) as Table[];
  const store = sqliteStore(driver);
  return {
    open(rows) {
      for (const name of names) {
        prepare(`DELETE FROM ${name}`).run();
        for (const row of rows[name]) {
          const columns = Object.keys(row);
          prepare(`INSERT INTO ${name} (${columns.join()}) VALUES (${columns.map(() => '?').join()})`).run(
            ...Object.values(row),
          );
        }
      }
      prepare('DELETE FROM consent').run();
      return store;
    },
    rows: () =>
      Object.fromEntries(
        names.map((name) => [
          name,
          prepare(`SELECT * FROM ${name} ORDER BY ${tables[name]}`)
            .all()
            .map((row) => ({ ...row })),
        ]),
      ) as RelayRows,
    exec: (text, ...values) => void prepare(text).run(...values),
  };
}
