/** The counters of rate limits in SQLite, written with the next commit: each of its own would cost a sync. */
import { type Count, type Counters, maxKeys, MemoryCounters } from '../counters.ts';
import { asStoreUnavailable } from '../database-errors.ts';
import { actsOf } from '../acts/act.ts';
import type { actsIn } from './driver.ts';

/** Counters deleted in one transaction. */
const batchSize = 500;

type KeyedCount = Count & { readonly key: string };

/** @param commit - runs work in the next commit, after `write` */
export function sqliteCounters(acts: ReturnType<typeof actsIn>, commit: <T>(work: () => T) => Promise<T>) {
  const { one, all, run } = actsOf(acts);
  const { carryOut } = acts;
  const counter = one<[key: string], Count>('SELECT points, until FROM counter WHERE key = $1');
  const latest = all<[limit: number], KeyedCount>(
    'SELECT key, points, until FROM counter ORDER BY until DESC LIMIT $1',
  );
  const store = run<[key: string, points: number, until: number]>(
    `INSERT INTO counter (key, points, until) VALUES ($1, $2, $3)
     ON CONFLICT (key) DO UPDATE SET points = excluded.points, until = excluded.until`,
  );
  const expire = all<[after: string, now: number, limit: number], { readonly key: string }>(
    `DELETE FROM counter WHERE key IN (
       SELECT key FROM counter WHERE key > $1 AND until <= $2 ORDER BY key LIMIT $3) RETURNING key`,
  );
  /** The counts that are not written yet. */
  const changed = new MemoryCounters((key) => carryOut(counter(key)));
  return {
    count: (...values: Parameters<Counters['count']>) => asStoreUnavailable('read', () => changed.count(...values)),
    release: (...values: Parameters<Counters['release']>) =>
      asStoreUnavailable('read', () => changed.release(...values)),
    async expire(now: number): Promise<void> {
      await changed.expire(now);
      for (let after = '', isLast = false; !isLast;) {
        // In batches, so that new signups do not wait for all of them.
        const keys = await commit(() => carryOut(expire(after, now, batchSize)));
        isLast = keys.length < batchSize;
        after = keys.reduce((last, { key }) => (key > last ? key : last), after);
      }
    },
    /** Whether every count is written. */
    isWritten: (): boolean => changed.isEmpty,
    /** The counts whose windows end last, with their keys. */
    stored: (): (readonly [key: string, count: Count])[] =>
      carryOut(latest(maxKeys)).map(({ key, points, until }) => [key, { points, until }]),
    /** Takes over a count that was counted elsewhere. */
    set: (key: string, count: Count): void => changed.set(key, count),
    /** Writes the counts, in the transaction of a commit. */
    write: (): void => changed.each((key, { points, until }) => carryOut(store(key, points, until))),
    /** Forgets the counts after their commit. */
    written: (): void => changed.clear(),
  };
}
