/** Rate limit counters in a table of the Durable Object: an idle object is evicted, and its memory with it. */
import RateLimiterSQLite from 'rate-limiter-flexible/lib/RateLimiterSQLite.js';
import type { MakeLimiter } from '../admission/rate-limits.ts';
import type { SqliteDriver } from '../store/sqlite/driver.ts';

const table = 'rate_limit';

/** Counters in a table. */
export interface RateLimitTable {
  readonly limiter: MakeLimiter;
  /** Deletes the counters that have expired. @param now - milliseconds since the Unix epoch */
  deleteExpired(now: number): void;
}

export function openRateLimitTable(db: SqliteDriver): RateLimitTable {
  db.prepare(
    `CREATE TABLE IF NOT EXISTS ${table} (key TEXT PRIMARY KEY, points INTEGER NOT NULL, expire INTEGER) STRICT, WITHOUT ROWID`,
  ).all();
  // The interface of better-sqlite3, as far as the library uses it. Each of its transactions is a single statement.
  const storeClient = { prepare: (text: string) => db.prepare(text), transaction: <T>(work: T): T => work };
  const removal = db.prepare(`DELETE FROM ${table} WHERE expire < ?`);
  return {
    limiter: (name, { points, seconds }) =>
      new RateLimiterSQLite({
        storeClient,
        storeType: 'better-sqlite3',
        tableName: table,
        tableCreated: true,
        keyPrefix: name,
        points,
        duration: seconds,
      }),
    deleteExpired: (now) => void removal.run(now),
  };
}
