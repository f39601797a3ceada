/** Opens the PostgreSQL database: checks version and durability, and creates the tables. */
import { StartupError } from '../../errors.ts';
import { storeName } from '../../config/store-address.ts';
import { explainStoreError } from '../database-errors.ts';
import type { Row } from '../rows.ts';
import { readMs } from '../signup-store.ts';
import { hasTablesOf } from '../version.ts';
import { Connections, type RunQuery } from './connections.ts';
import {
  batch,
  confirmationMailbox,
  consent,
  counter,
  destination,
  message,
  schema,
  setSetting,
  setting,
  signup,
  suppression,
  tally,
} from './sql-parts.ts';

/** Hashes, identifiers and times sort by their bytes, as in every other store. */
const bytes = 'COLLATE "C"';

/** Key of the advisory lock of the process that prepares the tables ("NKRL"). */
const tablesLock = 0x4e_4b_52_4c;

/** The number of the version of the tables. */
const tablesVersion = 12;

/** Adds a trigger that counts signups by form and state. @param rows - form, state and number of the signups */
const countSignups = (event: 'INSERT' | 'UPDATE' | 'DELETE', tables: string, rows: string): string => `
  CREATE FUNCTION ${schema}.count_${event.toLowerCase()}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO ${tally} AS t (connection, form, state, count)
    SELECT pg_backend_pid(), form, state, sum(count) FROM (${rows}) AS r GROUP BY form, state HAVING sum(count) <> 0
    ON CONFLICT (connection, form, state) DO UPDATE SET count = t.count + excluded.count;
    RETURN NULL;
  END $$;
  CREATE TRIGGER count_${event.toLowerCase()} AFTER ${event} ON ${signup} REFERENCING ${tables}
    FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.count_${event.toLowerCase()}();`;

const added = 'SELECT form, state, 1 AS count FROM added';
const gone = 'SELECT form, state, -1 AS count FROM gone';

