/** The scans of publications in the PostgreSQL store: one relay at a time leases each. */
import { randomUUID } from 'node:crypto';
import { actsOf, type Database } from '../acts/act.ts';
import { batchStore } from '../acts/batches.ts';
import { toScan } from '../rows.ts';
import type { BatchStore } from '../signup-store.ts';
import { scan } from './sql-parts.ts';

export function leasedBatches(db: Database): {
  readonly methods: BatchStore;
  /** Ends the leases of this process. If that fails, they expire. */
  releaseScans(this: void): Promise<void>;
} {
  const { one, run } = actsOf(db);
  const { methods, confirm } = batchStore(db);
  /** Id of this process as the holder of a scan. */
  const holder = randomUUID();
  /** Leases of scans by publication, in milliseconds; every stored page renews the lease. */
  const leases = new Map<string, number>();
  const isFree = 'w.holder = excluded.holder OR w.held_until <=';
  const lease = one<[publicationId: string, holder: string, now: number, until: number], { place: string | null }>(
    `INSERT INTO ${scan} AS w (publication, holder, held_until) VALUES ($1, $2, $4)
     ON CONFLICT (publication) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until
       WHERE ${isFree} $3 RETURNING place`,
  );
  const release = run<[holder: string, publications: readonly string[]]>(
    `UPDATE ${scan} SET held_until = 0 WHERE holder = $1 AND ${db.dialect.among('publication', '$2')}`,
  );
  const step = run<[publicationId: string, place: string, holder: string, now: number, until: number]>(
    `INSERT INTO ${scan} AS w (publication, place, holder, held_until) VALUES ($1, $2, $3, $5)
     ON CONFLICT (publication) DO UPDATE
       SET place = excluded.place, holder = excluded.holder, held_until = excluded.held_until WHERE ${isFree} $4`,
  );
  const leaseScan = db.writeOne(lease);
  const releaseScans = db.writeOne(release);
  return {
    methods: {
      ...methods,
      async leaseScan(publicationId, now, until) {
        const leased = await leaseScan(publicationId, holder, now, until);
        if (!leased) return null;
        leases.set(publicationId, until - now);
        return { scan: toScan(leased.place) };
      },
      async releaseScan(publicationId) {
        await releaseScans(holder, [publicationId]);
        leases.delete(publicationId);
      },
      // Found signups become delivered even if another relay holds the lease now; only the holder stores the position.
      confirm: db.write(function* (publicationId, found, at, place) {
        const confirmed = yield* confirm(publicationId, found, at);
        yield* step(publicationId, JSON.stringify(place), holder, at, at + (leases.get(publicationId) ?? 0));
        return confirmed;
      }),
    },
    async releaseScans() {
      if (leases.size > 0) await releaseScans(holder, [...leases.keys()]).catch(() => undefined);
      leases.clear();
    },
  };
}
