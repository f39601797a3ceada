/** Opens the PostgreSQL database: checks version and durability, and creates or migrates the tables. */
import { firstId, schema, sql } from './statements.ts';
import { StartupError } from '../../errors.ts';
import { storeName } from '../../config/store-address.ts';
import { Connections, json, type RunQuery } from './connections.ts';
import { explainStoreError } from '../database-errors.ts';
import type { Row } from '../rows.ts';
import { digestLength, rehashed } from '../signup-identity.ts';

/** Hashes, identifiers and times sort by their bytes, as in every other store. */
const bytes = 'COLLATE "C"';

/** Schema of pg-boss, whose queue versions 1 and 2 used beside the table. */
const queueSchema = 'newsletter_relay_queue';

/** Step n brings the tables from version n to version n + 1. A released step never changes; new ones are appended. */
export const steps: readonly (string | ((query: RunQuery) => Promise<void>))[] = [
  `
  CREATE TABLE ${schema}.signup (
    id uuid PRIMARY KEY,
    form text NOT NULL,
    state text NOT NULL CHECK (state IN ('waiting', 'review', 'delivered', 'dead')),
    received_at bigint NOT NULL,
    origin text,
    submission text,
    intent text ${bytes},
    content text ${bytes},
    attempts integer NOT NULL DEFAULT 0,
    next_attempt_at bigint,
    settled_at bigint,
    last_error text
  );
  CREATE INDEX signup_by_intent ON ${schema}.signup (intent) WHERE intent IS NOT NULL;
  CREATE INDEX signup_by_content ON ${schema}.signup (content, received_at) WHERE content IS NOT NULL;
  CREATE INDEX signup_open ON ${schema}.signup (state, id) WHERE state <> 'delivered';
  CREATE INDEX signup_to_erase ON ${schema}.signup (settled_at) WHERE state = 'delivered' AND submission IS NOT NULL;
  `,
  // UNLOGGED: a counter needs no sync.
  `CREATE UNLOGGED TABLE ${schema}.counter (key varchar(255) PRIMARY KEY, points integer NOT NULL DEFAULT 0, expire bigint)`,
  // The row is the one record: attempts and batches are written down before they are made; consent has a ledger of its
  // own. The delivered, of which there may be millions, are read once, to count them, and not rewritten.
  `
  ALTER TABLE ${schema}.signup
    ADD COLUMN needs_confirmation boolean NOT NULL DEFAULT false,
    ADD COLUMN tried boolean NOT NULL DEFAULT false,
    ADD COLUMN batch uuid,
    DROP CONSTRAINT signup_state_check,
    ADD CONSTRAINT signup_state_check CHECK (state IN ('unconfirmed', 'review', 'waiting', 'sent', 'delivered', 'dead'));
  UPDATE ${schema}.signup SET tried = attempts > 0,
      next_attempt_at = CASE WHEN state <> 'waiting' THEN NULL WHEN attempts = 0 THEN 0 ELSE next_attempt_at END
    WHERE state <> 'delivered';
  DO $$ BEGIN
    IF to_regclass('${queueSchema}.job') IS NOT NULL THEN
      -- Claimed by a relay that was killed: the attempt may have reached the API.
      UPDATE ${schema}.signup SET tried = true, next_attempt_at = received_at
        WHERE state = 'waiting' AND id IN (SELECT id FROM ${queueSchema}.job WHERE state = 'active');
      DROP SCHEMA ${queueSchema} CASCADE;
    END IF;
  END $$;
  DROP INDEX ${schema}.signup_by_intent, ${schema}.signup_by_content, ${schema}.signup_open;
  CREATE INDEX signup_by_content ON ${schema}.signup (content) WHERE content IS NOT NULL;
  CREATE INDEX signup_due ON ${schema}.signup (form, state, next_attempt_at, received_at) WHERE next_attempt_at IS NOT NULL;
  CREATE INDEX signup_open ON ${schema}.signup (state, id, form, received_at) WHERE state <> 'delivered';
  -- Nearly all signups of a form may be delivered: what is not is rarer than form and state each for itself suggest.
  CREATE STATISTICS ${schema}.signup_form_state (mcv) ON form, state FROM ${schema}.signup;
  CREATE INDEX signup_in_batch ON ${schema}.signup (batch) WHERE batch IS NOT NULL;

  CREATE TABLE ${schema}.batch (id uuid PRIMARY KEY, publication text NOT NULL, claimed_at bigint NOT NULL, sent_at bigint);
  CREATE INDEX batch_of_publication ON ${schema}.batch (publication, claimed_at, id);

  CREATE TABLE ${schema}.walk (publication text PRIMARY KEY, place text, holder uuid NOT NULL, held_until bigint NOT NULL);

  CREATE TABLE ${schema}.consent (
    signup uuid NOT NULL,
    kind text NOT NULL CHECK (kind IN ('given', 'confirmed')),
    at bigint NOT NULL,
    form text NOT NULL,
    person text ${bytes} NOT NULL,
    sentence text,
    version text,
    page text,
    visitor text,
    PRIMARY KEY (signup, kind)
  );
  CREATE INDEX consent_by_person ON ${schema}.consent (person);
  CREATE FUNCTION ${schema}.refuse_update() RETURNS trigger LANGUAGE plpgsql
    AS $$ BEGIN RAISE EXCEPTION 'the consent ledger is append-only'; END $$;
  CREATE TRIGGER consent_is_append_only BEFORE UPDATE ON ${schema}.consent EXECUTE FUNCTION ${schema}.refuse_update();

  INSERT INTO ${schema}.setting (name, value) SELECT 'delivered', count(*) FROM ${schema}.signup WHERE state = 'delivered';
  `,
  // Webhook messages, which a trigger adds in the transaction that changes the state of a signup.
  `
  CREATE TABLE ${schema}.webhook_destination (
    name text ${bytes} PRIMARY KEY,
    types text NOT NULL,
    held text,
    resumes integer NOT NULL DEFAULT 0
  );
  CREATE TABLE ${schema}.webhook_message (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    destination text ${bytes} NOT NULL,
    type text NOT NULL,
    signup uuid NOT NULL,
    form text NOT NULL,
    at bigint NOT NULL,
    reason text,
    attempts integer NOT NULL DEFAULT 0,
    next_attempt_at bigint DEFAULT 0,
    last_error text
  );
  CREATE INDEX webhook_due ON ${schema}.webhook_message (destination, next_attempt_at, seq) WHERE next_attempt_at IS NOT NULL;
  CREATE INDEX webhook_of_signup ON ${schema}.webhook_message (destination, signup, seq) WHERE next_attempt_at IS NOT NULL;
  CREATE INDEX webhook_dead ON ${schema}.webhook_message (at) WHERE next_attempt_at IS NULL;
  CREATE FUNCTION ${schema}.add_webhook_messages() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO ${schema}.webhook_message (destination, type, signup, form, at, reason)
    SELECT name, event, NEW.id, NEW.form, coalesce(NEW.settled_at, NEW.received_at), NEW.last_error
    FROM ${schema}.webhook_destination CROSS JOIN (SELECT CASE NEW.state
      WHEN 'delivered' THEN 'signup.delivered' WHEN 'dead' THEN 'signup.refused' ELSE 'signup.confirmed' END AS event) AS e
    WHERE strpos(types, event) > 0;
    RETURN NULL;
  END $$;
  CREATE TRIGGER webhook_of_state AFTER UPDATE OF state ON ${schema}.signup FOR EACH ROW
    WHEN (NEW.state <> OLD.state
      AND (NEW.state IN ('delivered', 'dead') OR (OLD.state = 'unconfirmed' AND NEW.state = 'waiting')))
    EXECUTE FUNCTION ${schema}.add_webhook_messages();
  `,
  // Hashes of the addresses of erased people.
  `CREATE TABLE ${schema}.suppression (hash text ${bytes} PRIMARY KEY);`,
  // One person has one hash in every spelling of the domain. Spellings differ beyond ASCII alone.
  async (query) => {
    await query(`ALTER TABLE ${schema}.consent DISABLE TRIGGER consent_is_append_only`);
    for (let after = firstId, page: Row[] = []; ; after = String(page.at(-1)?.['id'])) {
      page = await query(
        `SELECT id, submission, intent, content FROM ${schema}.signup
         WHERE id > $1 AND octet_length(submission) > length(submission) ORDER BY id LIMIT ${pageSize}`,
        [after],
      );
      if (page.length === 0) break;
      await query(
        `WITH changed AS (
           UPDATE ${schema}.signup AS s SET intent = r.intent, content = r.content
           FROM json_populate_recordset(null::${schema}.signup, $1::text::json) AS r WHERE s.id = r.id RETURNING s.id, s.content)
         UPDATE ${schema}.consent SET person = left(changed.content, ${digestLength}) FROM changed WHERE signup = changed.id`,
        [json(page.map(rehashed).filter((row) => row !== null))],
      );
    }
    await query(`ALTER TABLE ${schema}.consent ENABLE TRIGGER consent_is_append_only`);
  },
  `
  DROP TABLE ${schema}.counter;
  CREATE UNLOGGED TABLE ${schema}.counter (key text ${bytes} PRIMARY KEY, points integer NOT NULL, until bigint NOT NULL);
  `,
  // A signup is due by a column of its own, so that the time of its receipt is kept.
  `
  ALTER TABLE ${schema}.signup ADD COLUMN due_at bigint NOT NULL DEFAULT 0;
  UPDATE ${schema}.signup SET due_at = received_at WHERE state <> 'delivered';
  DROP INDEX ${schema}.signup_due, ${schema}.signup_open;
  CREATE INDEX signup_due ON ${schema}.signup (form, state, next_attempt_at, due_at) WHERE next_attempt_at IS NOT NULL;
  CREATE INDEX signup_open ON ${schema}.signup (state, id, form, due_at) WHERE state <> 'delivered';
  CREATE OR REPLACE FUNCTION ${schema}.add_webhook_messages() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO ${schema}.webhook_message (destination, type, signup, form, at, reason)
    SELECT name, event, NEW.id, NEW.form, coalesce(NEW.settled_at, NEW.due_at), NEW.last_error
    FROM ${schema}.webhook_destination CROSS JOIN (SELECT CASE NEW.state
      WHEN 'delivered' THEN 'signup.delivered' WHEN 'dead' THEN 'signup.refused' ELSE 'signup.confirmed' END AS event) AS e
    WHERE strpos(types, event) > 0;
    RETURN NULL;
  END $$;
  `,
  // Confirmation mails of mailboxes.
  `CREATE TABLE ${schema}.confirmation_mailbox (
    mailbox text ${bytes} NOT NULL,
    publication text NOT NULL,
    mails integer NOT NULL,
    last_mail_at bigint NOT NULL,
    suppressed_at bigint,
    PRIMARY KEY (mailbox, publication)
  );
  CREATE INDEX confirmation_mailbox_by_mail ON ${schema}.confirmation_mailbox (last_mail_at);`,
  // The ledger has the request that a person has to confirm, and words that are unclear: they go with their signup.
  `
  ALTER TABLE ${schema}.consent DROP CONSTRAINT consent_kind_check,
    ADD CONSTRAINT consent_kind_check CHECK (kind IN ('requested', 'unclear', 'given', 'confirmed'));
  CREATE OR REPLACE FUNCTION ${schema}.delete_request() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    DELETE FROM ${schema}.consent WHERE signup = OLD.id AND kind IN ('requested', 'unclear');
    RETURN NULL;
  END $$;
  DROP TRIGGER IF EXISTS request_of_signup ON ${schema}.signup;
  CREATE TRIGGER request_of_signup AFTER DELETE ON ${schema}.signup FOR EACH ROW
    WHEN (OLD.state IN ('unconfirmed', 'review')) EXECUTE FUNCTION ${schema}.delete_request();
  CREATE INDEX consent_unclear ON ${schema}.consent (signup) WHERE kind = 'unclear';
  `,
  // The status of the subscription, and the signups of a mailbox that it may confirm.
  `
  ALTER TABLE ${schema}.signup ADD COLUMN status text;
  ALTER TABLE ${schema}.confirmation_mailbox ADD COLUMN signups text NOT NULL DEFAULT '[]';
  CREATE FUNCTION ${schema}.add_status_messages() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO ${schema}.webhook_message (destination, type, signup, form, at)
    SELECT name, 'signup.status', NEW.id, NEW.form, OLD.next_attempt_at
    FROM ${schema}.webhook_destination WHERE strpos(types, 'signup.status') > 0;
    RETURN NULL;
  END $$;
  CREATE TRIGGER webhook_of_status AFTER UPDATE OF status ON ${schema}.signup FOR EACH ROW
    WHEN (OLD.state = 'delivered' AND NEW.next_attempt_at IS NULL) EXECUTE FUNCTION ${schema}.add_status_messages();
  `,
  // The ledger has whoever leaves with one click.
  `ALTER TABLE ${schema}.consent DROP CONSTRAINT consent_kind_check,
    ADD CONSTRAINT consent_kind_check CHECK (kind IN ('requested', 'unclear', 'given', 'confirmed', 'left'))`,
];

