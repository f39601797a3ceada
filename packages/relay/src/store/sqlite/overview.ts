/** Counts of the SQLite store for operators: they walk what is not delivered, never the millions that may be. */
import {
  type CountOfState,
  type FormBacklog,
  type HeldSignups,
  type Overview,
  reasonsShown,
  recentMs,
  recentRead,
  toCounts,
  toOverview,
  type UnclearConsent,
} from '../overview.ts';
import { idFrom } from '../signup-identity.ts';
import type { StoreReads } from '../signup-store.ts';
import { type Act, actsOf, type ReadDatabase } from '../acts/act.ts';
import { isIdle } from '../conditions.ts';
import { redrivable } from './sql-parts.ts';

/** The number of delivered signups where none is stored, counted once: there may be millions. Null before. */
export interface DeliveredCount {
  known: number | null;
}

/** Counts from the rows, but for the delivered: of a Durable Object. */
export function scansOf(db: ReadDatabase, delivered: DeliveredCount) {
  const { one, all } = actsOf(db);
  /** Counted in the order of each index: sorting what waits would take ten times as long. */
  const byForm = `(SELECT form, state, count(*) AS count, min(due_at) AS oldest FROM signup
      WHERE next_attempt_at IS NOT NULL AND state <> 'delivered' GROUP BY form, state
    UNION ALL SELECT form, state, count(*), min(due_at) FROM signup WHERE ${isIdle} GROUP BY state, form)`;
  const undelivered = all<[], CountOfState>(`SELECT state, sum(count) AS count FROM ${byForm} GROUP BY state`);
  const countDelivered = one<[], CountOfState>(`SELECT count(*) AS count FROM signup WHERE state = 'delivered'`);
  return {
    *counts(): Act<readonly CountOfState[]> {
      delivered.known ??= (yield* countDelivered())?.count ?? 0;
      return [...(yield* undelivered()), { state: 'delivered', count: delivered.known }];
    },
    due: one<[now: number], { readonly count: number }>(
      `SELECT count(*) AS count FROM signup WHERE state = 'waiting' AND next_attempt_at <= $1`,
    ),
    forms: all<[], FormBacklog>(`SELECT form, sum(count) AS open, min(oldest) AS oldestSince FROM ${byForm}
       WHERE state IN ('waiting', 'sent') GROUP BY form ORDER BY form`),
    held: heldByReason(db, redrivable()),
  };
}

/** The same from the counts by form and state that triggers keep in a file. */
export function storedCounts(db: ReadDatabase): ReturnType<typeof scansOf> {
  const { one, all } = actsOf(db);
  /** When signups of a form and state may be delivered: the untried by the order of an index, of the others each. */
  const ofTally = `signup AS s WHERE s.form = t.form AND s.state = t.state AND`;
  const dueAt = `SELECT due_at FROM (SELECT due_at FROM ${ofTally} next_attempt_at = 0 ORDER BY due_at LIMIT 1)
    UNION ALL SELECT due_at FROM ${ofTally} ${db.inTime} AND next_attempt_at > 0
    UNION ALL SELECT due_at FROM ${ofTally} ${db.inTime} AND ${isIdle}`;
  return {
    counts: all<[], CountOfState>('SELECT state, sum(count) AS count FROM tally GROUP BY state'),
    due: one<[now: number], { readonly count: number }>(
      `SELECT coalesce(sum(t.count - (SELECT count(*) FROM ${ofTally} ${db.inTime} AND s.next_attempt_at > $1)), 0) AS count
       FROM tally AS t WHERE t.state = 'waiting'`,
    ),
    forms: all<[], FormBacklog>(
      `SELECT t.form, sum(t.count) AS open, min((SELECT min(due_at) FROM (${dueAt}))) AS oldestSince FROM tally AS t
       WHERE t.state IN ('waiting', 'sent') AND t.count > 0 GROUP BY t.form ORDER BY t.form`,
    ),
    held: heldByReason(
      db,
      redrivable(`AND ${db.inTime} AND form IN (SELECT form FROM tally WHERE state = 'unconfirmed' AND count > 0)`),
    ),
  };
}

const heldByReason = (db: ReadDatabase, signups: string) =>
  actsOf(db).all<[limit: number], HeldSignups>(
    `SELECT state, coalesce(last_error, '') AS reason, count(*) AS count FROM ${signups} WHERE state <> 'dead'
       AND ${db.inTime} GROUP BY state, last_error ORDER BY count DESC, reason LIMIT $1`,
  );

export function overviewReads(
  db: ReadDatabase,
  { counts, due, forms, held }: ReturnType<typeof scansOf>,
): Pick<StoreReads, 'counts' | 'overview'> {
  const { one, all } = actsOf(db);
  const setting = one<[name: string], { readonly value: string }>('SELECT value FROM setting WHERE name = $1');
  const deadByReason = all<[limit: number], Overview['deadByReason'][number]>(
    `SELECT coalesce(last_error, '') AS reason, count(*) AS count FROM signup WHERE ${db.inTime} AND ${isIdle} AND state = 'dead'
       GROUP BY last_error ORDER BY count DESC, reason LIMIT $1`,
  );
  const unclear = all<[after: string, read: number, limit: number], UnclearConsent>(
    `SELECT form, sentence, count(*) AS count FROM (SELECT form, sentence FROM consent
       WHERE kind = 'unclear' AND signup > $1 ORDER BY signup DESC LIMIT $2)
     GROUP BY form, sentence ORDER BY count DESC, form, sentence LIMIT $3`,
  );
  // Of the newest signups, whatever became of them: there may be millions delivered, or waiting.
  const statuses = all<[after: string, read: number, limit: number], Overview['statuses'][number]>(
    `SELECT status, count(*) AS count FROM (SELECT state, status FROM signup WHERE id > $1 ORDER BY id DESC LIMIT $2)
     WHERE state = 'delivered' GROUP BY status ORDER BY count DESC, status LIMIT $3`,
  );
  return {
    counts: db.readLong(function* () {
      return toCounts(yield* counts());
    }),
    overview: db.readLong(function* (now) {
      const recent = [idFrom(now - recentMs), recentRead, reasonsShown] as const;
      const lastErasure = yield* setting('last erasure');
      return toOverview({
        counts: yield* counts(),
        due: (yield* due(now))?.count ?? 0,
        forms: yield* forms(),
        deadByReason: yield* deadByReason(reasonsShown),
        held: yield* held(reasonsShown),
        unclearConsents: yield* unclear(...recent),
        statuses: yield* statuses(...recent),
        lastErasureAt: lastErasure ? Number(lastErasure.value) : null,
      });
    }),
  };
}