/** Creates the tables, but for those of settings and probes. */
const createTables = `
  CREATE TABLE ${signup} (
    id uuid PRIMARY KEY,
    form text NOT NULL,
    state text NOT NULL CHECK (state IN ('unconfirmed', 'review', 'waiting', 'sent', 'delivered', 'dead')),
    received_at bigint NOT NULL,
    due_at bigint NOT NULL DEFAULT 0,
    origin text,
    submission text,
    intent text ${bytes},
    content text ${bytes},
    needs_confirmation boolean NOT NULL DEFAULT false,
    attempts integer NOT NULL DEFAULT 0,
    tried boolean NOT NULL DEFAULT false,
    batch uuid,
    next_attempt_at bigint,
    settled_at bigint,
    last_error text,
    status text
  );
  CREATE INDEX signup_by_content ON ${signup} (content) WHERE content IS NOT NULL;
  CREATE INDEX signup_due ON ${signup} (form, state, next_attempt_at, due_at) WHERE next_attempt_at IS NOT NULL;
  CREATE INDEX signup_open ON ${signup} (state, id, form, due_at) WHERE state <> 'delivered';
  CREATE INDEX signup_in_batch ON ${signup} (batch) WHERE batch IS NOT NULL;
  CREATE INDEX signup_to_erase ON ${signup} (settled_at) WHERE state = 'delivered' AND submission IS NOT NULL;
  -- Nearly all signups of a form may be delivered: what is not is rarer than form and state each for itself suggest.
  CREATE STATISTICS ${schema}.signup_form_state (mcv) ON form, state FROM ${signup};

  CREATE TABLE ${batch} (id uuid PRIMARY KEY, publication text NOT NULL, claimed_at bigint NOT NULL, sent_at bigint);
  CREATE INDEX batch_of_publication ON ${batch} (publication, claimed_at, id);
  CREATE TABLE ${schema}.walk (publication text PRIMARY KEY, place text, holder uuid NOT NULL, held_until bigint NOT NULL);

  CREATE TABLE ${confirmationMailbox} (
    mailbox text ${bytes} NOT NULL,
    publication text NOT NULL,
    mails integer NOT NULL,
    last_mail_at bigint NOT NULL,
    suppressed_at bigint,
    signups text NOT NULL DEFAULT '[]',
    PRIMARY KEY (mailbox, publication)
  );
  CREATE INDEX confirmation_mailbox_by_mail ON ${confirmationMailbox} (last_mail_at);

  CREATE TABLE ${consent} (
    signup uuid NOT NULL,
    kind text NOT NULL CHECK (kind IN ('requested', 'unclear', 'given', 'confirmed', 'left')),
    at bigint NOT NULL,
    form text NOT NULL,
    person text ${bytes} NOT NULL,
    sentence text,
    version text,
    page text,
    visitor text,
    PRIMARY KEY (signup, kind)
  );
  CREATE INDEX consent_by_person ON ${consent} (person);
  CREATE INDEX consent_unclear ON ${consent} (signup) WHERE kind = 'unclear';
  CREATE FUNCTION ${schema}.refuse_update() RETURNS trigger LANGUAGE plpgsql
    AS $$ BEGIN RAISE EXCEPTION 'the consent ledger is append-only'; END $$;
  CREATE TRIGGER consent_is_append_only BEFORE UPDATE ON ${consent} EXECUTE FUNCTION ${schema}.refuse_update();
  -- The request that a person has to confirm, and words that are unclear, go with their signup.
  CREATE FUNCTION ${schema}.delete_request() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    DELETE FROM ${consent} WHERE signup = OLD.id AND kind IN ('requested', 'unclear');
    RETURN NULL;
  END $$;
  CREATE TRIGGER request_of_signup AFTER DELETE ON ${signup} FOR EACH ROW
    WHEN (OLD.state IN ('unconfirmed', 'review')) EXECUTE FUNCTION ${schema}.delete_request();

  CREATE TABLE ${destination} (
    name text ${bytes} PRIMARY KEY,
    types text NOT NULL,
    held text,
    resumes integer NOT NULL DEFAULT 0
  );
  CREATE TABLE ${message} (
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
  CREATE INDEX webhook_due ON ${message} (destination, next_attempt_at, seq) WHERE next_attempt_at IS NOT NULL;
  CREATE INDEX webhook_of_signup ON ${message} (destination, signup, seq) WHERE next_attempt_at IS NOT NULL;
  CREATE INDEX webhook_dead ON ${message} (at) WHERE next_attempt_at IS NULL;
  -- Added in the transaction that changes a signup.
  CREATE FUNCTION ${schema}.add_webhook_messages() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO ${message} (destination, type, signup, form, at, reason)
    SELECT name, event, NEW.id, NEW.form, coalesce(NEW.settled_at, NEW.due_at), NEW.last_error
    FROM ${destination} CROSS JOIN (SELECT CASE NEW.state
      WHEN 'delivered' THEN 'signup.delivered' WHEN 'dead' THEN 'signup.refused' ELSE 'signup.confirmed' END AS event) AS e
    WHERE strpos(types, event) > 0;
    RETURN NULL;
  END $$;
  CREATE TRIGGER webhook_of_state AFTER UPDATE OF state ON ${signup} FOR EACH ROW
    WHEN (NEW.state <> OLD.state
      AND (NEW.state IN ('delivered', 'dead') OR (OLD.state = 'unconfirmed' AND NEW.state = 'waiting')))
    EXECUTE FUNCTION ${schema}.add_webhook_messages();
  CREATE FUNCTION ${schema}.add_status_messages() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO ${message} (destination, type, signup, form, at)
    SELECT name, 'signup.status', NEW.id, NEW.form, OLD.next_attempt_at FROM ${destination}
    WHERE strpos(types, 'signup.status') > 0;
    RETURN NULL;
  END $$;
  CREATE TRIGGER webhook_of_status AFTER UPDATE OF status ON ${signup} FOR EACH ROW
    WHEN (OLD.state = 'delivered' AND NEW.next_attempt_at IS NULL) EXECUTE FUNCTION ${schema}.add_status_messages();

  -- Hashes of the addresses of erased people.
  CREATE TABLE ${suppression} (hash text ${bytes} PRIMARY KEY);
  -- UNLOGGED: a counter needs no sync.
  CREATE UNLOGGED TABLE ${counter} (key text ${bytes} PRIMARY KEY, points integer NOT NULL, until bigint NOT NULL);

  -- Signups by form and state, counted by each connection in rows of its own: no two transactions wait for one.
  CREATE TABLE ${tally} (connection integer, form text, state text, count bigint NOT NULL, PRIMARY KEY (connection, form, state))
    WITH (fillfactor = 50, autovacuum_vacuum_threshold = 200);
  ${countSignups('INSERT', 'NEW TABLE AS added', added)}
  ${countSignups('UPDATE', 'OLD TABLE AS gone NEW TABLE AS added', `${added} UNION ALL ${gone}`)}
  ${countSignups('DELETE', 'OLD TABLE AS gone', gone)}
  -- Room on the page of a row for what becomes of it, and dead rows cleared before there are many.
  ALTER TABLE ${signup} SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05);
  ALTER TABLE ${message} SET (autovacuum_vacuum_scale_factor = 0.02);
  ALTER TABLE ${counter} SET (fillfactor = 70);
`;

