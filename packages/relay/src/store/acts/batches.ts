/** Batches, and what the scans of their publications find. Who scans is each store's own affair. */
import { hasLeft } from '../conditions.ts';
import { digestLength, personHash } from '../signup-identity.ts';
import type { BatchStore, ConfirmedSignup, FoundSubscription, OpenBatch } from '../signup-store.ts';
import { type Act, type Database, json, actsOf } from './act.ts';

export function batchStore(db: Database) {
  const { read, writeOne, write, dialect } = db;
  const { table, unindexed } = dialect;
  const { all, run } = actsOf(db);
  const [signup, batch] = [table('signup'), table('batch')];
  const waitAgain = run<[batch: string, nextAttemptAt: number | null, reason: string | null, tried: boolean]>(
    `UPDATE ${signup} SET state = 'waiting', tried = CASE WHEN tried THEN tried ELSE $4 END, batch = NULL,
       next_attempt_at = $2, last_error = CASE WHEN ${hasLeft} THEN last_error ELSE $3 END WHERE batch = $1`,
  );
  const removeBatch = run<[id: string]>(`DELETE FROM ${batch} WHERE id = $1`);
  // Only the status of a row may have a name that the answer has too.
  const found = dialect.rows('signup', '$1', ['content AS person', 'status AS word', 'next_attempt_at AS again']);
  const confirmFound = all<
    [found: string, publicationId: string, at: number, people: readonly string[]],
    ConfirmedSignup
  >(
    `UPDATE ${signup} AS s SET state = 'delivered', batch = NULL, settled_at = $3, status = f.word,
       next_attempt_at = CASE WHEN s.${hasLeft} THEN $3 ELSE f.again END,
       last_error = CASE WHEN s.${hasLeft} THEN s.last_error END
     FROM ${found} AS f
     WHERE ${unindexed('s.state')} = 'sent' AND substr(s.content, 1, ${digestLength}) = f.person AND ${dialect.within(
       's.id',
       `SELECT s.id FROM ${dialect.ofPeople('$4')} WHERE s.state = 'sent'
          AND ${unindexed('s.batch')} IN (SELECT CAST(id AS text) FROM ${batch} WHERE publication = $2)`,
     )} RETURNING id, form, due_at AS "dueAt", status`,
  );
  /** Of a page: signups in batches of the publication become delivered. */
  function* confirm(
    publicationId: string,
    page: readonly FoundSubscription[],
    at: number,
  ): Act<readonly ConfirmedSignup[]> {
    if (page.length === 0) return [];
    const known = new Map(page.map((each) => [personHash(each.email), each]));
    const rows = [...known].map(([content, { status, askAgainAt }]) => ({
      content,
      status,
      next_attempt_at: askAgainAt,
    }));
    const confirmed = yield* confirmFound(json(rows), publicationId, at, [...known.keys()]);
    db.delivered(confirmed.length);
    return confirmed;
  }
  const methods: Pick<BatchStore, 'openBatches' | 'batchSent' | 'endBatch'> = {
    openBatches: read(
      all<[publicationId: string], OpenBatch>(`SELECT id, claimed_at AS "claimedAt", sent_at AS "sentAt",
           (SELECT count(*) FROM ${signup} AS s WHERE s.batch = b.id) AS open
         FROM ${batch} AS b WHERE publication = $1 ORDER BY claimed_at, id`),
    ),
    batchSent: writeOne(run(`UPDATE ${batch} SET sent_at = $2 WHERE id = $1`)),
    endBatch: write(function* (id, { nextAttemptAt, reason, tried }) {
      yield* waitAgain(id, nextAttemptAt, reason, tried);
      yield* removeBatch(id);
    }),
  };
  return { methods, confirm };
}
