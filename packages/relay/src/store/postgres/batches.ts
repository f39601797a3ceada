/** Batches in the PostgreSQL store, and the scans of publications that confirm their signups. */
import { randomUUID } from 'node:crypto';
import { hasLeft } from '../conditions.ts';
import { toScan } from '../rows.ts';
import { digestLength, personHash } from '../signup-identity.ts';
import type { BatchStore, ConfirmedSignup, OpenBatch } from '../signup-store.ts';
import { json } from './connections.ts';
import type { Statements } from './statements.ts';
import { statusColumns } from './delivery.ts';
import { batch, ofPeople, rowsOf, schema, signup, unindexedState } from './sql-parts.ts';

const scan = `${schema}.walk`;

export function batchStore({ read, write }: Statements): {
  readonly methods: BatchStore;
  /** Ends the leases of this process. If that fails, they expire. */
  releaseScans(this: void): Promise<void>;
} {
  /** Id of this process as the holder of a scan. */
  const holder = randomUUID();
  /** Leases of scans by publication, in milliseconds; every stored page renews the lease. */
  const leases = new Map<string, number>();
  const endBatch = write(`WITH ended AS (DELETE FROM ${batch} WHERE id = $1)
      UPDATE ${signup} SET state = 'waiting', tried = tried OR $2, batch = NULL, next_attempt_at = $3,
        last_error = CASE WHEN ${hasLeft} THEN last_error ELSE $4 END WHERE batch = $1`);
  const leaseScan = read(
    `INSERT INTO ${scan} AS w (publication, holder, held_until) VALUES ($1, $2, $4)
      ON CONFLICT (publication) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until
        WHERE w.holder = excluded.holder OR w.held_until <= $3 RETURNING place`,
    ([row]: readonly { readonly place: string | null }[]) => row && { scan: toScan(row.place) },
    'written',
  );
  const releaseScan = write(`UPDATE ${scan} SET held_until = 0 WHERE holder = $1 AND publication = ANY($2::text[])`);
  // Found signups become delivered even if another relay holds the lease now; only the holder stores the position.
  const confirm = read(
    `WITH changed AS (
      UPDATE ${signup} AS t SET state = 'delivered', batch = NULL, settled_at = $3, status = f.status,
        next_attempt_at = CASE WHEN t.${hasLeft} THEN $3 ELSE f.next_attempt_at END,
        last_error = CASE WHEN t.${hasLeft} THEN t.last_error END
      FROM ${rowsOf(signup, '$7')} AS f
      WHERE ${unindexedState('t')} = 'sent' AND left(t.content, ${digestLength}) = f.content AND t.id = ANY(ARRAY(
        SELECT s.id FROM ${ofPeople} WHERE s.state = 'sent' AND s.batch IN (SELECT id FROM ${batch} WHERE publication = $2)))
      RETURNING t.id, t.form, t.due_at, t.status),
    step AS (INSERT INTO ${scan} AS w (publication, place, holder, held_until) VALUES ($2, $4, $5, $3::bigint + $6::bigint)
      ON CONFLICT (publication) DO UPDATE SET place = excluded.place, holder = excluded.holder, held_until = excluded.held_until
        WHERE w.holder = excluded.holder OR w.held_until <= $3)
    SELECT id, form, due_at AS "dueAt", status FROM changed`,
    (rows: readonly ConfirmedSignup[]) => rows,
    'written',
  );
  const methods: BatchStore = {
    openBatches: read(
      `SELECT id, claimed_at AS "claimedAt", sent_at AS "sentAt", (SELECT count(*) FROM ${signup} AS s WHERE s.batch = b.id) AS open
        FROM ${batch} AS b WHERE publication = $1 ORDER BY claimed_at, id`,
      (rows: readonly OpenBatch[]) => rows,
    ),
    batchSent: write(`UPDATE ${batch} SET sent_at = $2 WHERE id = $1`),
    endBatch: (id, { tried, nextAttemptAt, reason }) => endBatch(id, tried, nextAttemptAt, reason),
    async leaseScan(publicationId, now, until) {
      const leased = await leaseScan(publicationId, holder, now, until);
      if (!leased) return null;
      leases.set(publicationId, until - now);
      return leased;
    },
    async releaseScan(publicationId) {
      await releaseScan(holder, [publicationId]);
      leases.delete(publicationId);
    },
    confirm(publicationId, found, at, place) {
      const rows = new Map(found.map(({ email, ...known }) => [personHash(email), statusColumns(known)]));
      const known = json([...rows].map(([content, columns]) => ({ content, ...columns })));
      const lease = leases.get(publicationId) ?? 0;
      return confirm([...rows.keys()], publicationId, at, JSON.stringify(place), holder, lease, known);
    },
  };
  return {
    methods,
    async releaseScans() {
      if (leases.size > 0) await releaseScan(holder, [...leases.keys()]).catch(() => undefined);
      leases.clear();
    },
  };
}
