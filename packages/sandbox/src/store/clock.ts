/** The clock in the store: how far it was moved from real time, and where it stands while it is stopped. */
import type { Database } from './database.ts';

export interface ClockRow {
  /** Milliseconds between the time's source and the clock. */
  readonly ahead: number;
  /** Milliseconds since the Unix epoch at which the clock stands; null while it runs. */
  readonly frozen: number | null;
}

export type ClockStore = ReturnType<typeof clockStore>;

export function clockStore(database: Database) {
  const read = database.prepare<ClockRow>('SELECT ahead, frozen FROM clock');
  const write = database.prepare('INSERT OR REPLACE INTO clock (id, ahead, frozen) VALUES (1, ?, ?)');
  return {
    /** A clock that was never moved has no row. */
    read: (): ClockRow => read.get() ?? { ahead: 0, frozen: null },
    write: (row: ClockRow): void => write.run(row.ahead, row.frozen),
  };
}
