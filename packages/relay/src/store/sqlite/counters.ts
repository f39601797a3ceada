/** The counters of rate limits in SQLite, written with the next commit: each of its own would cost a sync. */
import { type Count, type Counter, type Counters, maxKeys, MemoryCounters, type ReachedCounter } from '../counters.ts';
import { storeError } from '../database-errors.ts';
import type { Statements } from './statements.ts';

/** Counters deleted in one transaction. */
const batchSize = 500;

export class SqliteCounters implements Counters {
  readonly #statements: Statements;
  /** The counts that are not written yet. */
  readonly #changed: MemoryCounters;
  readonly #commit: <T>(work: () => T) => Promise<T>;

  /** @param commit - runs work in the next commit, after {@link write} */
  constructor(statements: Statements, commit: <T>(work: () => T) => Promise<T>) {
    this.#statements = statements;
    this.#commit = commit;
    this.#changed = new MemoryCounters((key) => {
      const row = statements.counter.get(key);
      return row && { points: Number(row['points']), until: Number(row['until']) };
    });
  }

  /** Whether every count is written. */
  get isWritten(): boolean {
    return this.#changed.isEmpty;
  }

  count(counters: readonly Counter[], now: number): Promise<readonly ReachedCounter[]> {
    return this.#changed.count(counters, now).catch(failRead);
  }

  release(counters: readonly Counter[]): Promise<void> {
    return this.#changed.release(counters).catch(failRead);
  }

  async expire(now: number): Promise<void> {
    await this.#changed.expire(now);
    for (let after = '', isLast = false; !isLast;) {
      // In batches, so that new signups do not wait for all of them.
      const keys = await this.#commit(() => this.#statements.expireCounters.all({ after, now, limit: batchSize }));
      isLast = keys.length < batchSize;
      after = keys.reduce((last, { key }) => (String(key) > last ? String(key) : last), after);
    }
  }

  /** The counts whose windows end last, with their keys. */
  stored(): (readonly [key: string, count: Count])[] {
    return this.#statements.counters
      .all({ limit: maxKeys })
      .map(({ key, points, until }) => [String(key), { points: Number(points), until: Number(until) }]);
  }

  /** Takes over a count that was counted elsewhere. */
  set(key: string, count: Count): void {
    this.#changed.set(key, count);
  }

  /** Writes the counts, in the transaction of a commit. */
  write(): void {
    this.#changed.each((key, { points, until }) => this.#statements.setCounter.run(key, points, until));
  }

  /** Forgets the counts after their commit. */
  written(): void {
    this.#changed.clear();
  }
}

function failRead(cause: unknown): never {
  throw storeError('read', cause);
}
