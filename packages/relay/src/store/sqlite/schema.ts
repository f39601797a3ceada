/** The tables of the SQLite store: the steps that create them and migrate those of earlier versions. */
import type { Row } from '../rows.ts';
import { personOfFingerprint, rehashed } from '../signup-identity.ts';
import type { SqliteValue } from './driver.ts';

/** SQL function of the migration steps: the hash of the person of a submission in JSON, {@link personHash}. */
export const personOf = 'person_of';

/**
 * Converts a hash of an earlier version to the current format: the hash of the person, then 22 characters of the rest.
 * Some versions wrote the person's hash at full length, some none: those no longer match duplicates, but are still
 * found when the person is erased.
 */
const shortened = (column: string): string =>
  `${personOf}(submission) || substr(${column}, CASE length(${column}) WHEN 44 THEN 23 WHEN 86 THEN 44 ELSE 1 END, 22)`;

/** A step: its statements, those of files alone, or a function that runs one statement after the other. */
export type Step = string | { readonly ofFile: string } | ((run: RunStatement) => void);

type RunStatement = (text: string, ...values: SqliteValue[]) => Row[];

/** Runs steps, one after the other. @param exec - runs several statements @param isFile - not in a Durable Object */
export function runSteps(
  todo: readonly Step[],
  exec: (text: string) => unknown,
  run: RunStatement,
  isFile = true,
): void {
  for (const step of todo) {
    if (typeof step === 'string') exec(step);
    else if (typeof step === 'function') step(run);
    else if (isFile) exec(step.ofFile);
  }
}

/** Signups that a step reads at a time. */
const pageSize = 500;

const appendOnly = `CREATE TRIGGER consent_is_append_only BEFORE UPDATE ON consent
    BEGIN SELECT RAISE(ABORT, 'the consent ledger is append-only'); END`;

/** Makes the consent ledger anew, for other kinds of entries. */
const ledgerOf = (kinds: string): string => `DROP TRIGGER IF EXISTS request_of_signup;
  CREATE TABLE consent_2 (
    signup TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN (${kinds})),
    at INTEGER NOT NULL,
    form TEXT NOT NULL,
    person TEXT NOT NULL,
    sentence TEXT,
    version TEXT,
    page TEXT,
    visitor TEXT,
    PRIMARY KEY (signup, kind)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO consent_2 SELECT signup, kind, at, form, person, sentence, version, page, visitor FROM consent;
  DROP TABLE consent;
  ALTER TABLE consent_2 RENAME TO consent;
  CREATE INDEX consent_by_person ON consent (person);
  CREATE INDEX consent_unclear ON consent (signup) WHERE kind = 'unclear';
  ${appendOnly};
  CREATE TRIGGER request_of_signup AFTER DELETE ON signup WHEN OLD.state IN ('unconfirmed', 'review')
    BEGIN DELETE FROM consent WHERE signup = OLD.id AND kind IN ('requested', 'unclear'); END;`;

/** A store of this many signups at most is counted when it is brought up to date, a larger one while it answers. */
const isSmall = `(SELECT count(*) FROM (SELECT 1 FROM signup LIMIT 100001)) <= 100000`;

const countOne = (row: string): string => `INSERT INTO tally (form, state, count) VALUES (${row}.form, ${row}.state, 1)
      ON CONFLICT (form, state) DO UPDATE SET count = count + 1;`;
const uncountOld = `UPDATE tally SET count = count - 1 WHERE form = OLD.form AND state = OLD.state;`;

