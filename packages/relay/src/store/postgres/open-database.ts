/** Opens the PostgreSQL database: checks version and durability, and creates the tables. */
import { StartupError } from '../../errors.ts';
import { storeName } from '../../config/store-address.ts';
import { tablesOf } from '../acts/tables.ts';
import { explainStoreError } from '../database-errors.ts';
import type { Row } from '../rows.ts';
import { readMs } from '../signup-store.ts';
import { hasTablesOf } from '../version.ts';
import { type Connections, createConnections, type RunQuery } from './connections.ts';
import { counter, dialect, message, scan, schema, setting, signup, tally } from './sql-parts.ts';

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

const tables = tablesOf({
  ...dialect,
  uuid: 'uuid',
  number: 'bigint',
  flag: 'boolean NOT NULL DEFAULT false',
  // Hashes, identifiers and times sort as in every other store.
  bytes: 'text COLLATE "C"',
  ordinal: 'bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
  newId: 'gen_random_uuid()',
  options: '',
  trigger: (name, { event, on, when, statements }) =>
    `CREATE FUNCTION ${schema}.${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${statements} RETURN NULL; END $$;
     CREATE TRIGGER ${name} ${event} ON ${dialect.table(on)} FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION ${schema}.${name}();`,
  refuse: (why) => `RAISE EXCEPTION '${why}';`,
});

const createTables = `
  CREATE SCHEMA IF NOT EXISTS ${schema};
  ${tables}
  CREATE INDEX signup_open ON ${signup} (state, id, form, due_at) WHERE state <> 'delivered';
  -- Nearly all signups of a form may be delivered: what is not is rarer than form and state each for itself suggest.
  CREATE STATISTICS ${schema}.signup_form_state (mcv) ON form, state FROM ${signup};
  CREATE TABLE ${scan} (publication text PRIMARY KEY, place text, holder uuid NOT NULL, held_until bigint NOT NULL);
  CREATE TABLE ${schema}.probe (id integer PRIMARY KEY CHECK (id = 1), at bigint NOT NULL, room text NOT NULL);
  -- Counters of rate limits. UNLOGGED: one needs no sync.
  CREATE UNLOGGED TABLE ${counter} (key text COLLATE "C" PRIMARY KEY, points integer NOT NULL, until bigint NOT NULL);
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
// This process may be busy between two statements of a read, which holds no lock.
const reading = { ...brief, max: 2, serverMs: readMs, idleMs: 10_000, answerMs: readMs + 500 };
const long = { ...brief, max: 1, connectMs: 10_000, serverMs: 60_000, answerMs: 65_000 };
/** @throws StartupError with one sentence that says what to do and contains no password */
export async function openDatabase(url: string): Promise<OpenDatabase> {
  const place = storeName({ kind: 'postgres', url });
  const database: OpenDatabase = {
    brief: createConnections(url, brief),
    counting: createConnections(url, counting),
    reading: createConnections(url, reading),
    long: createConnections(url, long),
    async close() {
      await Promise.all([this.brief, this.counting, this.reading, this.long].map((pool) => pool.close()));
    },
  };
  try {
    const {
      rows: [server = {}],
    } = await database.brief.query<Row>(
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
  const {
    rows: [tables],
  } = await query<Row>(`SELECT to_regclass('${setting}') IS NOT NULL AS exist`);
  const found =
    tables?.['exist'] === true ? await query<Row>(`SELECT value FROM ${setting} WHERE name = 'version'`) : null;
  return hasTablesOf(tablesVersion, Number(found?.rows[0]?.['value'] ?? 0), `The tables in ${schema} of ${place} were`);
}

/** Creates the tables, while other starting relays wait for the lock. */
async function prepareTables(query: RunQuery, place: string): Promise<void> {
  await query(`SELECT pg_advisory_xact_lock(${tablesLock})`);
  if (await hasTables({ query }, place)) return;
  await query(createTables);
  await query(`INSERT INTO ${setting} (name, value) VALUES ('version', $1)`, [String(tablesVersion)]);
}