/** Signups that a step reads at a time. */
const pageSize = 1000;

/** An open database. */
export interface OpenDatabase {
  /** For requests of visitors and for delivery: answers or fails within {@link brief}. */
  readonly brief: Connections;
  /** For the counters of rate limits, of which every post queries some before it is stored. */
  readonly counting: Connections;
  /** For operators, whose queries may read many signups. */
  readonly long: Connections;
  close(): Promise<void>;
}

/** The oldest version that is tested. */
const oldestVersion = 13;

// Milliseconds. The server's limits are shorter, so that it can end the statement and keep the connection.
const brief = { name: 'newsletter-relay', max: 5, connectMs: 2000, serverMs: 2500, answerMs: 3000 };
const counting = { ...brief, connectMs: 500, serverMs: 800, answerMs: 1000 };
const long = { ...brief, max: 2, connectMs: 10_000, serverMs: 60_000, answerMs: 65_000 };
/** Migrations of a large table read every row. */
const migration = { ...brief, max: 1, serverMs: 30 * 60_000, answerMs: 31 * 60_000 };

/** @throws StartupError with one sentence that says what to do and contains no password */
export async function openDatabase(url: string): Promise<OpenDatabase> {
  const place = storeName({ kind: 'postgres', url });
  const database = {
    brief: new Connections(url, brief),
    counting: new Connections(url, counting),
    long: new Connections(url, long),
    async close() {
      await Promise.all([this.brief.close(), this.counting.close(), this.long.close()]);
    },
  };
  try {
    const [server = {}] = await database.brief.query(sql.server);
    checkServer(server, place);
    if (!(await isUpToDate(database.brief, place))) await migrate(url, place);
    return database;
  } catch (cause) {
    await database.close();
    if (cause instanceof StartupError) throw cause;
    const file = cause instanceof Error && 'path' in cause ? String(cause.path) : undefined;
    const why =
      file === undefined ? explainStoreError(cause) : `its certificate ${file} cannot be read; correct the path`;
    throw new StartupError(`The store ${place} cannot be opened: ${why}.`, { cause });
  }
}

