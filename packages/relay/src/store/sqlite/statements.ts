/** Every SQL statement of the SQLite store. */
import { type Dialect, hasLeft, isHeld, isUnsent, oneOf } from '../conditions.ts';
import { signupColumns } from '../rows.ts';
import { heldMs, leftByMail } from '../signup-store.ts';
import type { SqliteDriver, SqliteStatement } from './driver.ts';

const stored = `id, form, state, received_at AS receivedAt, due_at AS dueAt, origin, submission, attempts, tried,
  needs_confirmation AS needsConfirmation, next_attempt_at AS nextAttemptAt, settled_at AS settledAt,
  last_error AS reason, status, intent`;

const candidate = `id, form, state, submission, origin, received_at AS receivedAt, due_at AS dueAt, intent, content, attempts, tried,
  needs_confirmation AS needsConfirmation, next_attempt_at AS nextAttemptAt, last_error AS reason, status`;

const mailbox = 'mailbox, publication, mails, last_mail_at AS lastMailAt, suppressed_at AS suppressedAt, signups';

const consent = 'signup, kind, at, form, person, sentence, version, page, visitor';

/** Entries of the ledger, each with the status that came of its signup. */
const entries = `SELECT ${consent.replaceAll(/\w+/g, 'c.$&')}, s.status FROM consent AS c
  LEFT JOIN signup AS s ON s.id = c.signup AND s.state = 'delivered'`;

const places = (columns: string): string =>
  columns
    .split(', ')
    .map(() => '?')
    .join(', ');

const columns = signupColumns.join(', ');

/** Repeats the condition of the partial index of signups that are neither delivered nor due by themselves. */
const isIdle = `next_attempt_at IS NULL AND state <> 'delivered'`;

/** All that is not delivered, by the indexes of what is due and of what is not: there may be millions delivered. */
const undelivered = `(SELECT id, state FROM signup WHERE next_attempt_at IS NOT NULL AND state <> 'delivered'
  UNION ALL SELECT id, state FROM signup WHERE ${isIdle})`;

/** Counted in the order of each index: sorting what waits would take ten times as long. */
const countsOfUndelivered = `(SELECT form, state, count(*) AS count, min(due_at) AS oldest FROM signup
    WHERE next_attempt_at IS NOT NULL AND state <> 'delivered' GROUP BY form, state
  UNION ALL SELECT form, state, count(*), min(due_at) FROM signup WHERE ${isIdle} GROUP BY state, form)`;

/** Signups in review or dead, and those whose mail is held, by the same indexes: no row is read of one that is not. */
const redrivable = (
  ofForms = '',
): string => `(SELECT id, state, last_error FROM signup WHERE ${isIdle} AND state IN ('dead', 'review')
  UNION ALL SELECT id, state, last_error FROM signup WHERE ${isHeld}
    AND id IN (SELECT id FROM signup WHERE next_attempt_at IS NOT NULL AND state = 'unconfirmed' ${ofForms}))`;

const heldByReason = (source: string): string => `SELECT state, coalesce(last_error, '') AS reason, count(*) AS count
  FROM ${source} WHERE state <> 'dead' GROUP BY state, last_error ORDER BY count DESC, reason LIMIT :limit`;

/** States in which nothing is due. */
const neverDue: ReadonlySet<string> = new Set(['dead', 'review']);

/** The conditions of filters in this database. */
export const dialect: Dialect = {
  find: 'instr',
  // One value for all of them: a Durable Object takes a hundred values per query.
  ids: (ids) => ({ sql: 'id IN (SELECT value FROM json_each(?))', values: [JSON.stringify(ids)] }),
  undelivered(states) {
    const { sql: condition, values } = oneOf('state', states);
    return states.some((state) => !neverDue.has(state))
      ? { sql: `id IN (SELECT id FROM ${undelivered} WHERE ${condition})`, values }
      : { sql: `${isIdle} AND ${condition}`, values };
  },
};

