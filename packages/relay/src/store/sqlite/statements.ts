/** Every statement the SQLite store runs, in one place. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';

const stored = `id, form, state, received_at AS receivedAt, origin, submission, attempts,
  next_attempt_at AS nextAttemptAt, settled_at AS settledAt, last_error AS reason`;

/** The statements that never change, by name. */
export const sql = {
  // Everything of one person lies side by side, so that one index serves repetition by key, by content, and erasure: an
  // index of hashes costs a signup more than all the rest of its row. '~' sorts behind every letter a hash is written
  // with. By place, not by name: what runs for every signup is bound so, and names are looked up each time.
  same: `SELECT id FROM signup WHERE content >= ? AND content < ? || '~'
           AND (intent = ? OR (content = ? AND received_at > ? AND state <> 'dead')) LIMIT 1`,
  insert: `INSERT INTO signup (id, form, state, received_at, origin, submission, intent, content, next_attempt_at)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  takeBack: `DELETE FROM signup WHERE id = ?`,
  // From the index alone: the rows of those that are claimed already, which come first, are not read for every claim.
  due: `SELECT id FROM signup
        WHERE state = 'waiting' AND next_attempt_at <= :now ORDER BY next_attempt_at, received_at LIMIT :limit`,
  claimed: `SELECT id, form, submission, received_at AS receivedAt, attempts FROM signup WHERE id = ?`,
  backlog: `SELECT count(*) AS count FROM (SELECT 1 FROM signup WHERE state = 'waiting' AND next_attempt_at <= :now LIMIT :limit)`,
  upcoming: `SELECT id, next_attempt_at AS nextAttemptAt FROM signup
             WHERE state = 'waiting' ORDER BY next_attempt_at, received_at LIMIT :limit`,
  settle: `UPDATE signup SET state = :state, attempts = attempts + 1, next_attempt_at = :nextAttemptAt,
             settled_at = :settledAt, last_error = :reason WHERE id = :id AND state = 'waiting'`,
  setting: `SELECT value FROM setting WHERE name = :name`,
  set: `INSERT OR REPLACE INTO setting (name, value) VALUES (:name, :value)`,
  erase: `DELETE FROM signup WHERE content >= :person AND content < :person || '~' RETURNING state`,
  eraseDelivered: `UPDATE signup SET submission = NULL, intent = NULL, content = NULL WHERE id IN (
      SELECT id FROM signup WHERE state = 'delivered' AND submission IS NOT NULL AND settled_at < :before ORDER BY settled_at LIMIT :limit)`,
  // Larger than any signup with its indexes: on a nearly full disk the probe must fail first.
  probe: `INSERT OR REPLACE INTO probe (id, at, room) VALUES (1, :now, randomblob(65536))`,
} as const;

// The planner takes the index of what is not delivered only where a statement says so in the words of that index.

/**
 * Those that walk what is waiting, in review or dead: for operators. The delivered, of which there may be millions,
 * they leave out.
 */
export const survey = {
  counts: `SELECT state, count(*) AS count FROM signup WHERE state <> 'delivered' GROUP BY state`,
  due: `SELECT count(*) AS count FROM signup WHERE state = 'waiting' AND next_attempt_at <= :now`,
  oldestWaiting: `SELECT min(received_at) AS since FROM signup INDEXED BY signup_due WHERE state = 'waiting'`,
  deadByReason: `SELECT coalesce(last_error, '') AS reason, count(*) AS count FROM signup WHERE state <> 'delivered' AND state = 'dead'
                 GROUP BY last_error ORDER BY count DESC, reason LIMIT :limit`,
} as const;

/** Once, when the file is opened. */
export const countDelivered = `SELECT count(*) AS count FROM signup WHERE state = 'delivered'`;

/** Those that depend on a filter; `where` has a place for each of its values. */
export const filtered = {
  list: (where: string) => `SELECT ${stored} FROM signup WHERE ${where} ORDER BY id DESC LIMIT ?`,
  redrive: (
    where: string,
  ) => `UPDATE signup SET state = 'waiting', attempts = 0, next_attempt_at = ?, settled_at = NULL, last_error = NULL
    WHERE state <> 'delivered' AND state IN ('dead', 'review') AND ${where}`,
} as const;

/** The prepared statements, by name. */
export type Statements = Readonly<Record<keyof typeof sql, StatementSync>> & {
  readonly survey: Readonly<Record<keyof typeof survey, StatementSync>>;
};

/** Prepares them all, so that a damaged or foreign file is noticed at start. */
export function prepare(db: DatabaseSync): Statements {
  return { ...prepared(db, sql), survey: prepared(db, survey) };
}

function prepared<Name extends string>(
  db: DatabaseSync,
  texts: Readonly<Record<Name, string>>,
): Record<Name, StatementSync> {
  return Object.fromEntries(Object.entries<string>(texts).map(([name, text]) => [name, db.prepare(text)])) as Record<
    Name,
    StatementSync
  >;
}
