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
import { createGroupCommit } from '../group-commit.ts';
import { toScan } from '../rows.ts';
import type { BatchStore, ProbeEffort, SignupStore } from '../signup-store.ts';
import { sqliteCounters } from './counters.ts';
import { acceptIn, candidatesIn, nextDueIn } from './delivery.ts';
import { actsIn, type Commit, type SqliteDriver } from './driver.ts';
import { type DeliveredCount, scansOf } from './overview.ts';
import { dialect, tallied } from './sql-parts.ts';

export type SqliteStore = ReturnType<typeof sqliteStore>;

/** The store in a database; each of its parts has its statements. */
export function sqliteStore(driver: SqliteDriver) {
  const delivered: DeliveredCount = { known: null };
  const acts = actsIn(driver);
  const counters = sqliteCounters(acts, (work) => commit(work));
  const { commit, done } = commitsOf(driver, counters, delivered);
  const read: Database['read'] =
    (act) =>
    (...values) =>
      asStoreUnavailable('read', () => acts.carryOut(act(...values)));
  const write: Database['write'] =
    (act) =>
    (...values) =>
      commit(() => acts.carryOut(act(...values)));
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
    accept: acceptIn(driver, commit),
    settle: write((ids, outcome) => delivery.settled([{ ids, outcome }])),
    ...scannedBatches(db),
    ...mailboxes.methods,
    ...overviewReads(db, driver.isFile ? tallied(db) : scansOf(db, delivered)),
    ...recordReads(db),
    ...storeChanges(db, mailboxes.addEntries),
    ...pauseStore(db),
    probe: probeIn(db),
    async close() {
      // What cannot be written is counted anew after the restart.
      if (!counters.isWritten()) await commit(() => undefined).catch(() => undefined);
      await done();
      driver.close();
    },
  };
  return { ...store, counters };
}

/** Commits of a database, each of which first writes the counts that are not written yet. */
function commitsOf(
  driver: SqliteDriver,
  counts: Pick<ReturnType<typeof sqliteCounters>, 'write' | 'written'>,
  delivered: DeliveredCount,
) {
  const write = async (works: readonly (() => void)[]): Promise<void> => {
    driver.checkFiles();
    try {
      driver.transaction(() => {
        counts.write();
        for (const work of works) work();
      });
    } catch (error) {
      // It may have changed the number, and is rolled back.
      delivered.known = null;
      throw error;
    }
    counts.written();
    await driver.sync?.();
  };
  // One sync for all that wait, however many.
  const { run, done } = createGroupCommit(write, Number.POSITIVE_INFINITY);
  const commit: Commit = (work) => {
    let value: ReturnType<typeof work>;
    const keep = (): void => void (value = work());
    // A database that syncs by itself joins what is written before it does.
    const written = driver.sync ? asStoreUnavailable('written', () => write([keep])) : run(keep);
    return written.then(() => value);
  };
  return { commit, done };
}

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