/** The statements that never change, by name. */
export const sql = {
  // Positional parameters, because these run for every signup and named ones are slower.
  insert: `INSERT INTO signup (${columns}) VALUES (${places(columns)})`,
  load: `INSERT OR IGNORE INTO signup (${columns}) VALUES (${places(columns)})`,
  addConsent: `INSERT OR IGNORE INTO consent (${consent}) VALUES (${places(consent)})`,

  // 0: never attempted.
  fresh: `SELECT ${candidate} FROM signup
          WHERE form = :form AND state = :state AND next_attempt_at = 0 AND due_at > :since ORDER BY due_at LIMIT :limit`,
  due: `SELECT ${candidate} FROM signup
        WHERE form = :form AND state = :state AND next_attempt_at <= :now ORDER BY next_attempt_at, due_at LIMIT :limit`,
  // One index range contains all signups of a person. It serves deduplication by key and content, and erasure: a second
  // index of hashes would cost more than the rest of the row. '~' sorts after every character of a hash.
  signupsOfPerson: `SELECT id, state, intent, content, due_at AS dueAt FROM signup
             WHERE content >= :person AND content < :person || '~'`,
  markSent: `UPDATE signup SET state = 'sent', attempts = attempts + 1, tried = :tried, batch = :batch, next_attempt_at = :until
             WHERE id = :id`,
  postpone: `UPDATE signup SET next_attempt_at = :until WHERE id = :id`,
  beginMail: `UPDATE signup SET next_attempt_at = :until, last_error = NULL WHERE id = :id`,
  remove: `DELETE FROM signup WHERE id = ?`,
  beginBatch: `INSERT OR IGNORE INTO batch (id, publication, claimed_at) VALUES (:id, :publicationId, :now)`,

  settle: `UPDATE signup SET state = :state, tried = :tried OR (tried AND state <> 'unconfirmed'), batch = NULL,
             next_attempt_at = CASE WHEN ${hasLeft} AND :state = 'delivered' THEN :settledAt ELSE :nextAttemptAt END,
             settled_at = :settledAt, last_error = CASE WHEN ${hasLeft} THEN last_error ELSE :reason END,
             status = :status WHERE id = :id
             AND (state = 'unconfirmed' OR (state = 'sent' AND :state <> 'unconfirmed'))`,
  release: `UPDATE signup SET state = 'waiting', attempts = attempts - 1, batch = NULL,
              next_attempt_at = CASE WHEN attempts = 1 AND tried = 0 THEN 0 ELSE due_at END WHERE id = ? AND state = 'sent'`,
  backlog: `SELECT count(*) AS count FROM (
              SELECT 1 FROM signup WHERE form = :form AND state = 'waiting' AND next_attempt_at = 0 LIMIT :limit)`,
  nextDue: `SELECT next_attempt_at AS nextAttemptAt FROM signup
            WHERE form = :form AND state = :state AND next_attempt_at IS NOT NULL ORDER BY next_attempt_at LIMIT 1`,

  openBatches: `SELECT id, claimed_at AS claimedAt, sent_at AS sentAt,
                  (SELECT count(*) FROM signup WHERE signup.batch = batch.id) AS open
                FROM batch WHERE publication = ? ORDER BY claimed_at, id`,
  batchSent: `UPDATE batch SET sent_at = :at WHERE id = :id`,
  waitAgain: `UPDATE signup SET state = 'waiting', tried = max(tried, :tried), batch = NULL, next_attempt_at = :nextAttemptAt,
                last_error = CASE WHEN ${hasLeft} THEN last_error ELSE :reason END WHERE batch = :batch`,
  removeBatch: `DELETE FROM batch WHERE id = ?`,
  scan: `SELECT place FROM walk WHERE publication = ?`,
  saveScan: `INSERT OR REPLACE INTO walk (publication, place) VALUES (:publicationId, :place)`,
  // The plus keeps the planner from scanning every signup of every batch for each address.
  confirm: `UPDATE signup SET state = 'delivered', batch = NULL, settled_at = :at, status = :status,
              next_attempt_at = CASE WHEN ${hasLeft} THEN :at ELSE :askAgainAt END,
              last_error = CASE WHEN ${hasLeft} THEN last_error END
            WHERE content >= :person AND content < :person || '~' AND state = 'sent'
              AND +batch IN (SELECT id FROM batch WHERE publication = :publicationId)
            RETURNING id, form, due_at AS dueAt, status`,
  openStatuses: `SELECT id, form, submission, settled_at AS settledAt, last_error AS reason FROM signup WHERE form = :form AND state = 'delivered'
                   AND next_attempt_at <= :now AND submission IS NOT NULL ORDER BY next_attempt_at LIMIT :limit`,
  settleStatus: `UPDATE signup SET status = :status, next_attempt_at = :askAgainAt
                 WHERE id = :id AND state = 'delivered' AND next_attempt_at IS NOT NULL AND coalesce(${hasLeft}, 0) = :hasLeft`,
  markLeft: `UPDATE signup SET last_error = '${leftByMail}', next_attempt_at = CASE state WHEN 'delivered' THEN :at ELSE next_attempt_at END
             WHERE id = :id AND state <> 'unconfirmed' AND submission IS NOT NULL`,
  removeUnsent: `DELETE FROM signup WHERE id = ? AND ${hasLeft} AND ${isUnsent}`,
  ofId: `SELECT ${stored} FROM signup WHERE id = ?`,
  openSignups: `SELECT s.id, s.form, s.received_at AS receivedAt, s.submission, c.sentence, c.version
                FROM signup AS s LEFT JOIN consent AS c ON c.signup = s.id AND c.kind <> 'confirmed'
                WHERE +s.state = 'unconfirmed' AND s.id IN (SELECT :id UNION ALL SELECT json_each.value ->> 'id'
                  FROM confirmation_mailbox AS m, json_each(m.signups) WHERE m.mailbox = :mailbox AND instr(m.signups, :id) > 0)
                ORDER BY s.id`,
  openSignup: `SELECT 1 FROM signup WHERE id = ? AND state = 'unconfirmed'`,
  confirmPerson: `UPDATE signup SET state = 'waiting', due_at = :at, next_attempt_at = 0, last_error = NULL, tried = 0,
                    submission = :submission, content = :content, status = :status WHERE id = :id`,

  mailboxesOf: `SELECT ${mailbox} FROM confirmation_mailbox WHERE mailbox = ?`,
  mailSent: `SELECT id FROM signup WHERE id IN (SELECT value FROM json_each(?)) AND +state = 'unconfirmed' AND next_attempt_at IS NULL`,
  setMailbox: `INSERT OR REPLACE INTO confirmation_mailbox (mailbox, publication, mails, last_mail_at, suppressed_at, signups)
               VALUES (:mailbox, :publication, :mails, :lastMailAt, :suppressedAt, :signups)`,
  keepUnmailed: `UPDATE signup SET next_attempt_at = :until, last_error = :reason WHERE id = :id AND state = 'unconfirmed'`,
  suppressMailbox: `INSERT INTO confirmation_mailbox (mailbox, publication, mails, last_mail_at, suppressed_at)
                    VALUES (:mailbox, :publication, 1, :at, :at)
                    ON CONFLICT (mailbox, publication) DO UPDATE SET suppressed_at = excluded.suppressed_at`,
  removeUnconfirmed: `DELETE FROM signup WHERE id = ? AND state = 'unconfirmed'`,
  forgetMailbox: `DELETE FROM confirmation_mailbox WHERE mailbox = :mailbox AND publication = :publication`,
  // Other addresses of the mailbox may have signups that its next link has to show.
  eraseMailbox: `DELETE FROM confirmation_mailbox WHERE mailbox = ? AND suppressed_at IS NULL AND NOT EXISTS (
      SELECT 1 FROM json_each(signups) JOIN signup AS s ON s.id = json_each.value ->> 'id' AND +s.state = 'unconfirmed')`,
  // The mail that covered them may have led to a signup that is erased: they are planned anew.
  uncover: `UPDATE signup SET next_attempt_at = 1 WHERE +state = 'unconfirmed' AND +next_attempt_at IS NULL AND id IN (
      SELECT json_each.value ->> 'id' FROM confirmation_mailbox AS m, json_each(m.signups)
      WHERE m.mailbox = ? AND json_each.value ->> 'mailedAt' IS NULL AND json_each.value ->> 'isDecided' IS NULL)`,
  expireMailboxes: `DELETE FROM confirmation_mailbox WHERE (mailbox, publication) IN (SELECT mailbox, publication
      FROM confirmation_mailbox WHERE last_mail_at < :before LIMIT :limit)`,

  counter: `SELECT points, until FROM counter WHERE key = ?`,
  counters: `SELECT key, points, until FROM counter ORDER BY until DESC LIMIT :limit`,
  setCounter: `INSERT INTO counter (key, points, until) VALUES (?, ?, ?)
               ON CONFLICT (key) DO UPDATE SET points = excluded.points, until = excluded.until`,
  expireCounters: `DELETE FROM counter WHERE key IN (
      SELECT key FROM counter WHERE key > :after AND until <= :now ORDER BY key LIMIT :limit) RETURNING key`,

  setting: `SELECT value FROM setting WHERE name = :name`,
  set: `INSERT OR REPLACE INTO setting (name, value) VALUES (:name, :value)`,
  ofPerson: `SELECT ${stored} FROM signup WHERE content >= :person AND content < :person || '~'`,
  consentsOf: `${entries} WHERE c.person IN (?, ?)`,
  // All entries of :limit signups: the next page starts after the last signup of this one.
  consents: `${entries} WHERE c.signup IN (
               SELECT DISTINCT signup FROM consent WHERE signup > :after ORDER BY signup LIMIT :limit) ORDER BY c.signup`,
  erase: `DELETE FROM signup WHERE content >= :person AND content < :person || '~' RETURNING state`,
  suppress: `INSERT OR IGNORE INTO suppression (hash) VALUES (?)`,
  isSuppressed: `SELECT 1 FROM suppression WHERE hash = ?`,
  suppressions: `SELECT hash FROM suppression WHERE hash > :after ORDER BY hash LIMIT :limit`,
  eraseConsents: `DELETE FROM consent WHERE person IN (?, ?)`,
  expireDelivered: `UPDATE signup SET submission = NULL, intent = NULL, content = NULL WHERE id IN (
      SELECT id FROM signup WHERE state = 'delivered' AND submission IS NOT NULL AND settled_at < :before ORDER BY settled_at LIMIT :limit)`,
  expireReceived: `DELETE FROM signup WHERE id IN (
      SELECT id FROM ${undelivered} WHERE state = :state AND id < :beforeId LIMIT :limit)`,
  expireConsent: `DELETE FROM consent WHERE signup IN (
      SELECT signup FROM consent WHERE signup < :beforeId AND at < :before LIMIT :limit) AND at < :before`,
  probe: `INSERT OR REPLACE INTO probe (id, at, room) VALUES (1, :now, randomblob(:room))`,
} as const;

