/** Carries out acts in PostgreSQL: over the connections that are for them, in a transaction where they write more. */
import { type Act, type Database, type Lift, type Step } from '../acts/act.ts';
import { asStoreUnavailable, readTookTooLong } from '../database-errors.ts';
import { readMs } from '../signup-store.ts';
import type { RunQuery } from './connections.ts';
import type { OpenDatabase } from './open-database.ts';
import { dialect, tally } from './sql-parts.ts';

/** Key of the advisory lock of claims ("NKRL" and one). */
export const claimsLock = 0x4e_4b_52_4d;

/** What the server and pg say where a statement takes too long. */
const tookTooLong = (error: unknown): boolean =>
  error instanceof Error && (('code' in error && error.code === '57014') || error.message === 'Query read timeout');

/** A read, with the error of the store where it takes too long. */
async function withinTime<Result>(read: Promise<Result>): Promise<Result> {
  try {
    return await read;
  } catch (cause) {
    throw tookTooLong(cause) ? readTookTooLong({ cause }) : cause;
  }
}

/** Joins the counts of connections that have ended; one of another connection at work is skipped. */
const joinCounts = `WITH ended AS (DELETE FROM ${tally} WHERE (connection, form, state) IN (
      SELECT connection, form, state FROM ${tally} WHERE connection <> 0 AND connection NOT IN (SELECT pid FROM pg_stat_activity)
      FOR UPDATE SKIP LOCKED) RETURNING form, state, count)
  INSERT INTO ${tally} AS t (connection, form, state, count) SELECT 0, form, state, sum(count) FROM ended GROUP BY form, state ORDER BY form, state
  ON CONFLICT (connection, form, state) DO UPDATE SET count = t.count + excluded.count`;

/** Carries out an act whose failure stays what the driver has thrown. */
export async function carryOut<Result>(act: Act<Result>, query: RunQuery): Promise<Result> {
  const take = async ({ sql, values, gives }: Step): Promise<unknown> => {
    const { rows, rowCount } = await query(sql, values);
    return gives === 'rows' ? rows : (rowCount ?? 0);
  };
  let step = act.next();
  while (!step.done) step = act.next(await take(step.value));
  return step.value;
}

export function databaseOf({ brief, reading, long }: OpenDatabase): Database {
  /** @param run - gives the act's statements their connection */
  const lift =
    (verb: 'read' | 'written', run: <Result>(work: (query: RunQuery) => Promise<Result>) => Promise<Result>): Lift =>
    (act) =>
    (...values) =>
      asStoreUnavailable(verb, () => run((query) => carryOut(act(...values), query)));
  let last: Promise<unknown> = Promise.resolve();
  return {
    dialect,
    inTime: 'true',
    prepare: () => {},
    read: lift('read', (work) => work(brief.query)),
    readOne: lift('read', (work) => withinTime(work(reading.query))),
    readLong: lift('read', (work) => {
      const until = performance.now() + readMs;
      const read = reading.transaction(
        (query) =>
          work((...statement) => {
            if (performance.now() > until) throw readTookTooLong();
            return query(...statement);
          }),
        'REPEATABLE READ READ ONLY',
      );
      return withinTime(read);
    }),
    writeOne: lift('written', (work) => work(brief.query)),
    write: lift('written', (work) => brief.transaction(work)),
    // Of all relays one after the other, so that each sees what the others have claimed. Those of this process use one
    // connection.
    alone: lift('written', (work) => {
      const done = last.then(() =>
        brief.transaction(async (query) => {
          await query(`SELECT pg_advisory_xact_lock(${claimsLock})`);
          return work(query);
        }),
      );
      last = done.catch(() => undefined);
      return done;
    }),
    writeLong: lift('written', (work) => long.transaction(work)),
    clear: () => asStoreUnavailable('written', async () => void (await long.query(joinCounts))),
    delivered: () => {},
  };
}
