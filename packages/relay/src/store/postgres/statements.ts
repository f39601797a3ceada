/** Every SQL statement of the PostgreSQL store. */
import { type Dialect, hasLeft, isHeld, isUnsent, oneOf } from '../conditions.ts';
import { digestLength } from '../signup-identity.ts';
import { signupColumns } from '../rows.ts';
import { heldMs, leftByMail } from '../signup-store.ts';

/** Schema of the tables. */
export const schema = 'newsletter_relay';

/** Sorts before every id. */
export const firstId = '00000000-0000-0000-0000-000000000000';

const signup = `${schema}.signup`;
const consent = `${schema}.consent`;
const batch = `${schema}.batch`;
const scan = `${schema}.walk`;
const setting = `${schema}.setting`;
const destination = `${schema}.webhook_destination`;
const message = `${schema}.webhook_message`;
const suppression = `${schema}.suppression`;
const counter = `${schema}.counter`;
const confirmationMailbox = `${schema}.confirmation_mailbox`;

/** Keys of advisory locks ("NKRL" and the next): one process at a time prepares the tables, or claims. */
const tablesLock = 0x4e_4b_52_4c;
const claimsLock = tablesLock + 1;

const stored = `id, form, state, received_at AS "receivedAt", due_at AS "dueAt", origin, submission, attempts, tried,
  needs_confirmation AS "needsConfirmation", next_attempt_at AS "nextAttemptAt", settled_at AS "settledAt",
  last_error AS reason, status, intent`;

const candidate = `s.id, s.form, s.state, s.submission, s.origin, s.received_at AS "receivedAt", s.due_at AS "dueAt", s.intent, s.content, s.attempts, s.tried,
  s.needs_confirmation AS "needsConfirmation", s.next_attempt_at AS "nextAttemptAt", s.last_error AS reason,
  s.status`;

const entry = 'signup, kind, at, form, person, sentence, version, page, visitor';

const mailbox = 'mailbox, publication, mails, last_mail_at AS "lastMailAt", suppressed_at AS "suppressedAt", signups';

const columns = signupColumns.join(', ');

/** The conditions of filters in this database. */
export const dialect: Dialect = {
  find: 'strpos',
  ids: (ids) => oneOf('id', ids),
  // The planner uses the index of what is not delivered only if a statement repeats its condition.
  undelivered(states) {
    const { sql: condition, values } = oneOf('state', states);
    return { sql: `state <> 'delivered' AND ${condition}`, values };
  },
};

/** Rows given as JSON. */
const rowsOf = (table: string, parameter: string): string =>
  `json_populate_recordset(null::${table}, ${parameter}::text::json)`;

/**
 * The signups of the people whose hashes are the first parameter. One range of an index contains all signups of a
 * person; '~' sorts after every character of a hash. OFFSET 0 keeps the planner from reversing the join.
 */
const ofPeople = `unnest($1::text[]) AS p(person) CROSS JOIN LATERAL (
    SELECT * FROM ${signup} WHERE content >= p.person AND content < p.person || '~' OFFSET 0) AS s`;

/** The earliest signups of forms and states, by an index scan that never reads signups that are not due. */
const earliestOf = (forms: string, states: string, condition: string): string => `
  SELECT c.* FROM unnest(${forms}::text[]) AS f(form) CROSS JOIN unnest(${states}::text[]) AS t(state) CROSS JOIN LATERAL (
    SELECT id, state, next_attempt_at, due_at FROM ${signup}
    WHERE form = f.form AND state = t.state AND ${condition} ORDER BY next_attempt_at, due_at LIMIT $4) AS c`;

/**
 * The state as an expression that no index matches, where rows are found by id: with old statistics the planner may
 * assume that states are rarer than ids.
 */
const unindexedState = (table: string): string => `(${table}.state || '')`;

/** Entries of the ledger, each with the status that came of its signup. */
const entries = `SELECT ${entry.replaceAll(/\w+/g, 'c.$&')}, s.status FROM ${consent} AS c
  LEFT JOIN ${signup} AS s ON s.id = c.signup AND ${unindexedState('s')} = 'delivered'`;