/**
 * Statements that scan signups that wait, are in review or are dead: for operators, and once at start. They skip the
 * delivered ones, of which there may be millions.
 */
export const scans = {
  counts: `SELECT state, sum(count) AS count FROM ${countsOfUndelivered} GROUP BY state`,
  due: `SELECT count(*) AS count FROM signup WHERE state = 'waiting' AND next_attempt_at <= :now`,
  forms: `SELECT form, sum(count) AS open, min(oldest) AS oldestSince FROM ${countsOfUndelivered}
          WHERE state IN ('waiting', 'sent') GROUP BY form ORDER BY form`,
  deadByReason: `SELECT coalesce(last_error, '') AS reason, count(*) AS count FROM signup WHERE ${isIdle} AND state = 'dead'
                 GROUP BY last_error ORDER BY count DESC, reason LIMIT :limit`,
  held: heldByReason(redrivable()),
  unclear: `SELECT form, sentence, count(*) AS count FROM (SELECT form, sentence FROM consent
              WHERE kind = 'unclear' AND signup > :after ORDER BY signup DESC LIMIT :read)
            GROUP BY form, sentence ORDER BY count DESC, form, sentence LIMIT :limit`,
  // Of the newest signups, whatever became of them: there may be millions delivered, or waiting.
  statuses: `SELECT status, count(*) AS count FROM (SELECT state, status FROM signup WHERE id > :after ORDER BY id DESC LIMIT :read)
             WHERE state = 'delivered' GROUP BY status ORDER BY count DESC, status LIMIT :limit`,
  // A mail may be held for a day.
  pullForward: `UPDATE signup SET next_attempt_at = :now WHERE next_attempt_at IS NOT NULL
                AND next_attempt_at > :latest + CASE state WHEN 'unconfirmed' THEN ${heldMs} ELSE 0 END
                 AND NOT (state = 'unconfirmed' AND tried)`,
  restored: `UPDATE signup SET tried = 1, next_attempt_at = max(next_attempt_at, :now)
             WHERE next_attempt_at IS NOT NULL AND state = 'waiting' AND tried = 0`,
  // 1: due, whatever the clock says.
  interrupted: `UPDATE signup SET next_attempt_at = 1 WHERE next_attempt_at IS NOT NULL AND state = 'sent' AND batch IS NULL`,
  // Keeps the first of several duplicates; signups above the limit of an address share one intent.
  joinReview: `DELETE FROM signup WHERE id IN (SELECT id FROM (
      SELECT id, row_number() OVER (PARTITION BY coalesce(intent, content) ORDER BY id) AS place
      FROM signup WHERE ${isIdle} AND state = 'review') WHERE place > 1)`,
  expireDead: `DELETE FROM signup WHERE id IN (
      SELECT id FROM signup WHERE ${isIdle} AND state = 'dead' AND settled_at < :before LIMIT :limit)`,
} as const;

