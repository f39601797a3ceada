/** The tables of the SQLite store. */

/** The number of their version, `PRAGMA user_version`. */
export const tablesVersion = 14;

const countOne = (row: string): string => `INSERT INTO tally (form, state, count) VALUES (${row}.form, ${row}.state, 1)
      ON CONFLICT (form, state) DO UPDATE SET count = count + 1;`;
const uncountOld = `UPDATE tally SET count = count - 1 WHERE form = OLD.form AND state = OLD.state;`;

/** Names of the destinations that receive an event. */
const subscribed = (event: string): string => `webhook_destination WHERE instr(types, ${event}) > 0`;

/** Creates the tables. @param isFile - whether they are in a file, and not in a Durable Object */
export const createTables = (isFile: boolean): string => `
  CREATE TABLE signup (
    id TEXT PRIMARY KEY,
    form TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('unconfirmed', 'review', 'waiting', 'sent', 'delivered', 'dead')),
    received_at INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
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
    last_error TEXT,
    status TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX signup_by_content ON signup (content) WHERE content IS NOT NULL;
  CREATE INDEX signup_due ON signup (form, state, next_attempt_at, due_at) WHERE next_attempt_at IS NOT NULL;
  -- What is due is in the index of that alone: every row of an index costs, on Workers money.
  CREATE INDEX signup_idle ON signup (state, form, id, due_at) WHERE next_attempt_at IS NULL AND state <> 'delivered';
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

  CREATE TABLE confirmation_mailbox (
    mailbox TEXT NOT NULL,
    publication TEXT NOT NULL,
    mails INTEGER NOT NULL,
    last_mail_at INTEGER NOT NULL,
    suppressed_at INTEGER,
    signups TEXT NOT NULL DEFAULT '[]',
    PRIMARY KEY (mailbox, publication)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX confirmation_mailbox_by_mail ON confirmation_mailbox (last_mail_at);

  -- The request that a person has to confirm, and words that are unclear, go with their signup.
  CREATE TABLE consent (
    signup TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('requested', 'unclear', 'given', 'confirmed', 'left')),
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
  CREATE INDEX consent_unclear ON consent (signup) WHERE kind = 'unclear';
  CREATE TRIGGER consent_is_append_only BEFORE UPDATE ON consent
    BEGIN SELECT RAISE(ABORT, 'the consent ledger is append-only'); END;
  CREATE TRIGGER request_of_signup AFTER DELETE ON signup WHEN OLD.state IN ('unconfirmed', 'review')
    BEGIN DELETE FROM consent WHERE signup = OLD.id AND kind IN ('requested', 'unclear'); END;

  -- Webhook messages, which triggers add in the transaction that changes a signup.
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
      SELECT name, event, NEW.id, NEW.form, coalesce(NEW.settled_at, NEW.due_at), NEW.last_error
      FROM (SELECT CASE NEW.state
        WHEN 'delivered' THEN 'signup.delivered' WHEN 'dead' THEN 'signup.refused' ELSE 'signup.confirmed' END AS event)
      CROSS JOIN ${subscribed('event')};
    END;
  CREATE TRIGGER webhook_of_status AFTER UPDATE OF status ON signup
    WHEN OLD.state = 'delivered' AND NEW.next_attempt_at IS NULL
    BEGIN
      INSERT INTO webhook_message (destination, type, signup, form, at)
      SELECT name, 'signup.status', NEW.id, NEW.form, OLD.next_attempt_at FROM ${subscribed(`'signup.status'`)};
    END;

  -- Hashes of the addresses of erased people.
  CREATE TABLE suppression (hash TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  -- Counters of rate limits.
  CREATE TABLE counter (key TEXT PRIMARY KEY, points INTEGER NOT NULL, until INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE probe (id INTEGER PRIMARY KEY CHECK (id = 1), at INTEGER NOT NULL, room BLOB NOT NULL) STRICT;
${isFile ? tally : ''}`;

/** The number of signups by form and state. A Durable Object counts anew: a row that is written there costs money. */
const tally = `
  CREATE TABLE tally (form TEXT NOT NULL, state TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (form, state)) STRICT, WITHOUT ROWID;
  CREATE TRIGGER tally_of_new AFTER INSERT ON signup BEGIN ${countOne('NEW')} END;
  CREATE TRIGGER tally_of_gone AFTER DELETE ON signup BEGIN ${uncountOld} END;
  CREATE TRIGGER tally_of_state AFTER UPDATE OF state ON signup WHEN NEW.state <> OLD.state
    BEGIN ${uncountOld} ${countOne('NEW')} END;
`;