/**
 * Updates the stored count of delivered signups by the rows of the CTE "changed", in the same transaction: there may be
 * millions, which are never counted again.
 */
const countDelivered = (sign: '+' | '-'): string => `tally AS (
  UPDATE ${setting} SET value = (value::bigint ${sign} (SELECT count(*) FROM changed WHERE state = 'delivered'))::text
  WHERE name = 'delivered' AND EXISTS (SELECT FROM changed WHERE state = 'delivered'))`;

/** The statements, by name. */
export const sql = {
  server: `SELECT current_setting('server_version_num')::int AS version, current_setting('fsync') AS fsync,
             current_setting('synchronous_commit') AS "synchronousCommit", current_setting('server_encoding') AS encoding`,
  // Of other roles a server tells nothing, unless the role has pg_read_all_stats.
  oldestReader: `SELECT coalesce(max(extract(epoch FROM clock_timestamp() - xact_start)) * 1000, 0) AS age FROM pg_stat_activity
                 WHERE backend_xmin IS NOT NULL AND pid <> pg_backend_pid()`,
  serverTime: `SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now`,
  lockTables: `SELECT pg_advisory_xact_lock(${tablesLock})`,
  prepareTables: `CREATE SCHEMA IF NOT EXISTS ${schema};
    CREATE TABLE IF NOT EXISTS ${setting} (name text PRIMARY KEY, value text NOT NULL);
    CREATE TABLE IF NOT EXISTS ${schema}.probe (id integer PRIMARY KEY CHECK (id = 1), at bigint NOT NULL, room text NOT NULL)`,
  hasTables: `SELECT to_regclass('${setting}') IS NOT NULL AS "hasTables"`,

  insert: `WITH kept AS (INSERT INTO ${signup} (${columns}) SELECT ${columns} FROM ${rowsOf(signup, '$1')})
           INSERT INTO ${consent} (${entry}) SELECT ${entry} FROM ${rowsOf(consent, '$2')}`,
  load: `WITH changed AS (INSERT INTO ${signup} (${columns}) SELECT ${columns} FROM ${rowsOf(signup, '$1')}
             ON CONFLICT (id) DO NOTHING RETURNING state),
           ledger AS (INSERT INTO ${consent} (${entry}) SELECT ${entry} FROM ${rowsOf(consent, '$2')} ON CONFLICT (signup, kind) DO NOTHING),
           suppressed AS (INSERT INTO ${suppression} (hash) SELECT unnest($3::text[]) ON CONFLICT (hash) DO NOTHING),
           ${countDelivered('+')} SELECT count(*) AS count FROM changed`,

  /** All relays claim one after the other, so that each sees what the others have claimed. */
  lockClaims: `SELECT pg_advisory_xact_lock(${claimsLock})`,
  // 0: never attempted. Rows changed between selection and lock are skipped.
  candidates: `WITH chosen AS (
      SELECT 0 AS turn, * FROM (${earliestOf('$1', 'ARRAY[$2]', 'next_attempt_at = 0 AND due_at > $3')}) AS fresh
      UNION ALL
      SELECT 1, * FROM (${earliestOf('$1', '$5', 'next_attempt_at <= $6 AND NOT (next_attempt_at = 0 AND due_at > $3)')}) AS due
      ORDER BY 1, next_attempt_at, due_at, id LIMIT $4)
    SELECT ${candidate} FROM chosen AS c JOIN ${signup} AS s ON s.id = c.id AND (s.state, s.next_attempt_at) IS NOT DISTINCT FROM (c.state, c.next_attempt_at)
    ORDER BY c.turn, c.next_attempt_at, c.due_at, c.id FOR UPDATE OF s SKIP LOCKED`,
  signupsOfPeople: `SELECT s.id, s.state, s.intent, s.content, s.due_at AS "dueAt" FROM ${ofPeople}`,
  markSent: `UPDATE ${signup} SET state = 'sent', attempts = attempts + 1, tried = tried OR state = 'sent', batch = $2, next_attempt_at = $3
             WHERE id = ANY($1::uuid[])`,
  postpone: `UPDATE ${signup} SET next_attempt_at = $2 WHERE id = ANY($1::uuid[])`,
  beginMails: `UPDATE ${signup} SET next_attempt_at = $2, last_error = NULL WHERE id = ANY($1::uuid[])`,
  remove: `DELETE FROM ${signup} WHERE id = ANY($1::uuid[])`,
  mailboxesOf: `SELECT ${mailbox} FROM ${confirmationMailbox} WHERE mailbox = ANY($1::text[]) ORDER BY publication`,
  mailSent: `SELECT id FROM ${signup} AS s WHERE id = ANY($1::uuid[]) AND ${unindexedState('s')} = 'unconfirmed' AND next_attempt_at IS NULL`,
  setMailboxes: `WITH kept AS (UPDATE ${signup} AS s SET next_attempt_at = r.next_attempt_at, last_error = r.last_error
      FROM ${rowsOf(signup, '$2')} AS r WHERE s.id = r.id AND ${unindexedState('s')} = 'unconfirmed')
    INSERT INTO ${confirmationMailbox} (mailbox, publication, mails, last_mail_at, signups)
      SELECT mailbox, publication, mails, last_mail_at, signups FROM ${rowsOf(confirmationMailbox, '$1')}
    ON CONFLICT (mailbox, publication) DO UPDATE SET mails = excluded.mails, last_mail_at = excluded.last_mail_at, signups = excluded.signups`,
  stopMails: `WITH removed AS (DELETE FROM ${signup} WHERE id = $1 AND state = 'unconfirmed')
    INSERT INTO ${confirmationMailbox} (mailbox, publication, mails, last_mail_at, suppressed_at) VALUES ($2, $3, 1, $4, $4)
    ON CONFLICT (mailbox, publication) DO UPDATE SET suppressed_at = excluded.suppressed_at`,
  expireMailboxes: `DELETE FROM ${confirmationMailbox} WHERE (mailbox, publication) IN (SELECT mailbox, publication FROM ${confirmationMailbox}
      WHERE last_mail_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED) RETURNING mailbox AS id`,
  beginBatch: `INSERT INTO ${batch} (id, publication, claimed_at) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING`,

  settle: `WITH changed AS (
      UPDATE ${signup} AS s SET state = o.state, tried = o.tried OR (s.tried AND s.state <> 'unconfirmed'), batch = NULL,
        next_attempt_at = CASE WHEN s.${hasLeft} AND o.state = 'delivered' THEN o.settled_at ELSE o.next_attempt_at END,
        settled_at = o.settled_at, last_error = CASE WHEN s.${hasLeft} THEN s.last_error ELSE o.last_error END, status = o.status
      FROM (SELECT * FROM ${rowsOf(signup, '$1')} ORDER BY id) AS o
      WHERE s.id = o.id AND (${unindexedState('s')} = 'unconfirmed' OR (${unindexedState('s')} = 'sent' AND o.state <> 'unconfirmed')) RETURNING s.state),
    ${countDelivered('+')} SELECT`,
  release: `UPDATE ${signup} AS s SET state = 'waiting', attempts = attempts - 1, batch = NULL,
              next_attempt_at = CASE WHEN attempts = 1 AND NOT tried THEN 0 ELSE due_at END
            WHERE id = ANY($1::uuid[]) AND ${unindexedState('s')} = 'sent'`,
  backlog: `SELECT count(*) AS count FROM (SELECT FROM unnest($1::text[]) AS f(form) CROSS JOIN LATERAL (
      SELECT FROM ${signup} WHERE form = f.form AND state = 'waiting' AND next_attempt_at = 0 LIMIT $2) AS s LIMIT $2) AS counted`,
  nextDue: `SELECT min(s.next_attempt_at) AS "nextAttemptAt" FROM unnest($1::text[]) AS f(form) CROSS JOIN unnest($2::text[]) AS t(state)
            CROSS JOIN LATERAL (SELECT next_attempt_at FROM ${signup} WHERE form = f.form AND state = t.state AND next_attempt_at IS NOT NULL
              ORDER BY next_attempt_at LIMIT 1) AS s`,
  // A mail may be held for a day.
  pullForward: `UPDATE ${signup} SET next_attempt_at = $1 WHERE next_attempt_at IS NOT NULL
                AND next_attempt_at > $2::bigint + CASE state WHEN 'unconfirmed' THEN ${heldMs} ELSE 0 END
                 AND NOT (state = 'unconfirmed' AND tried) RETURNING id`,

  openBatches: `SELECT id, claimed_at AS "claimedAt", sent_at AS "sentAt",
                  (SELECT count(*) FROM ${signup} AS s WHERE s.batch = b.id) AS open
                FROM ${batch} AS b WHERE publication = $1 ORDER BY claimed_at, id`,
  batchSent: `UPDATE ${batch} SET sent_at = $2 WHERE id = $1`,
  endBatch: `WITH ended AS (DELETE FROM ${batch} WHERE id = $1)
             UPDATE ${signup} SET state = 'waiting', tried = tried OR $2, batch = NULL, next_attempt_at = $3,
               last_error = CASE WHEN ${hasLeft} THEN last_error ELSE $4 END WHERE batch = $1`,
  leaseScan: `INSERT INTO ${scan} AS w (publication, holder, held_until) VALUES ($1, $2, $4)
             ON CONFLICT (publication) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until
               WHERE w.holder = excluded.holder OR w.held_until <= $3 RETURNING place`,
  releaseScan: `UPDATE ${scan} SET held_until = 0 WHERE publication = $1 AND holder = $2`,
  releaseScans: `UPDATE ${scan} SET held_until = 0 WHERE holder = $1`,
  // Found signups become delivered even if another relay holds the lease now; only the holder stores the position.
  confirm: `WITH changed AS (
      UPDATE ${signup} AS t SET state = 'delivered', batch = NULL, settled_at = $3, status = f.status,
        next_attempt_at = CASE WHEN t.${hasLeft} THEN $3 ELSE f.next_attempt_at END,
        last_error = CASE WHEN t.${hasLeft} THEN t.last_error END
      FROM ${rowsOf(signup, '$7')} AS f
      WHERE ${unindexedState('t')} = 'sent' AND left(t.content, ${digestLength}) = f.content AND t.id = ANY(ARRAY(
        SELECT s.id FROM ${ofPeople} WHERE s.state = 'sent' AND s.batch IN (SELECT id FROM ${batch} WHERE publication = $2)))
      RETURNING t.id, t.form, t.state, t.due_at, t.status),
    ${countDelivered('+')},
    step AS (INSERT INTO ${scan} AS w (publication, place, holder, held_until) VALUES ($2, $4, $5, $3::bigint + $6::bigint)
      ON CONFLICT (publication) DO UPDATE SET place = excluded.place, holder = excluded.holder, held_until = excluded.held_until
        WHERE w.holder = excluded.holder OR w.held_until <= $3)
    SELECT id, form, due_at AS "dueAt", status FROM changed`,
  openStatuses: `SELECT s.* FROM unnest($1::text[]) AS f(form) CROSS JOIN LATERAL (
      SELECT id, form, submission, settled_at AS "settledAt", last_error AS reason FROM ${signup}
      WHERE form = f.form AND state = 'delivered' AND next_attempt_at <= $2 AND submission IS NOT NULL
      ORDER BY next_attempt_at LIMIT $3) AS s ORDER BY "settledAt" LIMIT $3`,
  settleStatuses: `UPDATE ${signup} AS s SET status = k.status, next_attempt_at = k.next_attempt_at FROM ${rowsOf(signup, '$1')} AS k
      WHERE s.id = k.id AND ${unindexedState('s')} = 'delivered' AND s.next_attempt_at IS NOT NULL AND s.last_error IS NOT DISTINCT FROM k.last_error
      RETURNING s.id`,
  markLeft: `UPDATE ${signup} AS s SET last_error = '${leftByMail}', next_attempt_at = CASE state WHEN 'delivered' THEN $2 ELSE next_attempt_at END
    WHERE id = $1 AND ${unindexedState('s')} <> 'unconfirmed' AND submission IS NOT NULL`,
  removeUnsent: `DELETE FROM ${signup} WHERE id = $1 AND ${hasLeft} AND ${isUnsent}`,
  openSignups: `SELECT s.id, s.form, s.received_at AS "receivedAt", s.submission, c.sentence, c.version
    FROM ${signup} AS s LEFT JOIN ${consent} AS c ON c.signup = s.id AND c.kind <> 'confirmed'
    WHERE ${unindexedState('s')} = 'unconfirmed' AND s.id = ANY(ARRAY(SELECT $1::uuid UNION SELECT (e ->> 'id')::uuid
      FROM ${confirmationMailbox} AS m, json_array_elements(m.signups::json) AS e WHERE m.mailbox = $2 AND strpos(m.signups, $1::uuid::text) > 0))
    ORDER BY s.id`,
  lockOpen: `SELECT id, form FROM ${signup} AS s WHERE id = ANY($1::uuid[]) AND ${unindexedState('s')} = 'unconfirmed' ORDER BY id FOR UPDATE`,
  confirmPerson: `WITH confirmed AS (UPDATE ${signup} AS s SET state = 'waiting', due_at = $3, next_attempt_at = 0, last_error = NULL,
        tried = false, submission = r.submission, content = r.content, status = r.status
      FROM ${rowsOf(signup, '$1')} AS r WHERE s.id = r.id),
    superseded AS (DELETE FROM ${signup} WHERE id = ANY($4::uuid[])),
    forgotten AS (DELETE FROM ${confirmationMailbox} WHERE mailbox = $5 AND publication = $6)
    INSERT INTO ${consent} (${entry}) SELECT ${entry} FROM ${rowsOf(consent, '$2')} ON CONFLICT (signup, kind) DO NOTHING`,

  counts: `SELECT state, count(*) AS count FROM ${signup} WHERE state <> 'delivered' GROUP BY state
           UNION ALL SELECT name, value::bigint FROM ${setting} WHERE name = 'delivered'`,
  due: `SELECT count(*) AS count FROM ${signup} WHERE state = 'waiting' AND next_attempt_at <= $1`,
  forms: `SELECT form, count(*) AS open, min(due_at) AS "oldestSince" FROM ${signup}
          WHERE state <> 'delivered' AND state IN ('waiting', 'sent') GROUP BY form ORDER BY form COLLATE "C"`,
  deadByReason: `SELECT coalesce(last_error, '') AS reason, count(*) AS count FROM ${signup} WHERE state <> 'delivered' AND state = 'dead'
                 GROUP BY last_error ORDER BY count DESC, reason LIMIT $1`,
  held: `SELECT state, coalesce(last_error, '') AS reason, count(*) AS count FROM ${signup}
         WHERE state <> 'delivered' AND state IN ('review', 'unconfirmed') AND (state = 'review' OR ${isHeld})
         GROUP BY state, last_error ORDER BY count DESC, reason LIMIT $1`,
  unclear: `SELECT form, sentence, count(*) AS count FROM (SELECT form, sentence FROM ${consent}
              WHERE kind = 'unclear' AND signup > $1 ORDER BY signup DESC LIMIT $2) AS u
            GROUP BY form, sentence ORDER BY count DESC, form COLLATE "C", sentence COLLATE "C" LIMIT $3`,
  // Of the newest signups, whatever became of them: there may be millions delivered, or waiting.
  statuses: `SELECT status, count(*) AS count FROM (SELECT state, status FROM ${signup} WHERE id > $1 ORDER BY id DESC LIMIT $2) AS s
             WHERE state = 'delivered' GROUP BY status ORDER BY count DESC, status LIMIT $3`,
  ofPerson: `SELECT ${stored} FROM ${ofPeople} ORDER BY id`,
  consentsOf: `${entries} WHERE c.person = ANY($1::text[]) ORDER BY c.signup, c.kind DESC`,
  // All entries of $2 signups: the next page starts after the last signup of this one.
  consents: `${entries} WHERE c.signup IN (
      SELECT DISTINCT signup FROM ${consent} WHERE signup > $1 ORDER BY signup LIMIT $2) ORDER BY c.signup, c.kind DESC`,

  // Reports also the signups whose content has expired, and of which only the consent ledger knows the person.
  erase: `WITH changed AS (DELETE FROM ${signup} WHERE content >= $1 AND content < $1 || '~' RETURNING id, form, state),
    ${countDelivered('-')},
    reported AS (INSERT INTO ${message} (destination, type, signup, form, at)
      SELECT d.name, 'signup.erased', s.id, s.form, $3::bigint FROM ${destination} AS d
        CROSS JOIN (SELECT id, form FROM changed UNION SELECT signup, form FROM ${consent} WHERE person = ANY($5::text[])) AS s
      WHERE strpos(d.types, 'signup.erased') > 0 ORDER BY s.id),
    consents AS (DELETE FROM ${consent} WHERE person = ANY($5::text[]) AND NOT $2 RETURNING 1),
    -- Other addresses of the mailbox may have signups that its next link has to show.
    mailed AS (DELETE FROM ${confirmationMailbox} WHERE mailbox = $6 AND suppressed_at IS NULL AND NOT EXISTS (
      SELECT FROM json_array_elements(signups::json) AS e JOIN ${signup} AS s ON s.id = (e ->> 'id')::uuid
      WHERE ${unindexedState('s')} = 'unconfirmed' AND NOT (s.content >= $1 AND s.content < $1 || '~'))),
    -- The mail that covered them may have led to a signup that is erased: they are planned anew.
    uncovered AS (UPDATE ${signup} AS s SET next_attempt_at = 1
      WHERE ${unindexedState('s')} = 'unconfirmed' AND next_attempt_at IS NULL AND NOT (s.content >= $1 AND s.content < $1 || '~')
        AND s.id IN (SELECT (e ->> 'id')::uuid FROM ${confirmationMailbox} AS m, json_array_elements(m.signups::json) AS e
          WHERE m.mailbox = $6 AND e ->> 'mailedAt' IS NULL AND e ->> 'isDecided' IS NULL)),
    suppressed AS (INSERT INTO ${suppression} (hash) VALUES ($4) ON CONFLICT (hash) DO NOTHING)
    SELECT (SELECT count(*) FROM changed) AS signups, (SELECT count(*) FROM consents) AS consents`,
  isSuppressed: `SELECT 1 FROM ${suppression} WHERE hash = $1`,
  suppressions: `SELECT hash FROM ${suppression} WHERE hash > $1 ORDER BY hash LIMIT $2`,
  // Keeps the first of several duplicates; signups above the limit of an address share one intent.
  joinReview: `DELETE FROM ${signup} WHERE id IN (SELECT id FROM (
      SELECT id, row_number() OVER (PARTITION BY coalesce(intent, content) ORDER BY id) AS place
      FROM ${signup} WHERE state <> 'delivered' AND state = 'review') AS r WHERE place > 1) RETURNING id`,
  // In batches; each returns the rows it changed.
  expireDelivered: `UPDATE ${signup} SET submission = NULL, intent = NULL, content = NULL WHERE id IN (
      SELECT id FROM ${signup} WHERE state = 'delivered' AND submission IS NOT NULL AND settled_at < $1 ORDER BY settled_at LIMIT $2
      FOR UPDATE SKIP LOCKED) RETURNING id`,
  expireReceived: `DELETE FROM ${signup} WHERE id IN (
      SELECT id FROM ${signup} WHERE state <> 'delivered' AND state = $3 AND id < $1 ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED) RETURNING id`,
  expireDead: `DELETE FROM ${signup} WHERE id IN (
      SELECT id FROM ${signup} WHERE state <> 'delivered' AND state = 'dead' AND settled_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED) RETURNING id`,
  expireConsent: `DELETE FROM ${consent} WHERE at < $3 AND signup IN (
      SELECT signup FROM ${consent} WHERE signup < $1 AND at < $3 ORDER BY signup LIMIT $2 FOR UPDATE SKIP LOCKED) RETURNING signup AS id`,

  restored: `WITH changed AS (UPDATE ${signup} SET tried = true, next_attempt_at = greatest(next_attempt_at, $1)
               WHERE state <> 'delivered' AND state = 'waiting' AND NOT tried RETURNING 1) SELECT count(*) AS count FROM changed`,
  setting: `SELECT value FROM ${setting} WHERE name = $1`,
  set: `INSERT INTO ${setting} (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
  // Of no row: a lock on the table, a lost permission and a standby show here.
  look: `INSERT INTO ${signup} SELECT * FROM ${signup} WHERE false`,
  // $2: parts of 32 bytes that cannot be compressed; 64 KiB are more than any signup with its indexes.
  probe: `INSERT INTO ${schema}.probe (id, at, room) SELECT 1, $1, string_agg(md5(random()::text), '') FROM generate_series(1, $2)
          ON CONFLICT (id) DO UPDATE SET at = excluded.at, room = excluded.room`,
} as const;

/** Whether the window of the stored counter `c` is open at $2, or a new one begins. */
const isOpen = 'c.until > $2::bigint AND c.until <= 2 * excluded.until - $2::bigint';

/** Statements of the counters of rate limits. Their order keeps two relays from waiting for each other. */
export const counters = {
  read: `SELECT key, points, until FROM ${counter} WHERE key = ANY($1::text[])`,
  add: `INSERT INTO ${counter} AS c (key, points, until) SELECT key, points, until FROM ${rowsOf(counter, '$1')} ORDER BY key
      ON CONFLICT (key) DO UPDATE SET points = excluded.points + CASE WHEN ${isOpen} THEN c.points ELSE 0 END,
        until = CASE WHEN ${isOpen} THEN c.until ELSE excluded.until END
      RETURNING key, points, until`,
  release: `UPDATE ${counter} AS c SET points = greatest(0, c.points - r.points)
      FROM (SELECT key, w.points FROM ${rowsOf(counter, '$1')} AS w JOIN ${counter} AS k USING (key) ORDER BY key FOR UPDATE OF k) AS r
      WHERE c.key = r.key`,
  expire: `DELETE FROM ${counter} WHERE key IN (
      SELECT key FROM ${counter} WHERE until <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED) RETURNING key`,
} as const;

/** No earlier message of the same signup waits: the order of its messages is kept. */
const isFirstOfSignup = `NOT EXISTS (SELECT FROM ${message} AS e
  WHERE e.destination = m.destination AND e.signup = m.signup AND e.next_attempt_at IS NOT NULL AND e.seq < m.seq)`;

/** Not held. Does not depend on the message: PostgreSQL checks it first, and reads none of one that is held. */
const isSending = `(SELECT held IS NULL FROM ${destination} WHERE name = $1)`;

/** Statements of the queue of webhook messages. */
export const webhooks = {
  destinations: `SELECT name, types, held FROM ${destination} ORDER BY name`,
  setDestinations: `INSERT INTO ${destination} (name, types) SELECT name, types FROM ${rowsOf(destination, '$1')}
                    ON CONFLICT (name) DO UPDATE SET types = excluded.types`,
  removeDestinations: `WITH removed AS (DELETE FROM ${destination} WHERE name = ANY($1::text[]))
                       DELETE FROM ${message} WHERE destination = ANY($1::text[]) RETURNING seq`,
  // Rows that another relay claims at the same time are skipped.
  claim: `WITH due AS (SELECT m.seq FROM ${message} AS m
      WHERE m.destination = $1 AND m.next_attempt_at <= $3 AND ${isFirstOfSignup} AND ${isSending}
      ORDER BY m.next_attempt_at, m.seq LIMIT $2 FOR UPDATE OF m SKIP LOCKED),
    sent AS (UPDATE ${message} AS t SET attempts = attempts + 1, next_attempt_at = $4 FROM due WHERE t.seq = due.seq RETURNING t.*)
    SELECT m.seq, m.id, m.type, m.signup, m.form, m.at, m.reason, m.attempts - 1 AS attempts, s.submission,
      s.status, s.received_at AS "receivedAt"
    FROM sent AS m LEFT JOIN ${signup} AS s ON s.id = m.signup ORDER BY m.seq`,
  delivered: `DELETE FROM ${message} WHERE seq = $1`,
  failed: `UPDATE ${message} SET next_attempt_at = $2, last_error = $3 WHERE seq = $1`,
  nextDue: `SELECT m.next_attempt_at AS "nextAttemptAt" FROM ${message} AS m
            WHERE m.destination = $1 AND m.next_attempt_at IS NOT NULL AND ${isFirstOfSignup} AND ${isSending}
            ORDER BY m.next_attempt_at LIMIT 1`,
  pullForward: `UPDATE ${message} SET next_attempt_at = $2 WHERE destination = $1 AND next_attempt_at > $3`,
  hold: `UPDATE ${destination} SET held = $2 WHERE name = $1`,
  resume: `WITH due AS (UPDATE ${message} SET next_attempt_at = $2 WHERE destination = $1 AND next_attempt_at > $3)
           UPDATE ${destination} SET held = NULL, resumes = resumes + 1 WHERE name = $1 RETURNING name`,
  resumes: `SELECT resumes FROM ${destination} WHERE name = $1`,
  redrive: `WITH counted AS (UPDATE ${destination} SET resumes = resumes + 1 WHERE name = $1)
            UPDATE ${message} SET next_attempt_at = 0, attempts = 0 WHERE destination = $1 AND next_attempt_at IS NULL RETURNING seq`,
  overview: `SELECT d.name AS destination, d.held, count(m.next_attempt_at) AS waiting,
               count(m.seq) - count(m.next_attempt_at) AS dead,
               min(m.at) FILTER (WHERE m.next_attempt_at IS NOT NULL) AS "oldestSince",
               (SELECT last_error FROM ${message} WHERE destination = d.name AND last_error IS NOT NULL
                ORDER BY seq DESC LIMIT 1) AS reason
             FROM ${destination} AS d LEFT JOIN ${message} AS m ON m.destination = d.name
             GROUP BY d.name, d.held ORDER BY d.name`,
  expire: `DELETE FROM ${message} WHERE seq IN (
      SELECT seq FROM ${message} WHERE next_attempt_at IS NULL AND at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED)
    RETURNING id`,
} as const;

const chosen = (states: string, where: string): string =>
  `SELECT id FROM ${signup} WHERE state <> 'delivered' AND state IN (${states}) AND ${where} AND id > ? ORDER BY id LIMIT ? FOR UPDATE`;

/** Statements with a filter; `where` has a `?` for each value. Changes run in batches, after an id. */
export const filtered = {
  list: (where: string) => numbered(`SELECT ${stored} FROM ${signup} WHERE ${where} ORDER BY id DESC LIMIT ?`),
  // Counts as never attempted, unless an earlier attempt may have reached the API. A signup that needs confirmation and
  // was never attempted is not confirmed yet.
  redrive: (where: string) =>
    numbered(`WITH part AS (${chosen("'dead', 'review', 'unconfirmed'", `(state <> 'unconfirmed' OR ${isHeld}) AND ${where}`)})
      UPDATE ${signup} AS s SET state = CASE WHEN needs_confirmation AND attempts = 0 THEN 'unconfirmed' ELSE 'waiting' END,
        attempts = 0, next_attempt_at = CASE WHEN tried THEN ?::bigint ELSE 0 END, due_at = least(due_at, ?::bigint),
        settled_at = NULL, last_error = CASE WHEN ${hasLeft} THEN last_error END, status = NULL
      FROM part WHERE s.id = part.id RETURNING s.id`),
  discard: (where: string) =>
    numbered(`WITH part AS (${chosen("'dead', 'review', 'unconfirmed'", where)})
      DELETE FROM ${signup} AS s USING part WHERE s.id = part.id RETURNING s.id`),
} as const;

function numbered(text: string): string {
  let count = 0;
  return text.replaceAll('?', () => `$${(count += 1)}`);
}