/** When the signups of a form and state may be delivered: the untried by the order of an index, of the others each. */
const dueOfTally = `SELECT due_at FROM (SELECT due_at FROM signup AS s WHERE s.form = t.form AND s.state = t.state
      AND next_attempt_at = 0 ORDER BY due_at LIMIT 1)
  UNION ALL SELECT due_at FROM signup AS s WHERE s.form = t.form AND s.state = t.state AND next_attempt_at > 0
  UNION ALL SELECT due_at FROM signup AS s WHERE s.form = t.form AND s.state = t.state AND ${isIdle}`;

/** What {@link scans} of the same names read, from the stored counts by form and state. */
export const tally = {
  counts: `SELECT state, sum(count) AS count FROM tally GROUP BY state`,
  due: `SELECT coalesce(sum(t.count - (SELECT count(*) FROM signup AS s WHERE s.form = t.form AND s.state = t.state
          AND s.next_attempt_at > :now)), 0) AS count FROM tally AS t WHERE t.state = 'waiting'`,
  forms: `SELECT t.form, sum(t.count) AS open, min((SELECT min(due_at) FROM (${dueOfTally}))) AS oldestSince FROM tally AS t
          WHERE t.state IN ('waiting', 'sent') AND t.count > 0 GROUP BY t.form ORDER BY t.form`,
  held: heldByReason(redrivable(`AND form IN (SELECT form FROM tally WHERE state = 'unconfirmed' AND count > 0)`)),
  // In one statement, which sees one state of the store: what was stored before it was counted.
  missing: `SELECT form, state, sum(count) AS count FROM (SELECT form, state, count(*) AS count FROM signup GROUP BY form, state
            UNION ALL SELECT form, state, -count FROM tally) GROUP BY form, state HAVING sum(count) <> 0`,
  add: `INSERT INTO tally (form, state, count) VALUES (:form, :state, :count)
        ON CONFLICT (form, state) DO UPDATE SET count = count + excluded.count`,
} as const;

