/** Every statement of our own that the PostgreSQL store runs, in one place; pg-boss has its own. */
import { queueSchema, schema } from './schema.ts';

const signup = `${schema}.signup`;

/** The queue of what waits for delivery. A job has the identifier of its signup, and nothing else. */
export const queue = 'delivery';

/** Name of a relay's connections. */
export const applicationName = 'newsletter-relay';

/** Nobody else's lock, we hope ("NKRL"). */
const tablesLock = 0x4e_4b_52_4c;

const stored = `id, form, state, received_at AS "receivedAt", origin, submission, attempts,
  next_attempt_at AS "nextAttemptAt", settled_at AS "settledAt", last_error AS reason`;

/** The statements, by name. */
export const sql = {
  server: `SELECT current_setting('server_version_num')::int AS version, current_setting('fsync') AS fsync,
             current_setting('synchronous_commit') AS "synchronousCommit", current_setting('server_encoding') AS encoding`,
  /** One process at a time prepares the tables. */
  lockTables: `SELECT pg_advisory_xact_lock(${tablesLock})`,
  prepareTables: `CREATE SCHEMA IF NOT EXISTS ${schema};
    CREATE TABLE IF NOT EXISTS ${schema}.setting (name text PRIMARY KEY, value text NOT NULL);
    CREATE TABLE IF NOT EXISTS ${schema}.probe (id integer PRIMARY KEY CHECK (id = 1), at bigint NOT NULL, room text NOT NULL)`,

  // Sorted, so that two groups that share people never wait for each other.
  lockPeople: `SELECT pg_advisory_xact_lock(key) FROM (SELECT DISTINCT unnest($1::bigint[]) AS key ORDER BY 1) AS people`,
  same: `SELECT id, intent, content, received_at AS "receivedAt", state FROM ${signup} WHERE intent = ANY($1)
         UNION SELECT id, intent, content, received_at AS "receivedAt", state FROM ${signup}
           WHERE content = ANY($2) AND received_at > $3 AND state <> 'dead'`,
  insert: `INSERT INTO ${signup} (id, form, state, received_at, origin, submission, intent, content, next_attempt_at)
           SELECT id, form, state, received_at, origin, submission, intent, content, next_attempt_at
           FROM json_populate_recordset(null::${signup}, $1::text::json)`,
  // Changes nothing, and makes the commit one that is synced.
  nothingNew: `SELECT pg_logical_emit_message(true, '${applicationName}', 'repeated')`,

  claimed: `SELECT id, form, submission, received_at AS "receivedAt", attempts FROM ${signup}
            WHERE id = ANY($1::uuid[]) AND state = 'waiting' ORDER BY received_at, id`,
  settle: `UPDATE ${signup} AS s SET state = o.state, attempts = s.attempts + 1, next_attempt_at = o.next_attempt_at,
             settled_at = o.settled_at, last_error = o.last_error
           FROM (SELECT * FROM json_populate_recordset(null::${signup}, $1::text::json) ORDER BY id) AS o
           WHERE s.id = o.id AND s.state = 'waiting' RETURNING s.id`,
  /**
   * How long until the first job falls due, in milliseconds by the clock of the server; less than zero where it is
   * late.
   */
  nextDue: `SELECT (extract(epoch FROM min(start_after) - ${queueSchema}.job_now()) * 1000)::float8 AS "inMs"
            FROM ${queueSchema}.job WHERE name = '${queue}' AND state < 'active'`,
  backlog: `SELECT count(*)::int AS count FROM (
      SELECT 1 FROM ${queueSchema}.job WHERE name = '${queue}' AND state < 'active' AND start_after <= ${queueSchema}.job_now() LIMIT $1) AS due`,
  /**
   * Waiting without a job that will ever run: somebody cleared or cancelled jobs by hand, or restored one schema
   * without the other.
   */
  withoutJob: `SELECT s.id, s.next_attempt_at AS "nextAttemptAt" FROM ${signup} AS s
               WHERE s.state = 'waiting' AND NOT EXISTS (
                 SELECT 1 FROM ${queueSchema}.job AS j WHERE j.name = '${queue}' AND j.id = s.id AND j.state < 'completed')
               ORDER BY s.id LIMIT $1 FOR UPDATE OF s SKIP LOCKED`,

  counts: `SELECT state, count(*)::float8 AS count FROM ${signup} GROUP BY state`,
  waiting: `SELECT count(*) FILTER (WHERE next_attempt_at <= $1)::float8 AS due, min(received_at) AS since FROM ${signup} WHERE state = 'waiting'`,
  deadByReason: `SELECT coalesce(last_error, '') AS reason, count(*)::float8 AS count FROM ${signup} WHERE state = 'dead'
                 GROUP BY last_error ORDER BY count DESC, reason LIMIT $1`,
  // The person's hash begins each fingerprint; '~' sorts behind every letter a hash is written with.
  erase: `DELETE FROM ${signup} WHERE content >= $1 AND content < $1 || '~' RETURNING id`,
  eraseDelivered: `UPDATE ${signup} SET submission = NULL, intent = NULL, content = NULL WHERE id IN (
      SELECT id FROM ${signup} WHERE state = 'delivered' AND submission IS NOT NULL AND settled_at < $1 ORDER BY settled_at LIMIT $2
      FOR UPDATE SKIP LOCKED) RETURNING id`,
  setting: `SELECT value FROM ${schema}.setting WHERE name = $1`,
  set: `INSERT INTO ${schema}.setting (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
  // Larger than any signup with its indexes, and incompressible: on a nearly full disk the probe must fail first.
  probe: `INSERT INTO ${schema}.probe (id, at, room) SELECT 1, $1, string_agg(md5(random()::text), '') FROM generate_series(1, 2048)
          ON CONFLICT (id) DO UPDATE SET at = excluded.at, room = excluded.room`,
} as const;

const columns = [
  'form',
  'state',
  'received_at',
  'origin',
  'submission',
  'intent',
  'content',
  'attempts',
  'next_attempt_at',
  'settled_at',
  'last_error',
];

/** What a move into this store needs: its settings, and statements. */
export const moving = {
  application: `${applicationName}-move`,
  /** Names the move that is under way. */
  from: 'moving_from',
  /** Names the move that filled this store. */
  done: 'moved_from',
  relays: `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND application_name = '${applicationName}'`,
  total: `SELECT count(*)::float8 AS count FROM ${signup}`,
  any: `SELECT 1 FROM ${signup} LIMIT 1`,
  upsert: `INSERT INTO ${signup} (id, ${columns.join(', ')}) SELECT id, ${columns.join(', ')}
           FROM json_populate_recordset(null::${signup}, $1::text::json)
           ON CONFLICT (id) DO UPDATE SET ${columns.map((name) => `${name} = excluded.${name}`).join(', ')}`,
  remove: `DELETE FROM ${signup} WHERE id = ANY($1::uuid[])`,
  end: `DELETE FROM ${schema}.setting WHERE name = 'moving_from'`,
} as const;

/** Those that depend on a filter; `where` has a `?` for each of its values. */
export const filtered = {
  list: (where: string) => numbered(`SELECT ${stored} FROM ${signup} WHERE ${where} ORDER BY id DESC LIMIT ?`),
  redrive: (where: string) =>
    numbered(`UPDATE ${signup} SET state = 'waiting', attempts = 0, next_attempt_at = ?, settled_at = NULL, last_error = NULL
      WHERE state <> 'delivered' AND state IN ('dead', 'review') AND ${where} RETURNING id`),
} as const;

function numbered(text: string): string {
  let count = 0;
  return text.replaceAll('?', () => `$${(count += 1)}`);
}
