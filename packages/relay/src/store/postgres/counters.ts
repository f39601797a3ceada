/** The counters of rate limits in PostgreSQL. */
import { StoreUnavailableError } from '../../errors.ts';
import type { Counter, Counters, ReachedCounter } from '../counters.ts';
import { asStoreUnavailable } from '../database-errors.ts';
import type { Row } from '../rows.ts';
import { json } from './connections.ts';
import type { OpenDatabase } from './open-database.ts';
import { counters as sql } from './statements.ts';

/** How long the counters are not queried after a failure, in milliseconds. */
const pauseMs = 5000;

/** Counters deleted in one statement. */
const batchSize = 1000;

export class PostgresCounters implements Counters {
  readonly #database: Pick<OpenDatabase, 'counting' | 'long'>;
  #pausedUntil = 0;

  constructor(database: Pick<OpenDatabase, 'counting' | 'long'>) {
    this.#database = database;
  }

  async count(counters: readonly Counter[], now: number): Promise<readonly ReachedCounter[]> {
    const wanted = counters.map(({ key, most, windowMs }) => ({ key, most, until: now + windowMs }));
    const rows = await this.#query(sql.count, [json(wanted), now]);
    // Posts at the same time have all found it below its limit.
    if (rows.some(({ counted }) => counted === true)) await this.release(counters);
    return rows.map(({ key, until }) => ({ key: String(key), until: Number(until) }));
  }

  async release(counters: readonly Counter[]): Promise<void> {
    await this.#query(sql.release, [counters.map(({ key }) => key)]);
  }

  expire(now: number): Promise<void> {
    return asStoreUnavailable('written', async () => {
      while ((await this.#database.long.query(sql.expire, [now, batchSize])).length === batchSize);
    });
  }

  /** A post counts several times: only the first time waits for a server that hangs. */
  async #query(text: string, values: readonly unknown[]): Promise<Row[]> {
    if (performance.now() < this.#pausedUntil) throw new StoreUnavailableError('The counters did not answer.');
    return asStoreUnavailable('written', async () => {
      try {
        return await this.#database.counting.query(text, values);
      } catch (error) {
        this.#pausedUntil = performance.now() + pauseMs;
        throw error;
      }
    });
  }
}
