/** The tables of both stores, but for what only one of them has. */
import type { Dialect, Table } from './act.ts';

/** What the databases say differently of tables. Text is `text` in both. */
export interface TableDialect extends Pick<Dialect, 'table' | 'find'> {
  readonly uuid: string;
  /** A count, or a moment in milliseconds. */
  readonly number: string;
  /** With its default, which is false. */
  readonly flag: string;
  /** A text that sorts by its bytes. */
  readonly bytes: string;
  /** The key of a table whose rows are numbered in the order in which they came. */
  readonly ordinal: string;
  /** The default of an id. */
  readonly newId: string;
  /** What follows the columns of a table that is sorted by its key. */
  readonly options: string;
  /** An act on each row that has changed, in the transaction that changes it. */
  trigger(this: void, name: string, trigger: Trigger): string;
  /** Refuses what has led to a trigger. */
  refuse(this: void, why: string): string;
}

/** A trigger; its statements end with a semicolon. */
export interface Trigger {
  readonly event: string;
  readonly on: Table;
  readonly when: string;
  readonly statements: string;
}

export function tablesOf(dialect: TableDialect): string {
  const { table, uuid, number, flag, bytes, options, trigger } = dialect;
  const [signup, batch, mailbox] = [table('signup'), table('batch'), table('confirmation_mailbox')];
  const [consent, destination, message] = [table('consent'), table('webhook_destination'), table('webhook_message')];
  /** A row for each destination that receives an event. */
  const addMessages = (columns: string, values: string, event: string): string =>
    `INSERT INTO ${message} (destination, type, signup, form, ${columns})
     SELECT name, e.event, NEW.id, NEW.form, ${values} FROM ${destination} CROSS JOIN (SELECT ${event} AS event) AS e
     WHERE ${dialect.find}(types, e.event) > 0;`;
  return `
  CREATE TABLE ${table('setting')} (name ${bytes} PRIMARY KEY, value text NOT NULL) ${options};
  CREATE TABLE ${signup} (
    id ${uuid} PRIMARY KEY,
    form text NOT NULL,
    state text NOT NULL CHECK (state IN ('unconfirmed', 'review', 'waiting', 'sent', 'delivered', 'dead')),
    received_at ${number} NOT NULL,
    due_at ${number} NOT NULL DEFAULT 0,
    origin text,
    submission text,
    intent ${bytes},
    content ${bytes},
    needs_confirmation ${flag},
    attempts ${number} NOT NULL DEFAULT 0,
    tried ${flag},
    batch ${uuid},
    next_attempt_at ${number},
    settled_at ${number},
    last_error text,
    status text
  ) ${options};
  CREATE INDEX signup_by_content ON ${signup} (content) WHERE content IS NOT NULL;
  CREATE INDEX signup_due ON ${signup} (form, state, next_attempt_at, due_at) WHERE next_attempt_at IS NOT NULL;
  CREATE INDEX signup_in_batch ON ${signup} (batch) WHERE batch IS NOT NULL;
  CREATE INDEX signup_to_erase ON ${signup} (settled_at) WHERE state = 'delivered' AND submission IS NOT NULL;

  CREATE TABLE ${batch} (id ${uuid} PRIMARY KEY, publication text NOT NULL, claimed_at ${number} NOT NULL, sent_at ${number}) ${options};
  CREATE INDEX batch_of_publication ON ${batch} (publication, claimed_at, id);

  CREATE TABLE ${mailbox} (
    mailbox ${bytes} NOT NULL,
    publication text NOT NULL,
    mails ${number} NOT NULL,
    last_mail_at ${number} NOT NULL,
    suppressed_at ${number},
    signups text NOT NULL DEFAULT '[]',
    PRIMARY KEY (mailbox, publication)
  ) ${options};
  CREATE INDEX confirmation_mailbox_by_mail ON ${mailbox} (last_mail_at);

  CREATE TABLE ${consent} (
    signup ${uuid} NOT NULL,
    kind text NOT NULL CHECK (kind IN ('requested', 'unclear', 'given', 'confirmed', 'left')),
    at ${number} NOT NULL,
    form text NOT NULL,
    person ${bytes} NOT NULL,
    sentence text,
    version text,
    page text,
    visitor text,
    PRIMARY KEY (signup, kind)
  ) ${options};
  CREATE INDEX consent_by_person ON ${consent} (person);
  CREATE INDEX consent_unclear ON ${consent} (signup) WHERE kind = 'unclear';
  ${trigger('consent_is_append_only', {
    event: 'BEFORE UPDATE',
    on: 'consent',
    when: 'OLD.at IS NOT NULL',
    statements: dialect.refuse('the consent ledger is append-only'),
  })}
  -- The request that a person has to confirm, and words that are unclear, go with their signup.
  ${trigger('request_of_signup', {
    event: 'AFTER DELETE',
    on: 'signup',
    when: `OLD.state IN ('unconfirmed', 'review')`,
    statements: `DELETE FROM ${consent} WHERE signup = OLD.id AND kind IN ('requested', 'unclear');`,
  })}

  CREATE TABLE ${destination} (name ${bytes} PRIMARY KEY, types text NOT NULL, held text, resumes ${number} NOT NULL DEFAULT 0) ${options};
  CREATE TABLE ${message} (
    seq ${dialect.ordinal},
    id ${uuid} NOT NULL DEFAULT (${dialect.newId}),
    destination ${bytes} NOT NULL,
    type text NOT NULL,
    signup ${uuid} NOT NULL,
    form text NOT NULL,
    at ${number} NOT NULL,
    reason text,
    attempts ${number} NOT NULL DEFAULT 0,
    next_attempt_at ${number} DEFAULT 0,
    last_error text
  );
  CREATE INDEX webhook_due ON ${message} (destination, next_attempt_at, seq) WHERE next_attempt_at IS NOT NULL;
  CREATE INDEX webhook_of_signup ON ${message} (destination, signup, seq) WHERE next_attempt_at IS NOT NULL;
  CREATE INDEX webhook_dead ON ${message} (at) WHERE next_attempt_at IS NULL;
  ${trigger('webhook_of_state', {
    event: 'AFTER UPDATE OF state',
    on: 'signup',
    when: `NEW.state <> OLD.state
      AND (NEW.state IN ('delivered', 'dead') OR (OLD.state = 'unconfirmed' AND NEW.state = 'waiting'))`,
    statements: addMessages(
      'at, reason',
      'coalesce(NEW.settled_at, NEW.due_at), NEW.last_error',
      `CASE NEW.state WHEN 'delivered' THEN 'signup.delivered' WHEN 'dead' THEN 'signup.refused'
         ELSE 'signup.confirmed' END`,
    ),
  })}
  ${trigger('webhook_of_status', {
    event: 'AFTER UPDATE OF status',
    on: 'signup',
    when: `OLD.state = 'delivered' AND NEW.next_attempt_at IS NULL`,
    statements: addMessages('at', 'OLD.next_attempt_at', `'signup.status'`),
  })}

  -- Hashes of the addresses of erased people.
  CREATE TABLE ${table('suppression')} (hash ${bytes} PRIMARY KEY) ${options};
`;
}
