/** Counts of the PostgreSQL store for operators: one statement, which sees one state of the store. */
import { isHeld } from '../conditions.ts';
import {
  type CountedRows,
  type CountOfState,
  reasonsShown,
  recentMs,
  recentRead,
  toCounts,
  toOverview,
} from '../overview.ts';
import type { StoreReads } from '../signup-store.ts';
import { actsOf, type ReadDatabase } from '../acts/act.ts';
import { idFrom } from '../signup-identity.ts';
import { consent, setting, signup, tally } from './sql-parts.ts';

const counts = `SELECT state, sum(count)::bigint AS count FROM ${tally} GROUP BY state`;

/** Of the form and state of `o`. What waits is due in the order of an index, but for what was tried. */
const oldest = `least(
  (SELECT due_at FROM ${signup} WHERE form = o.form AND state = o.state AND next_attempt_at = 0 ORDER BY due_at LIMIT 1),
  (SELECT min(due_at) FROM ${signup} WHERE form = o.form AND state = o.state AND next_attempt_at > 0),
  (SELECT min(due_at) FROM ${signup} WHERE o.state = 'sent' AND form = o.form AND state <> 'delivered' AND state = 'sent'))`;

const due = `SELECT coalesce(sum(o.count - (SELECT count(*) FROM ${signup}
    WHERE form = o.form AND state = 'waiting' AND next_attempt_at > $1)), 0)::bigint FROM open AS o WHERE o.state = 'waiting'`;

const forms = `SELECT form, sum(count)::bigint AS open, min(${oldest}) AS "oldestSince" FROM open AS o GROUP BY form ORDER BY form COLLATE "C"`;

const deadByReason = `SELECT coalesce(last_error, '') AS reason, count(*) AS count FROM ${signup} WHERE state <> 'delivered' AND state = 'dead'
  GROUP BY last_error ORDER BY count DESC, reason LIMIT $2`;

const held = `SELECT state, coalesce(last_error, '') AS reason, count(*) AS count FROM ${signup}
  WHERE state <> 'delivered' AND state IN ('review', 'unconfirmed') AND (state = 'review' OR ${isHeld})
  GROUP BY state, last_error ORDER BY count DESC, reason LIMIT $2`;

const unclear = `SELECT form, sentence, count(*) AS count FROM (SELECT form, sentence FROM ${consent}
    WHERE kind = 'unclear' AND signup > $3 ORDER BY signup DESC LIMIT $4) AS u
  GROUP BY form, sentence ORDER BY count DESC, form COLLATE "C", sentence COLLATE "C" LIMIT $2`;

// Of the newest signups, whatever became of them: there may be millions delivered, or waiting.
const statuses = `SELECT status, count(*) AS count FROM (SELECT state, status FROM ${signup} WHERE id > $3 ORDER BY id DESC LIMIT $4) AS s
  WHERE state = 'delivered' GROUP BY status ORDER BY count DESC, status LIMIT $2`;

const list = (text: string): string => `(SELECT coalesce(json_agg(l), '[]') FROM (${text}) AS l)`;

export function overviewReads(db: ReadDatabase): Pick<StoreReads, 'counts' | 'overview'> {
  const { one, all } = actsOf(db);
  const rows = all<[], CountOfState>(counts);
  const overview = one<[now: number, reasons: number, since: string, read: number], CountedRows>(
    `WITH open AS MATERIALIZED (SELECT form, state, sum(count)::bigint AS count FROM ${tally}
        WHERE state IN ('waiting', 'sent') GROUP BY form, state HAVING sum(count) > 0)
      SELECT ${list(counts)} AS counts, (${due}) AS due, ${list(forms)} AS forms, ${list(deadByReason)} AS "deadByReason",
        ${list(held)} AS held, ${list(unclear)} AS "unclearConsents", ${list(statuses)} AS statuses,
        (SELECT value::bigint FROM ${setting} WHERE name = 'last erasure') AS "lastErasureAt"`,
  );
  return {
    counts: db.readLong(function* () {
      return toCounts(yield* rows());
    }),
    overview: db.readLong(function* (now) {
      const row = yield* overview(now, reasonsShown, idFrom(now - recentMs), recentRead);
      if (!row) throw new Error('The server has answered a statement without a table by no row.');
      return toOverview(row);
    }),
  };
}