/** No earlier message of the same signup waits: the order of its messages is kept. */
const isFirstOfSignup = `NOT EXISTS (SELECT 1 FROM webhook_message AS e
  WHERE e.destination = m.destination AND e.signup = m.signup AND e.next_attempt_at IS NOT NULL AND e.seq < m.seq)`;

/** The messages of a destination; none while it is held, however many wait. */
const ofSending = `webhook_destination AS d CROSS JOIN webhook_message AS m`;
const isSending = `d.name = :destination AND d.held IS NULL AND m.destination = :destination`;

/** Statements of the queue of webhook messages. */
export const webhooks = {
  destinations: `SELECT name, types, held FROM webhook_destination ORDER BY name`,
  setDestination: `INSERT INTO webhook_destination (name, types) VALUES (:name, :types)
                   ON CONFLICT (name) DO UPDATE SET types = excluded.types`,
  removeDestination: `DELETE FROM webhook_destination WHERE name = ?`,
  removeMessages: `DELETE FROM webhook_message WHERE destination = ?`,
  due: `SELECT m.seq, m.id, m.type, m.signup, m.form, m.at, m.reason, m.attempts, s.submission, s.status,
          s.received_at AS receivedAt
        FROM ${ofSending} LEFT JOIN signup AS s ON s.id = m.signup
        WHERE ${isSending} AND m.next_attempt_at <= :now AND ${isFirstOfSignup}
        ORDER BY m.next_attempt_at, m.seq LIMIT :limit`,
  markSent: `UPDATE webhook_message SET attempts = attempts + 1, next_attempt_at = :until WHERE seq = :seq`,
  delivered: `DELETE FROM webhook_message WHERE seq = ?`,
  failed: `UPDATE webhook_message SET next_attempt_at = :nextAttemptAt, last_error = :reason WHERE seq = :seq`,
  nextDue: `SELECT m.next_attempt_at AS nextAttemptAt FROM ${ofSending}
            WHERE ${isSending} AND m.next_attempt_at IS NOT NULL AND ${isFirstOfSignup}
            ORDER BY m.next_attempt_at LIMIT 1`,
  pullForward: `UPDATE webhook_message SET next_attempt_at = :now WHERE destination = :destination AND next_attempt_at > :latest`,
  hold: `UPDATE webhook_destination SET held = :reason WHERE name = :destination`,
  resume: `UPDATE webhook_destination SET held = NULL, resumes = resumes + 1 WHERE name = ?`,
  countRedrive: `UPDATE webhook_destination SET resumes = resumes + 1 WHERE name = ?`,
  resumes: `SELECT resumes FROM webhook_destination WHERE name = ?`,
  redrive: `UPDATE webhook_message SET next_attempt_at = 0, attempts = 0 WHERE destination = ? AND next_attempt_at IS NULL`,
  overview: `SELECT d.name AS destination, d.held, count(m.next_attempt_at) AS waiting,
               count(m.seq) - count(m.next_attempt_at) AS dead,
               min(CASE WHEN m.next_attempt_at IS NOT NULL THEN m.at END) AS oldestSince,
               (SELECT last_error FROM webhook_message WHERE destination = d.name AND last_error IS NOT NULL
                ORDER BY seq DESC LIMIT 1) AS reason
             FROM webhook_destination AS d LEFT JOIN webhook_message AS m ON m.destination = d.name
             GROUP BY d.name, d.held ORDER BY d.name`,
  // Also the signups whose content has expired, and of which only the consent ledger knows the person.
  reportErasure: `INSERT INTO webhook_message (destination, type, signup, form, at)
    SELECT d.name, 'signup.erased', s.id, s.form, :now FROM webhook_destination AS d CROSS JOIN (
      SELECT id, form FROM signup WHERE content >= :person AND content < :person || '~'
      UNION SELECT signup, form FROM consent WHERE person IN (:person, :spelling)) AS s
    WHERE instr(d.types, 'signup.erased') > 0 ORDER BY s.id`,
  expire: `DELETE FROM webhook_message WHERE seq IN (
      SELECT seq FROM webhook_message WHERE next_attempt_at IS NULL AND at < :before LIMIT :limit)`,
} as const;

