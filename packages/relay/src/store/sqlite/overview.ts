/** Counts of the SQLite store in a Durable Object, where none are stored: each row that is written costs money. */
import { type Act, actsOf, type ReadDatabase } from '../acts/act.ts';
import { type Counts, heldByReason } from '../acts/overview.ts';
import { isIdle } from '../conditions.ts';
import type { CountOfState } from '../overview.ts';
import { redrivable } from './sql-parts.ts';

/** The number of delivered signups, counted once: there may be millions. Null before. */
export interface DeliveredCount {
  known: number | null;
}

export function scansOf(db: ReadDatabase, delivered: DeliveredCount): Counts {
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
    due: one(`SELECT count(*) AS count FROM signup WHERE state = 'waiting' AND next_attempt_at <= $1`),
    forms: all(`SELECT form, sum(count) AS open, min(oldest) AS "oldestSince" FROM ${byForm}
       WHERE state IN ('waiting', 'sent') GROUP BY form`),
    held: heldByReason(db, redrivable()),
  };
}