function checkServer({ version, fsync, synchronousCommit, encoding }: Row, place: string): void {
  const major = Math.floor(Number(version) / 10_000);
  if (major < oldestVersion) {
    throw new StartupError(
      `The store ${place} is PostgreSQL ${major}; the relay needs ${oldestVersion} or newer: update it.`,
    );
  }
  if (fsync !== 'on')
    throw new StartupError(`The store ${place} runs with fsync off and may lose acknowledged signups: set fsync = on.`);
  if (synchronousCommit === 'off') {
    throw new StartupError(
      `The store ${place} runs with synchronous_commit off and may lose acknowledged signups: set synchronous_commit = on.`,
    );
  }
  if (encoding !== 'UTF8')
    throw new StartupError(`The store ${place} is a database in ${String(encoding)}: create one in UTF8.`);
}

async function isUpToDate({ query }: Pick<Connections, 'query'>, place: string): Promise<boolean> {
  const [tables] = await query(sql.hasTables);
  if (tables?.['hasTables'] !== true) return false;
  return versionOf(await query(sql.setting, ['version']), place) === steps.length;
}

/** Runs the migration steps in one transaction, while other starting relays wait for the lock. */
async function migrate(url: string, place: string): Promise<void> {
  const connections = new Connections(url, migration);
  try {
    await connections.transaction(async (query) => {
      await query(sql.lockTables);
      await query(sql.prepareTables);
      const version = versionOf(await query(sql.setting, ['version']), place);
      for (const step of steps.slice(version)) await (typeof step === 'string' ? query(step) : step(query));
      await query(sql.set, ['version', String(steps.length)]);
    });
  } finally {
    await connections.close();
  }
}

function versionOf([setting]: readonly Row[], place: string): number {
  const version = Number(setting?.['value'] ?? 0);
  if (version <= steps.length) return version;
  throw new StartupError(
    `The tables in ${schema} of ${place} were written by a newer relay (version ${version}): update this one.`,
  );
}