/** Runs once, when the number is first asked for. */
export const countDelivered = `SELECT count(*) AS count FROM signup WHERE state = 'delivered'`;

/** Statements with a filter; `where` has a `?` for each value. */
export const filtered = {
  list: (where: string) => `SELECT ${stored} FROM signup WHERE ${where} ORDER BY id DESC LIMIT ?`,
  // Counts as never attempted, unless an earlier attempt may have reached the API. A signup that needs confirmation and
  // was never attempted is not confirmed yet.
  redrive: (
    where: string,
  ) => `UPDATE signup SET state = CASE WHEN needs_confirmation = 1 AND attempts = 0 THEN 'unconfirmed' ELSE 'waiting' END,
      attempts = 0, next_attempt_at = CASE WHEN tried = 1 THEN ? ELSE 0 END, due_at = min(due_at, ?),
      settled_at = NULL, last_error = CASE WHEN ${hasLeft} THEN last_error END, status = NULL
    WHERE id IN (SELECT id FROM ${redrivable()}) AND ${where}`,
  discard: (where: string) =>
    `DELETE FROM signup WHERE id IN (SELECT id FROM ${undelivered} WHERE state IN ('dead', 'review', 'unconfirmed')) AND ${where}`,
} as const;

/** The prepared statements, by name. */
export type Statements = Readonly<Record<keyof typeof sql, SqliteStatement>> & {
  readonly scans: Readonly<Record<keyof typeof scans, SqliteStatement>>;
  /** None in a Durable Object. */
  readonly tally: Readonly<Record<keyof typeof tally, SqliteStatement>>;
  readonly webhooks: Readonly<Record<keyof typeof webhooks, SqliteStatement>>;
};

/** Prepares every statement, so that a damaged file is noticed at start. */
export function prepare(db: SqliteDriver): Statements {
  return {
    ...prepared(db, sql),
    scans: prepared(db, scans),
    tally: prepared(db, tally),
    webhooks: prepared(db, webhooks),
  };
}

function prepared<Name extends string>(
  db: SqliteDriver,
  texts: Readonly<Record<Name, string>>,
): Record<Name, SqliteStatement> {
  return Object.fromEntries(Object.entries<string>(texts).map(([name, text]) => [name, db.prepare(text)])) as Record<
    Name,
    SqliteStatement
  >;
}