/** Step n brings a file from version n to version n + 1 (`PRAGMA user_version`). */
export const steps: readonly Step[] = [
  `
  CREATE TABLE signup (
    id TEXT PRIMARY KEY,
    form TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'review', 'delivered', 'dead')),
    received_at INTEGER NOT NULL,
    origin TEXT,
    submission TEXT NOT NULL,
    intent TEXT,
    content TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    next_attempt_at INTEGER,
    settled_at INTEGER,
    last_error TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX signup_by_intent ON signup (intent) WHERE intent IS NOT NULL;
  CREATE INDEX signup_by_content ON signup (content, received_at);
  CREATE INDEX signup_by_state ON signup (state, next_attempt_at);

  CREATE TABLE probe (id INTEGER PRIMARY KEY CHECK (id = 1), at INTEGER NOT NULL, room BLOB NOT NULL) STRICT;
  `,
  // What is delivered can be erased, and one index serves all hashes. Some files of version 1 have a part of this
  // already.
  `
  CREATE TABLE signup_2 (
    id TEXT PRIMARY KEY,
    form TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'review', 'delivered', 'dead')),
    received_at INTEGER NOT NULL,
    origin TEXT,
    submission TEXT,
    intent TEXT,
    content TEXT,
    attempts INTEGER NOT NULL DEFAULT 0,
    next_attempt_at INTEGER,
    settled_at INTEGER,
    last_error TEXT
  ) STRICT, WITHOUT ROWID;
  INSERT INTO signup_2 SELECT id, form, state, received_at, origin, submission, ${shortened('intent')}, ${shortened('content')},
    attempts, next_attempt_at, settled_at, last_error FROM signup;
  DROP TABLE signup;
  ALTER TABLE signup_2 RENAME TO signup;
  CREATE INDEX signup_by_content ON signup (content) WHERE content IS NOT NULL;
  CREATE INDEX signup_due ON signup (next_attempt_at, received_at) WHERE state = 'waiting';
  CREATE INDEX signup_open ON signup (state, id) WHERE state <> 'delivered';
  CREATE INDEX signup_to_erase ON signup (settled_at) WHERE state = 'delivered' AND submission IS NOT NULL;

  CREATE TABLE IF NOT EXISTS setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  `,
  // Attempts and batches are written down before they are made; consent has a ledger of its own.
  `
  CREATE TABLE signup_3 (
    id TEXT PRIMARY KEY,
    form TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('unconfirmed', 'review', 'waiting', 'sent', 'delivered', 'dead')),
    received_at INTEGER NOT NULL,
    origin TEXT,
    submission TEXT,
    intent TEXT,
    content TEXT,
    needs_confirmation INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
    tried INTEGER NOT NULL DEFAULT 0,
    batch TEXT,
    next_attempt_at INTEGER,
    settled_at INTEGER,
    last_error TEXT
  ) STRICT, WITHOUT ROWID;
  INSERT INTO signup_3 (id, form, state, received_at, origin, submission, intent, content, attempts, tried, next_attempt_at, settled_at, last_error)
    SELECT id, form, state, received_at, origin, submission, intent, content, attempts, attempts > 0,
      CASE WHEN state <> 'waiting' THEN NULL WHEN attempts = 0 THEN 0 ELSE next_attempt_at END, settled_at, last_error FROM signup;
  DROP TABLE signup;
  ALTER TABLE signup_3 RENAME TO signup;
  CREATE INDEX signup_by_content ON signup (content) WHERE content IS NOT NULL;
  CREATE INDEX signup_due ON signup (form, state, next_attempt_at, received_at) WHERE next_attempt_at IS NOT NULL;
  CREATE INDEX signup_open ON signup (state, id, form, received_at) WHERE state <> 'delivered';
  CREATE INDEX signup_in_batch ON signup (batch) WHERE batch IS NOT NULL;
  CREATE INDEX signup_to_erase ON signup (settled_at) WHERE state = 'delivered' AND submission IS NOT NULL;

  CREATE TABLE batch (
    id TEXT PRIMARY KEY,
    publication TEXT NOT NULL,
    claimed_at INTEGER NOT NULL,
    sent_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX batch_of_publication ON batch (publication, claimed_at, id);

  CREATE TABLE walk (publication TEXT PRIMARY KEY, place TEXT NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TABLE consent (
    signup TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('given', 'confirmed')),
    at INTEGER NOT NULL,
    form TEXT NOT NULL,
    person TEXT NOT NULL,
    sentence TEXT,
    version TEXT,
    page TEXT,
    visitor TEXT,
    PRIMARY KEY (signup, kind)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX consent_by_person ON consent (person);
  ${appendOnly};
  `,
  // Webhook messages, which a trigger adds in the transaction that changes the state of a signup.
  `
  CREATE TABLE webhook_destination (
    name TEXT PRIMARY KEY,
    types TEXT NOT NULL,
    held TEXT,
    resumes INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE webhook_message (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL DEFAULT (lower(hex(randomblob(16)))),
    destination TEXT NOT NULL,
    type TEXT NOT NULL,
    signup TEXT NOT NULL,
    form TEXT NOT NULL,
    at INTEGER NOT NULL,
    reason TEXT,
    attempts INTEGER NOT NULL DEFAULT 0,
    next_attempt_at INTEGER DEFAULT 0,
    last_error TEXT
  ) STRICT;
  CREATE INDEX webhook_due ON webhook_message (destination, next_attempt_at, seq) WHERE next_attempt_at IS NOT NULL;
  CREATE INDEX webhook_of_signup ON webhook_message (destination, signup, seq) WHERE next_attempt_at IS NOT NULL;
  CREATE INDEX webhook_dead ON webhook_message (at) WHERE next_attempt_at IS NULL;
  CREATE TRIGGER webhook_of_state AFTER UPDATE OF state ON signup
    WHEN NEW.state <> OLD.state
      AND (NEW.state IN ('delivered', 'dead') OR (OLD.state = 'unconfirmed' AND NEW.state = 'waiting'))
    BEGIN
      INSERT INTO webhook_message (destination, type, signup, form, at, reason)
      SELECT name, event, NEW.id, NEW.form, coalesce(NEW.settled_at, NEW.received_at), NEW.last_error
      FROM webhook_destination CROSS JOIN (SELECT CASE NEW.state
        WHEN 'delivered' THEN 'signup.delivered' WHEN 'dead' THEN 'signup.refused' ELSE 'signup.confirmed' END AS event)
      WHERE instr(types, event) > 0;
    END;
  `,
  // Hashes of the addresses of erased people.
  `CREATE TABLE suppression (hash TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;`,
  // One person has one hash in every spelling of the domain. Spellings differ beyond ASCII alone.
  (run) => {
    run('DROP TRIGGER consent_is_append_only');
    for (let after = '', page: Row[] = []; ; after = String(page.at(-1)?.['id'])) {
      page = run(
        `SELECT id, submission, intent, content FROM signup
         WHERE id > ? AND length(CAST(submission AS BLOB)) > length(submission) ORDER BY id LIMIT ${pageSize}`,
        after,
      );
      if (page.length === 0) break;
      for (const { id, intent, content } of page.map(rehashed).filter((row) => row !== null)) {
        run('UPDATE signup SET intent = ?, content = ? WHERE id = ?', intent, content, id);
        run('UPDATE consent SET person = ? WHERE signup = ?', personOfFingerprint(content), id);
      }
    }
    run(appendOnly);
  },
  // Counters of rate limits. Some objects of Workers have a table of another kind.
  `
  DROP TABLE IF EXISTS rate_limit;
  CREATE TABLE counter (key TEXT PRIMARY KEY, points INTEGER NOT NULL, until INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  `,
  // A signup is due by a column of its own, so that the time of its receipt is kept.
  `
  ALTER TABLE signup ADD COLUMN due_at INTEGER NOT NULL DEFAULT 0;
  UPDATE signup SET due_at = received_at WHERE state <> 'delivered';
  DROP INDEX signup_due;
  CREATE INDEX signup_due ON signup (form, state, next_attempt_at, due_at) WHERE next_attempt_at IS NOT NULL;
  DROP INDEX signup_open;
  CREATE INDEX signup_open ON signup (state, id, form, due_at) WHERE state <> 'delivered';
  DROP TRIGGER webhook_of_state;
  CREATE TRIGGER webhook_of_state AFTER UPDATE OF state ON signup
    WHEN NEW.state <> OLD.state
      AND (NEW.state IN ('delivered', 'dead') OR (OLD.state = 'unconfirmed' AND NEW.state = 'waiting'))
    BEGIN
      INSERT INTO webhook_message (destination, type, signup, form, at, reason)
      SELECT name, event, NEW.id, NEW.form, coalesce(NEW.settled_at, NEW.due_at), NEW.last_error
      FROM webhook_destination CROSS JOIN (SELECT CASE NEW.state
        WHEN 'delivered' THEN 'signup.delivered' WHEN 'dead' THEN 'signup.refused' ELSE 'signup.confirmed' END AS event)
      WHERE instr(types, event) > 0;
    END;
  `,
  // Confirmation mails of mailboxes.
  `CREATE TABLE confirmation_mailbox (
    mailbox TEXT NOT NULL,
    publication TEXT NOT NULL,
    mails INTEGER NOT NULL,
    last_mail_at INTEGER NOT NULL,
    suppressed_at INTEGER,
    PRIMARY KEY (mailbox, publication)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX confirmation_mailbox_by_mail ON confirmation_mailbox (last_mail_at);`,
  // What is due is in the index of that alone: every row of an index costs, on Workers money.
  `
  DROP INDEX signup_open;
  CREATE INDEX signup_idle ON signup (state, form, id, due_at) WHERE next_attempt_at IS NULL AND state <> 'delivered';
  `,
  // The ledger has the request that a person has to confirm, and words that are unclear: they go with their signup.
  `
  ${ledgerOf(`'requested', 'unclear', 'given', 'confirmed'`)}
  `,
  // The status of the subscription, and the signups of a mailbox that it may confirm.
  `
  ALTER TABLE signup ADD COLUMN status TEXT;
  ALTER TABLE confirmation_mailbox ADD COLUMN signups TEXT NOT NULL DEFAULT '[]';
  CREATE TRIGGER webhook_of_status AFTER UPDATE OF status ON signup
    WHEN OLD.state = 'delivered' AND NEW.next_attempt_at IS NULL
    BEGIN
      INSERT INTO webhook_message (destination, type, signup, form, at)
      SELECT name, 'signup.status', NEW.id, NEW.form, OLD.next_attempt_at
      FROM webhook_destination WHERE instr(types, 'signup.status') > 0;
    END;
  `,
  // The number of signups by form and state. A Durable Object counts anew: a row that is written there costs money.
  {
    ofFile: `
  CREATE TABLE tally (form TEXT NOT NULL, state TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (form, state)) STRICT, WITHOUT ROWID;
  CREATE TRIGGER tally_of_new AFTER INSERT ON signup BEGIN ${countOne('NEW')} END;
  CREATE TRIGGER tally_of_gone AFTER DELETE ON signup BEGIN ${uncountOld} END;
  CREATE TRIGGER tally_of_state AFTER UPDATE OF state ON signup WHEN NEW.state <> OLD.state
    BEGIN ${uncountOld} ${countOne('NEW')} END;
  INSERT INTO tally SELECT form, state, count(*) FROM signup WHERE ${isSmall} GROUP BY form, state;
  INSERT OR REPLACE INTO setting SELECT 'tallied', 'true' WHERE ${isSmall};
  `,
  },
  // The ledger has whoever leaves with one click.
  ledgerOf(`'requested', 'unclear', 'given', 'confirmed', 'left'`),
];
