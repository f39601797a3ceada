/** Batches in the SQLite store, and the scans of publications that confirm their signups. */
import { hasLeft } from '../conditions.ts';
import { settledColumns, toScan } from '../rows.ts';
import { personHash } from '../signup-identity.ts';
import type { BatchStore, ConfirmedSignup } from '../signup-store.ts';
import type { DeliveredCount } from './delivered-count.ts';
import { statementsOf, type StoreDatabase } from './driver.ts';
import { ofPerson } from './sql-parts.ts';

export function batchStore(db: StoreDatabase, delivered: DeliveredCount): BatchStore {
  const { reads, writes } = db;
  const { one, all, run } = statementsOf(db);
  const waitAgain = run<[batch: string, nextAttemptAt: number | null, reason: string | null, tried: number]>(
    `UPDATE signup SET state = 'waiting', tried = max(tried, ?4), batch = NULL, next_attempt_at = ?2,
       last_error = CASE WHEN ${hasLeft} THEN last_error ELSE ?3 END WHERE batch = ?1`,
  );
  const removeBatch = run<[id: string]>('DELETE FROM batch WHERE id = ?');
  const scan = one<[publicationId: string], { readonly place: string }>('SELECT place FROM walk WHERE publication = ?');
  const saveScan = run<[publicationId: string, place: string]>(
    'INSERT OR REPLACE INTO walk (publication, place) VALUES (?, ?)',
  );
  // The plus keeps the planner from scanning every signup of every batch for each address.
  const confirm = all<
    [person: string, publicationId: string, at: number, status: string | null, askAgainAt: number | null],
    ConfirmedSignup
  >(`UPDATE signup SET state = 'delivered', batch = NULL, settled_at = ?3, status = ?4,
       next_attempt_at = CASE WHEN ${hasLeft} THEN ?3 ELSE ?5 END, last_error = CASE WHEN ${hasLeft} THEN last_error END
     WHERE ${ofPerson} AND state = 'sent' AND +batch IN (SELECT id FROM batch WHERE publication = ?2)
     RETURNING id, form, due_at AS dueAt, status`);
  return {
    openBatches: reads(
      all(`SELECT id, claimed_at AS claimedAt, sent_at AS sentAt,
           (SELECT count(*) FROM signup WHERE signup.batch = batch.id) AS open
         FROM batch WHERE publication = ? ORDER BY claimed_at, id`),
    ),
    batchSent: writes(run('UPDATE batch SET sent_at = ?2 WHERE id = ?1')),
    endBatch: writes((id, outcome) => {
      const { nextAttemptAt, reason, tried } = settledColumns(outcome);
      waitAgain(id, nextAttemptAt, reason, tried);
      removeBatch(id);
    }),
    leaseScan: reads((publicationId) => ({ scan: toScan(scan(publicationId)?.place) })),
    releaseScan: () => Promise.resolve(),
    confirm(publicationId, found, at, place) {
      const confirmed = writes(() => {
        saveScan(publicationId, JSON.stringify(place));
        return found.flatMap(({ email, status, askAgainAt }) =>
          confirm(personHash(email), publicationId, at, status, askAgainAt),
        );
      })();
      return delivered.changedBy(confirmed, ({ length }) => length);
    },
  };
}
