/** The PostgreSQL store: one row per signup, group commit of many signups per statement, any number of relays. */
import { asStoreUnavailable } from '../database-errors.ts';
import { probeRow } from '../rows.ts';
import type { SignupStore } from '../signup-store.ts';
import { batchStore } from './batches.ts';
import { storeChanges } from './changes.ts';
import { type Alone, json, type RunQuery } from './connections.ts';
import { type Statements, statementsOf } from './statements.ts';
import { postgresCounters } from './counters.ts';
import { deliveryStore, insertSignups } from './delivery.ts';
import { mailboxStore } from './mailboxes.ts';
import { openDatabase, type OpenDatabase } from './open-database.ts';
import { overviewReads } from './overview.ts';
import { recordReads } from './records.ts';
import { schema, setSetting, setting, signup } from './sql-parts.ts';
import { webhookQueue } from './webhook-queue.ts';

/**
 * Opens or creates the store in a database.
 *
 * @throws StartupError if it cannot be reached, refuses the login, is too old or not durable
 */
export async function openPostgresStore(url: string): Promise<SignupStore> {
  return postgresStore(await openDatabase(url));
}

/** The store in a database; each of its parts has its statements. */
function postgresStore(database: OpenDatabase): SignupStore {
  const statements = statementsOf(database);
  const { read, readLong, write } = statements;
  const alone = aloneIn(database);
  const delivery = deliveryStore(statements, alone);
  const batches = batchStore(statements);
  const set = write(setSetting);
  const valueOf = read(
    `SELECT value FROM ${setting} WHERE name = $1`,
    ([row]: readonly { readonly value: string }[]) => row?.value,
  );
  return {
    shared: true,
    counters: postgresCounters(database),
    webhooks: webhookQueue(statements),
    serverTime: read(
      `SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now`,
      ([row]: readonly { readonly now: number }[]) => row?.now ?? Number.NaN,
    ),
    // Of other roles a server tells nothing, unless the role has pg_read_all_stats.
    oldestReaderMs: readLong(
      `SELECT greatest(0, max(extract(epoch FROM clock_timestamp() - xact_start)) * 1000)::bigint AS age FROM pg_stat_activity
        WHERE backend_xmin IS NOT NULL AND pid <> pg_backend_pid()`,
      ([row]: readonly { readonly age: number }[]) => row?.age ?? 0,
    ),
    ...delivery.methods,
    ...batches.methods,
    ...mailboxStore(statements, alone),
    ...overviewReads(statements),
    ...recordReads(statements),
    ...storeChanges(statements),
    paused: async () => (await valueOf('paused')) === 'true',
    setPaused: (paused) => set('paused', String(paused)),
    probe: probeIn(statements),
    /** Does not release claims: a stopped dispatcher has settled or released all of them. */
    async close() {
      await delivery.done();
      await batches.releaseScans();
      await database.close();
    },
  };
}

/** Key of the advisory lock of claims ("NKRL" and one). */
export const claimsLock = 0x4e_4b_52_4d;

/**
 * Runs the transactions that change what claims read: of all relays one after the other, so that each sees what the
 * others have claimed. Those of this process use one connection.
 */
function aloneIn({ brief }: OpenDatabase): Alone {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: (query: RunQuery) => Promise<T>) => {
    const locked = async (query: RunQuery): Promise<T> => {
      await query(`SELECT pg_advisory_xact_lock(${claimsLock})`);
      return work(query);
    };
    const done = last.then(() => asStoreUnavailable('written', () => brief.transaction(locked)));
    last = done.catch(() => undefined);
    return done;
  };
}

function probeIn({ brief }: Statements): SignupStore['probe'] {
  return (now, effort) =>
    asStoreUnavailable('written', () =>
      brief.transaction(async (query) => {
        // Of no row: a lock on the table, a lost permission and a standby show here.
        await query(`INSERT INTO ${signup} SELECT * FROM ${signup} WHERE false`);
        if (effort === 'fill') {
          await query('SAVEPOINT probe');
          await query(insertSignups, [json([probeRow(now)]), json([])]);
          await query('ROLLBACK TO SAVEPOINT probe');
        }
        if (effort === 'look') return;
        // $2: parts of 32 bytes that cannot be compressed; 64 KiB are more than any signup with its indexes.
        await query(
          `INSERT INTO ${schema}.probe (id, at, room) SELECT 1, $1, string_agg(md5(random()::text), '') FROM generate_series(1, $2)
            ON CONFLICT (id) DO UPDATE SET at = excluded.at, room = excluded.room`,
          [now, effort === 'fill' ? 2048 : 1],
        );
      }),
    );
}
