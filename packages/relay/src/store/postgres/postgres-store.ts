/** The PostgreSQL store: one row per signup, group commit of many signups per statement, any number of relays. */
import { actsOf, json } from '../acts/act.ts';
import { pauseStore, storeChanges } from '../acts/changes.ts';
import { mailboxStore } from '../acts/mailboxes.ts';
import { overviewReads, storedCounts } from '../acts/overview.ts';
import { recordReads } from '../acts/records.ts';
import { webhookQueue } from '../acts/webhooks.ts';
import { asStoreUnavailable } from '../database-errors.ts';
import { probeRow } from '../rows.ts';
import type { SignupStore } from '../signup-store.ts';
import { leasedBatches } from './batches.ts';
import { postgresCounters } from './counters.ts';
import { databaseOf } from './database.ts';
import { groupedDelivery, insertSignups } from './delivery.ts';
import { openDatabase, type OpenDatabase } from './open-database.ts';
import { held, schema, signup, tally } from './sql-parts.ts';

/**
 * Opens or creates the store in a database.
 *
 * @throws StartupError if it cannot be reached, refuses the login, is too old or not durable
 */
export async function openPostgresStore(url: string): Promise<SignupStore> {
  const database = await openDatabase(url);
  const db = databaseOf(database);
  const { one } = actsOf(db);
  const mailboxes = mailboxStore(db);
  const delivery = groupedDelivery(db, database.brief, mailboxes);
  const batches = leasedBatches(db);
  const now = one<[], { readonly ms: number }>(`SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS ms`);
  // Of other roles a server tells nothing, unless the role has pg_read_all_stats.
  const oldestReader = one<[], { readonly ms: number | null }>(
    `SELECT greatest(0, max(extract(epoch FROM clock_timestamp() - xact_start)) * 1000)::bigint AS ms FROM pg_stat_activity
      WHERE backend_xmin IS NOT NULL AND pid <> pg_backend_pid()`,
  );
  return {
    shared: true,
    counters: postgresCounters(database),
    webhooks: webhookQueue(db),
    serverTime: db.read(function* () {
      return (yield* now())?.ms ?? Number.NaN;
    }),
    oldestReaderMs: db.readOne(function* () {
      return (yield* oldestReader())?.ms ?? 0;
    }),
    ...delivery.methods,
    ...batches.methods,
    ...mailboxes.methods,
    ...overviewReads(db, storedCounts(db, tally, held)),
    ...recordReads(db),
    ...storeChanges(db, mailboxes.addEntries),
    ...pauseStore(db),
    probe: probeIn(database),
    /** Does not release claims: a stopped dispatcher has settled or released all of them. */
    async close() {
      await delivery.done();
      await batches.releaseScans();
      await database.close();
    },
  };
}

function probeIn({ brief }: OpenDatabase): SignupStore['probe'] {
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
