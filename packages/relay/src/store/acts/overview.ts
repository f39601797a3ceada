/** Counts for operators: they walk what is not delivered, never the millions that may be. */
import { isIdle } from '../conditions.ts';
import {
  type CountOfState,
  earliest,
  type FormBacklog,
  type HeldSignups,
  type Overview,
  reasonsShown,
  recentMs,
  recentRead,
  toCounts,
  type UnclearConsent,
} from '../overview.ts';
import { idFrom } from '../signup-identity.ts';
import type { StoreReads } from '../signup-store.ts';
import { type Act, actsOf, type ReadDatabase } from './act.ts';

/** What is counted by state and form. */
export interface Counts {
  counts(this: void): Act<readonly CountOfState[]>;
  due(this: void, now: number): Act<{ readonly count: number } | undefined>;
  forms(this: void): Act<readonly FormBacklog[]>;
  held(this: void, limit: number): Act<readonly HeldSignups[]>;
}

/**
 * By the counts by form and state that triggers keep.
 *
 * @param tally - their table
 * @param held - signups in review, and those whose mail is held, as a table with the columns `state` and `last_error`
 */
export function storedCounts(db: ReadDatabase, tally: string, held: string): Counts {
  const { one, all } = actsOf(db);
  const counted = `(SELECT form, state, CAST(sum(count) AS bigint) AS count FROM ${tally} GROUP BY form, state) AS t`;
  const ofTally = `${db.dialect.table('signup')} AS s WHERE s.form = t.form AND s.state = t.state AND`;
  /** When signups of a form and state may be delivered: the untried by the order of an index, of the others each. */
  const dueAt = `SELECT due_at FROM (SELECT due_at FROM ${ofTally} next_attempt_at = 0 ORDER BY due_at LIMIT 1) AS first
    UNION ALL SELECT due_at FROM ${ofTally} ${db.inTime} AND next_attempt_at > 0
    UNION ALL SELECT due_at FROM ${ofTally} ${db.inTime} AND ${isIdle}`;
  return {
    counts: all(`SELECT state, CAST(sum(count) AS bigint) AS count FROM ${tally} GROUP BY state`),
    due: one(
      `SELECT CAST(coalesce(sum(t.count - (SELECT count(*) FROM ${ofTally} ${db.inTime} AND s.next_attempt_at > $1)), 0)
         AS bigint) AS count FROM ${counted} WHERE t.state = 'waiting'`,
    ),
    forms: all(
      `SELECT t.form, CAST(sum(t.count) AS bigint) AS open, min((SELECT min(due_at) FROM (${dueAt}) AS d)) AS "oldestSince"
       FROM ${counted} WHERE t.state IN ('waiting', 'sent') AND t.count > 0 GROUP BY t.form`,
    ),
    held: heldByReason(db, held),
  };
}

/** @param signups - a table with the columns `state` and `last_error` */
export const heldByReason = (db: ReadDatabase, signups: string): Counts['held'] =>
  actsOf(db).all(
    `SELECT state, coalesce(last_error, '') AS reason, count(*) AS count FROM ${signups} WHERE state <> 'dead'
       AND ${db.inTime} GROUP BY state, last_error ORDER BY count DESC, reason LIMIT $1`,
  );

export function overviewReads(
  db: ReadDatabase,
  { counts, due, forms, held }: Counts,
): Pick<StoreReads, 'counts' | 'overview'> {
  const { one, all } = actsOf(db);
  const { table } = db.dialect;
  const lastErasure = one<[], { readonly value: string }>(
    `SELECT value FROM ${table('setting')} WHERE name = 'last erasure'`,
  );
  const deadByReason = all<[limit: number], Overview['deadByReason'][number]>(
    `SELECT coalesce(last_error, '') AS reason, count(*) AS count FROM ${table('signup')}
     WHERE ${db.inTime} AND ${isIdle} AND state = 'dead' GROUP BY last_error ORDER BY count DESC, reason LIMIT $1`,
  );
  const unclear = all<[after: string, read: number, limit: number], UnclearConsent>(
    `SELECT form, sentence, count(*) AS count FROM (SELECT form, sentence FROM ${table('consent')}
       WHERE kind = 'unclear' AND signup > ${db.dialect.id('$1')} ORDER BY signup DESC LIMIT $2) AS few
     GROUP BY form, sentence ORDER BY count DESC, form, sentence LIMIT $3`,
  );
  // Of the newest signups, whatever became of them: there may be millions delivered, or waiting.
  const statuses = all<[after: string, read: number, limit: number], Overview['statuses'][number]>(
    `SELECT status, count(*) AS count FROM (SELECT state, status FROM ${table('signup')}
       WHERE id > ${db.dialect.id('$1')} ORDER BY id DESC LIMIT $2) AS few
     WHERE state = 'delivered' GROUP BY status ORDER BY count DESC, status LIMIT $3`,
  );
  return {
    counts: db.readOne(function* () {
      return toCounts(yield* counts());
    }),
    overview: db.readLong(function* (now) {
      const recent = [idFrom(now - recentMs), recentRead, reasonsShown] as const;
      const erased = yield* lastErasure();
      const backlogs = yield* forms();
      return {
        counts: toCounts(yield* counts()),
        due: (yield* due(now))?.count ?? 0,
        oldestWaitingSince: earliest(backlogs.map(({ oldestSince }) => oldestSince)),
        forms: backlogs.toSorted((a, b) => (a.form < b.form ? -1 : 1)),
        deadByReason: yield* deadByReason(reasonsShown),
        held: yield* held(reasonsShown),
        unclearConsents: yield* unclear(...recent),
        statuses: yield* statuses(...recent),
        lastErasureAt: erased ? Number(erased.value) : null,
      };
    }),
  };
}
