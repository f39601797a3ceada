/** The SQLite store, on a file or in a Durable Object: group commit with one sync for many signups, one relay each. */
import { actsOf, type Database } from '../acts/act.ts';
import { batchStore } from '../acts/batches.ts';
import { pauseStore, storeChanges } from '../acts/changes.ts';
import { deliveryStore } from '../acts/delivery.ts';
import { mailboxStore } from '../acts/mailboxes.ts';
import { overviewReads } from '../acts/overview.ts';
import { recordReads } from '../acts/records.ts';
import { webhookQueue } from '../acts/webhooks.ts';
import { asStoreUnavailable } from '../database-errors.ts';
import { createSqliteGroupCommit } from '../group-commit.ts';
import { toScan } from '../rows.ts';
import type { BatchStore, ProbeEffort, SignupStore } from '../signup-store.ts';
import { sqliteCounters } from './counters.ts';
import { acceptIn, candidatesIn, nextDueIn } from './delivery.ts';
import { actsIn, type SqliteDriver } from './driver.ts';
import { type DeliveredCount, scansOf } from './overview.ts';
import { dialect, tallied } from './sql-parts.ts';

export type SqliteStore = ReturnType<typeof sqliteStore>;

/** The store in a database; each of its parts has its statements. */
export function sqliteStore(driver: SqliteDriver) {
  const delivered: DeliveredCount = { known: null };
  const acts = actsIn(driver);
  const counters = sqliteCounters(acts, (work) => commits.run(work));
  const commits = createSqliteGroupCommit(forgetting(driver, delivered), counters);
  const read: Database['read'] =
    (act) =>
    (...values) =>
      asStoreUnavailable('read', () => acts.carryOut(act(...values)));
  const write: Database['write'] =
    (act) =>
    (...values) =>
      commits.run(() => acts.carryOut(act(...values)));
  const db: Database = {
    dialect,
    prepare: acts.prepare,
    inTime: '1 = 1',
    read,
    readOne: read,
    readLong: read,
    write,
    writeOne: write,
    alone: write,
    writeLong: write,
    clear: () => driver.emptyLog(),
    delivered(change) {
      if (delivered.known !== null) delivered.known += change;
    },
  };
  const mailboxes = mailboxStore(db);
  const delivery = deliveryStore(db, {
    candidates: candidatesIn(db),
    nextDue: nextDueIn(db),
    claimMails: mailboxes.claimMails,
  });
  const store: Omit<SignupStore, 'counters'> = {
    shared: false,
    webhooks: webhookQueue(db),
    ...delivery.methods,
    accept: acceptIn(driver, commits),
    settle: write((ids, outcome) => delivery.settled([{ ids, outcome }])),
    ...scannedBatches(db),
    ...mailboxes.methods,
    ...overviewReads(db, driver.isFile ? tallied(db) : scansOf(db, delivered)),
    ...recordReads(db),
    ...storeChanges(db, mailboxes.addEntries),
    ...pauseStore(db),
    probe: probeIn(db),
    close() {
      // What cannot be written is counted anew after the restart.
      if (!counters.isWritten()) commits.run(() => undefined).catch(() => undefined);
      commits.flush();
      driver.close();
      return Promise.resolve();
    },
  };
  return { ...store, counters };
}

/** Forgets the number of delivered signups where a transaction that may have changed it is rolled back. */
const forgetting = (driver: SqliteDriver, delivered: DeliveredCount): SqliteDriver => ({
  ...driver,
  transaction(work) {
    try {
      return driver.transaction(work);
    } catch (error) {
      delivered.known = null;
      throw error;
    }
  },
});

/** Nobody else scans. */
function scannedBatches(db: Database): BatchStore {
  const { one, run } = actsOf(db);
  const { methods, confirm } = batchStore(db);
  const scan = one<[publicationId: string], { readonly place: string }>(
    'SELECT place FROM walk WHERE publication = $1',
  );
  const saveScan = run<[publicationId: string, place: string]>(
    'INSERT OR REPLACE INTO walk (publication, place) VALUES ($1, $2)',
  );
  return {
    ...methods,
    leaseScan: db.read(function* (publicationId) {
      return { scan: toScan((yield* scan(publicationId))?.place) };
    }),
    releaseScan: () => Promise.resolve(),
    confirm: db.write(function* (publicationId, found, at, place) {
      yield* saveScan(publicationId, JSON.stringify(place));
      return yield* confirm(publicationId, found, at);
    }),
  };
}

/** Whatever keeps a signup from its table keeps this row from its own: SQLite locks and fills the whole file. */
function probeIn(db: Database): SignupStore['probe'] {
  const probe = actsOf(db).run<[now: number, room: number]>(
    'INSERT OR REPLACE INTO probe (id, at, room) VALUES (1, $1, randomblob($2))',
  );
  return db.write(function* (now: number, effort: ProbeEffort) {
    if (effort !== 'look') yield* probe(now, effort === 'fill' ? 65_536 : 1);
  });
}