/** An open database. */
export interface OpenDatabase {
  /** For requests of visitors and for delivery: answers or fails within {@link brief}. */
  readonly brief: Connections;
  /** For the counters of rate limits, of which every post queries some before it is stored. */
  readonly counting: Connections;
  /** For what operators read. */
  readonly reading: Connections;
  /** For what operators and retention change: many signups perhaps. */
  readonly long: Connections;
  close(): Promise<void>;
}

/** The oldest version that is tested. */
const oldestVersion = 13;

// Milliseconds. The server's limits are shorter, so that it can end the statement and keep the connection.
const brief = { name: 'newsletter-relay', max: 5, connectMs: 2000, serverMs: 2500, answerMs: 3000 };
const counting = { ...brief, max: 2, connectMs: 500, serverMs: 800, answerMs: 1000 };
const reading = { ...brief, max: 2, serverMs: readMs, answerMs: readMs + 500 };
const long = { ...brief, max: 1, connectMs: 10_000, serverMs: 60_000, answerMs: 65_000 };
/** @throws StartupError with one sentence that says what to do and contains no password */
export async function openDatabase(url: string): Promise<OpenDatabase> {
  const place = storeName({ kind: 'postgres', url });
  const database: OpenDatabase = {
    brief: new Connections(url, brief),
    counting: new Connections(url, counting),
    reading: new Connections(url, reading),
    long: new Connections(url, long),
    async close() {
      await Promise.all([this.brief, this.counting, this.reading, this.long].map((pool) => pool.close()));
    },
  };
  try {
    const [server = {}] = await database.brief.query(
      `SELECT current_setting('server_version_num')::int AS version, current_setting('fsync') AS fsync,
        current_setting('synchronous_commit') AS "synchronousCommit", current_setting('server_encoding') AS encoding`,
    );
    checkServer(server, place);
    if (!(await hasTables(database.brief, place)))
      await database.long.transaction((query) => prepareTables(query, place));
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

async function hasTables({ query }: { readonly query: RunQuery }, place: string): Promise<boolean> {
  const [tables] = await query(`SELECT to_regclass('${setting}') IS NOT NULL AS exist`);
  const [row] = tables?.['exist'] === true ? await query(`SELECT value FROM ${setting} WHERE name = 'version'`) : [];
  return hasTablesOf(tablesVersion, Number(row?.['value'] ?? 0), `The tables in ${schema} of ${place} were`);
}

/** Creates the tables, while other starting relays wait for the lock. */
async function prepareTables(query: RunQuery, place: string): Promise<void> {
  await query(`SELECT pg_advisory_xact_lock(${tablesLock})`);
  if (await hasTables({ query }, place)) return;
  await query(`CREATE SCHEMA IF NOT EXISTS ${schema};
    CREATE TABLE ${setting} (name text PRIMARY KEY, value text NOT NULL);
    CREATE TABLE ${schema}.probe (id integer PRIMARY KEY CHECK (id = 1), at bigint NOT NULL, room text NOT NULL);
    ${createTables}`);
  await query(setSetting, ['version', String(tablesVersion)]);
}
