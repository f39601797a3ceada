/** The SQLite store, on a file or in a Durable Object: group commit with one sync for many signups, one relay each. */
import { answerOf } from '../database-errors.ts';
import { SqliteGroupCommit } from '../group-commit.ts';
import { ledgerColumns } from '../rows.ts';
import type { ProbeEffort, SignupStore } from '../signup-store.ts';
import { batchStore } from './batches.ts';
import { storeChanges } from './changes.ts';
import { sqliteCounters } from './counters.ts';
import { deliveredCount } from './delivered-count.ts';
import { deliveryStore } from './delivery.ts';
import { type ReadDatabase, type SqliteDriver, statementsOf, type StoreDatabase } from './driver.ts';
import { mailboxStore } from './mailboxes.ts';
import { overviewReads, scansOf, storedCounts } from './overview.ts';
import { recordReads } from './records.ts';
import { webhookQueue } from './webhook-queue.ts';

export type SqliteStore = ReturnType<typeof sqliteStore>;

/** The store in a database; each of its parts has its statements. */
export function sqliteStore(driver: SqliteDriver) {
  const counters = sqliteCounters(driver, (work) => commits.run(work));
  const commits = new SqliteGroupCommit(driver, counters);
  const db: StoreDatabase = {
    ...driver,
    ...withoutLimit(driver),
    writes:
      (work) =>
      (...values) =>
        commits.run(() => work(...values)),
  };
  const addConsent = statementsOf(db).insert('INSERT OR IGNORE', 'consent', ledgerColumns);
  const delivered = deliveredCount(db);
  const { methods: mailboxes, claimMails } = mailboxStore(db, addConsent);
  const store: Omit<SignupStore, 'counters'> = {
    shared: false,
    webhooks: webhookQueue(db),
    ...deliveryStore(db, { addConsent, delivered, claimMails }),
    ...batchStore(db, delivered),
    ...mailboxes,
    ...overviewReads(db, driver.isFile ? storedCounts(db) : scansOf(db, delivered)),
    ...recordReads(db),
    ...storeChanges(db, delivered, addConsent),
    ...pause(db),
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

function withoutLimit({ prepare }: Pick<SqliteDriver, 'prepare'>): ReadDatabase {
  return {
    prepare,
    inTime: '1',
    reads:
      (query) =>
      (...values) =>
        answerOf(() => query(...values)),
  };
}

/** Whether delivery is paused; in memory, because delivery reads it for every signup. */
function pause(db: StoreDatabase): Pick<SignupStore, 'paused' | 'setPaused'> {
  const { one, run } = statementsOf(db);
  const stored = one<[], { readonly value: string }>(`SELECT value FROM setting WHERE name = 'paused'`);
  const set = run<[value: string]>(`INSERT OR REPLACE INTO setting (name, value) VALUES ('paused', ?)`);
  let isPaused = stored()?.value === 'true';
  return {
    paused: () => Promise.resolve(isPaused),
    async setPaused(paused) {
      await db.writes(set)(String(paused));
      isPaused = paused;
    },
  };
}

/** Whatever keeps a signup from its table keeps this row from its own: SQLite locks and fills the whole file. */
function probeIn(db: StoreDatabase): SignupStore['probe'] {
  const probe = statementsOf(db).run<[now: number, room: number]>(
    'INSERT OR REPLACE INTO probe (id, at, room) VALUES (1, ?, randomblob(?))',
  );
  return db.writes((now: number, effort: ProbeEffort) => {
    if (effort !== 'look') probe(now, effort === 'fill' ? 65_536 : 1);
  });
}
