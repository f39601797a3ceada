/** Every statement the SQLite store runs, in one place. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** The statements, by name. */
export const sql = {
  sameIntent: `SELECT id FROM signup WHERE intent = :intent LIMIT 1`,
  sameContent: `SELECT id FROM signup WHERE content = :content AND received_at > :since AND state <> 'dead' LIMIT 1`,
  insert: `INSERT INTO signup (id, form, state, received_at, origin, submission, intent, content, next_attempt_at)
           VALUES (:id, :form, :state, :receivedAt, :origin, :submission, :intent, :content, :nextAttemptAt)`,
  due: `SELECT id, form, submission, received_at AS receivedAt, attempts FROM signup
        WHERE state = 'waiting' AND next_attempt_at <= :now ORDER BY next_attempt_at LIMIT :limit`,
  upcoming: `SELECT id, next_attempt_at AS nextAttemptAt FROM signup
             WHERE state = 'waiting' ORDER BY next_attempt_at LIMIT :limit`,
  settle: `UPDATE signup SET state = :state, attempts = attempts + 1, next_attempt_at = :nextAttemptAt,
             settled_at = :settledAt, last_error = :reason WHERE id = :id AND state = 'waiting'`,
  counts: `SELECT state, count(*) AS count FROM signup GROUP BY state`,
  // Larger than any signup with its indexes: on a nearly full disk the probe must fail first.
  probe: `INSERT OR REPLACE INTO probe (id, at, room) VALUES (1, :now, randomblob(65536))`,
} as const;

/** The prepared statements, by name. */
export type Statements = Readonly<Record<keyof typeof sql, StatementSync>>;

/** Prepares them all, so that a damaged or foreign file is noticed at start. */
export function prepare(db: DatabaseSync): Statements {
  const prepared = Object.entries(sql).map(([name, text]) => [name, db.prepare(text)] as const);
  return Object.fromEntries(prepared) as Statements;
}
