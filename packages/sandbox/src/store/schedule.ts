/** Store of the clock, the scheduled events and the counters that number new records. */
import type { Database } from './database.ts';

export interface ClockRow {
  /** Milliseconds between the time's source and the clock. */
  readonly ahead: number;
  /** Milliseconds since the Unix epoch while the clock is frozen; null while it runs. */
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

/** A scheduled event of `subject` (a row's `seq`), due `at` (milliseconds of the sandbox's clock). */
export interface DueRow {
  readonly seq: number;
  readonly at: number;
  readonly kind: string;
  readonly subject: number;
}

/** The queries about what falls due. */
export type Due = ReturnType<typeof dueStore>;

export function dueStore(database: Database) {
  const schedule = database.prepare('INSERT INTO due (at, kind, subject) VALUES (?, ?, ?)');
  const next = database.prepare<DueRow>('SELECT * FROM due WHERE at <= ? ORDER BY at, seq LIMIT 1');
  const first = database.prepare<DueRow>('SELECT * FROM due ORDER BY at, seq LIMIT 1');
  const count = database.prepare<{ n: number }>('SELECT count(*) AS n FROM due');
  const done = database.prepare('DELETE FROM due WHERE seq = ?');
  // Every request queries due events; before this time it is known that there are none.
  let nothingDueUntil = 0;
  database.onUndone(() => {
    nothingDueUntil = 0;
  });
  return {
    schedule(at: number, kind: string, subject: number): void {
      nothingDueUntil = Math.min(nothingDueUntil, at);
      schedule.run(at, kind, subject);
    },
    next(now: number): DueRow | undefined {
      if (now < nothingDueUntil) return undefined;
      const row = next.get(now);
      if (!row) nothingDueUntil = first.get()?.at ?? Number.POSITIVE_INFINITY;
      return row;
    },
    /** The next event, due or not. */
    first: () => first.get(),
    count: (): number => count.get()?.n ?? 0,
    done: (seq: number): void => done.run(seq),
  };
}

/** Returns 1, 2, 3 … for each kind. Persistent, so a restart continues the sequence. */
export function counter(database: Database): (kind: string) => number {
  const count = database.prepare<{ n: number }>(
    'INSERT INTO counters (kind, n) VALUES (?, 1) ON CONFLICT (kind) DO UPDATE SET n = n + 1 RETURNING n',
  );
  return (kind) => count.get(kind)?.n ?? 0;
}
