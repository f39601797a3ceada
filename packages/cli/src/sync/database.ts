/** The contacts in PostgreSQL, and beside them the tables that belong to the sync. */
import pg from 'pg';
import { UsageError, quote } from '@newsletter-kit/core/command-line';
import type { ConsentRecord, ContactCreate, ContactWrite } from '@newsletter-kit/core/sync';
import { columnsOf, tokenPath, writtenColumns, type SyncConfig } from './config.ts';

/** A run failed. The message says what to do, and holds no value, no address and no part of the database's URL. */
export class SyncError extends Error {
  override readonly name = 'SyncError';
  /** Whether the same may work later. */
  readonly isTransient: boolean;

  constructor(message: string, isTransient: boolean) {
    super(message);
    this.isTransient = isTransient;
  }
}

/** PostgreSQL refused one row. */
class RowRefused extends SyncError {
  /** SQLSTATE, with the names of column and constraint where there are any. */
  readonly reason: string;

  constructor(reason: string) {
    super(`PostgreSQL refused a row: ${reason}. Run newsletter sync plan to see which contacts it would write.`, false);
    this.reason = reason;
  }
}

/** A contact that PostgreSQL did not take. */
export interface Refusal {
  /** Undefined for a contact that was to be created. */
  readonly contactId?: string;
  /** The subscription of a contact that was to be created. */
  readonly subscriptionId?: string;
  /** SQLSTATE, with the names of column and constraint where there are any. */
  readonly reason: string;
}

export interface WriteResult {
  readonly updated: number;
  readonly created: number;
  /** Contacts that somebody changed or deleted after they were read. */
  readonly skipped: number;
  readonly refused: readonly Refusal[];
}

/** What is kept of a sync beside the tokens. */
export interface StoredRun {
  readonly state: unknown;
  readonly lastRun: unknown;
  readonly tokens: number;
}

/** A line of the consent trail. */
export interface ConsentLine {
  readonly first_seen: string;
  readonly said_by: string;
  readonly field: string;
  readonly subscription_id: string;
  readonly contact_id: string | null;
  readonly written: unknown;
  /** Null as long as not everything that follows from it was written. */
  readonly completed_at: string | null;
}

/** The contacts of one sync. */
export interface SyncDatabase {
  /** @returns false where another run of the same sync holds the lock, which lasts until `close` */
  lock(): Promise<boolean>;
  /** Creates the tables of the sync where they are missing. @throws UsageError where the sync can't write */
  prepare(): Promise<void>;
  read(): Promise<StoredRun>;
  /** All contacts as records for the planner, in the order of their ids, from one snapshot. */
  contacts(): AsyncGenerator<Record<string, unknown>>;
  /** Stores what is about to be carried out, before it is. */
  noteConsent(records: readonly ConsentRecord[], contactWrites: readonly ContactWrite[]): Promise<void>;
  /**
   * Writes contacts, values and token of each in one transaction, and completes their consent records. A contact that
   * PostgreSQL refuses fails alone.
   */
  write(writes: ContactChanges, onProgress: (done: number) => void): Promise<WriteResult>;
  /** Stores the state of a run that has carried out everything, and completes the given consent records. */
  finish(run: { readonly state: unknown; readonly lastRun: unknown; readonly consent: ConsentRecords }): Promise<void>;
  consentTrail(): AsyncGenerator<ConsentLine>;
  close(): Promise<void>;
}

export interface ContactChanges {
  readonly updates: readonly ContactWrite[];
  readonly creates: readonly ContactCreate[];
}
type ConsentRecords = readonly ConsentRecord[];

interface Column {
  readonly name: string;
  readonly kind: 'list' | 'json' | 'time' | 'value';
  readonly generated: boolean;
  readonly readable: boolean;
  readonly updatable: boolean;
  readonly insertable: boolean;
}

/** Contacts in one transaction, and rows of one fetch. */
const batchSize = 500;

/** A name as SQL takes it. */
const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const qualified = (table: string): string => table.split('.', 2).map(identifier).join('.');

/**
 * How columns are read. `pg` has no parser for arrays of every type, and would shift days and times without a zone by
 * the zone of the machine.
 */
const casts = { list: '::text[]', json: '', time: '::text', value: '' } as const;

/** Every statement, by name; `$1` is the scope of the sync where there is one. */
function statements({ schema, contacts, mapping }: SyncConfig, columns: ReadonlyMap<string, Column>) {
  const own = (table: string): string => `${identifier(schema)}.${identifier(table)}`;
  const tokens = own('newsletter_sync_tokens');
  const state = own('newsletter_sync_state');
  const consent = own('newsletter_sync_consent');
  const table = qualified(contacts.table);
  const id = identifier(contacts.id);
  const read = [contacts.email, ...columnsOf(mapping)];
  /** Changes with each column that the sync reads. */
  const version = `md5(row(${read.map((name) => `c.${identifier(name)}`).join(', ')})::text)`;
  const shown = read.map((name) => `c.${identifier(name)}${casts[columns.get(name)?.kind ?? 'value']}`);
  const keepToken = `ON CONFLICT (scope, contact_id) DO UPDATE SET token = excluded.token`;
  const noted = `jsonb_to_recordset($2::jsonb) AS r (subscription_id text, said_by text, field text, contact_id text,
                   written jsonb)`;
  const sameConsent = `c.scope = $1 AND c.subscription_id = r.subscription_id AND c.said_by = r.said_by
                         AND c.field = r.field AND c.contact_id IS NOT DISTINCT FROM r.contact_id`;
  const run = `SELECT s.state, s.last_run AS "lastRun",
                 (SELECT count(*)::int FROM ${tokens} WHERE scope = $1) AS tokens FROM ${state} AS s WHERE s.scope = $1`;
  return {
    tables: `
      CREATE TABLE IF NOT EXISTS ${tokens} (
        scope text, contact_id text, token text NOT NULL, PRIMARY KEY (scope, contact_id));
      CREATE TABLE IF NOT EXISTS ${state} (
        scope text PRIMARY KEY, contacts text NOT NULL, state jsonb, last_run jsonb, updated_at timestamptz);
      CREATE TABLE IF NOT EXISTS ${consent} (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, scope text NOT NULL,
        first_seen timestamptz NOT NULL DEFAULT clock_timestamp(), said_by text NOT NULL,
        subscription_id text NOT NULL, contact_id text, field text NOT NULL, written jsonb, completed_at timestamptz);
      CREATE UNIQUE INDEX IF NOT EXISTS newsletter_sync_consent_open ON ${consent}
        (scope, subscription_id, said_by, field, coalesce(contact_id, '')) WHERE completed_at IS NULL`,
    claim: `INSERT INTO ${state} (scope, contacts) VALUES ($1, $2) ON CONFLICT (scope) DO NOTHING`,
    claimed: `SELECT contacts FROM ${state} WHERE scope = $1`,
    run,
    lock: `SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS taken`,
    tablesThere: `SELECT to_regclass($1) IS NOT NULL AS there`,
    stateTable: state,
    openContacts: (hasTokens: boolean) => `DECLARE contacts NO SCROLL CURSOR FOR
      SELECT c.${id}::text, ${version}, ${hasTokens ? 't.token' : 'NULL'}, ${shown.join(', ')} FROM ${table} AS c
      ${hasTokens ? `LEFT JOIN ${tokens} AS t ON t.scope = $1 AND t.contact_id = c.${id}::text` : ''}
      ORDER BY c.${id}`,
    fetchContacts: `FETCH ${batchSize} FROM contacts`,
    update: (names: readonly string[]) => `
      WITH changed AS (
        UPDATE ${table} AS c SET ${names.map((name, at) => `${identifier(name)} = $${at + 6}`).join(', ')}
        WHERE c.${id} = $4 AND ${version} = $5 RETURNING 1)
      INSERT INTO ${tokens} (scope, contact_id, token) SELECT $1, $2, $3 FROM changed ${keepToken}`,
    token: `INSERT INTO ${tokens} (scope, contact_id, token) SELECT $1, $2, $3 FROM ${table} AS c WHERE c.${id} = $4
            ${keepToken}`,
    create: (names: readonly string[]) => `
      WITH created AS (
        INSERT INTO ${table} (${names.map(identifier).join(', ')}) VALUES (${names.map((_, at) => `$${at + 3}`).join(', ')})
        RETURNING ${id}::text AS id)
      INSERT INTO ${tokens} (scope, contact_id, token) SELECT $1, id, $2 FROM created ${keepToken} RETURNING contact_id`,
    // A record that is open already was stored by a run that did not come to its end.
    noteConsent: `
      INSERT INTO ${consent} AS c (scope, subscription_id, said_by, field, contact_id, written)
      SELECT $1, r.subscription_id, r.said_by, r.field, r.contact_id, r.written FROM ${noted}
      ON CONFLICT (scope, subscription_id, said_by, field, coalesce(contact_id, '')) WHERE completed_at IS NULL
      DO UPDATE SET written = coalesce(c.written, excluded.written)`,
    completeConsent: `UPDATE ${consent} AS c SET completed_at = clock_timestamp() FROM ${noted}
                      WHERE c.completed_at IS NULL AND ${sameConsent}`,
    addConsent: `
      INSERT INTO ${consent} (scope, subscription_id, said_by, field, contact_id, written, completed_at)
      VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp())`,
    finish: `UPDATE ${state} SET state = $2, last_run = $3, updated_at = clock_timestamp() WHERE scope = $1`,
    trail: `SELECT id, first_seen, said_by, field, subscription_id, contact_id, written, completed_at FROM ${consent}
            WHERE scope = $1 AND id > $2 ORDER BY id LIMIT ${batchSize}`,
  };
}

/** Columns of the contacts table, from the catalog; of a domain, the kind of its base type. */
const columnsQuery = `
  SELECT a.attname AS name,
    CASE WHEN coalesce(b.typcategory, t.typcategory) = 'A' THEN 'list'
         WHEN coalesce(b.typname, t.typname) IN ('json', 'jsonb') THEN 'json'
         WHEN coalesce(b.typname, t.typname) IN ('date', 'timestamp') THEN 'time' ELSE 'value' END AS kind,
    a.attgenerated <> '' AS generated,
    has_column_privilege(a.attrelid, a.attnum, 'SELECT') AS readable,
    has_column_privilege(a.attrelid, a.attnum, 'UPDATE') AS updatable,
    has_column_privilege(a.attrelid, a.attnum, 'INSERT') AS insertable
  FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid LEFT JOIN pg_type AS b ON b.oid = t.typbasetype
  WHERE a.attrelid = to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`;

/**
 * Connects and checks table and columns. Writes nothing.
 *
 * @param scope - names the sync in its tables
 * @throws UsageError where table or columns are missing, SyncError where PostgreSQL can't be used
 */
export async function openDatabase(url: string, config: SyncConfig, scope: string): Promise<SyncDatabase> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'newsletter-sync',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  });
  // A connection that breaks while nothing is asked of it; the next statement fails.
  client.on('error', () => undefined);
  try {
    await client.connect();
    // A day stands for its midnight in UTC, and dates come as YYYY-MM-DD, whatever server and machine are set to.
    await client.query(`SET TimeZone = 'UTC'; SET DateStyle = 'ISO, YMD'; SET client_encoding = 'UTF8'`);
    return connected(client, config, scope, await checkTable(client, config));
  } catch (error) {
    await client.end().catch(() => undefined);
    throw toProblem(error, config.contacts.id);
  }
}

/** @throws UsageError that names what is missing, and what there is */
async function checkTable(client: pg.Client, config: SyncConfig): Promise<ReadonlyMap<string, Column>> {
  const { contacts, mapping } = config;
  const { rows } = await client.query<Column>(columnsQuery, [qualified(contacts.table)]);
  if (rows.length === 0)
    throw new UsageError(
      `There is no table ${quote(contacts.table)} in the database: correct "contacts.table", upper and lower case as in PostgreSQL, with its schema in front where it is not on the search path.`,
    );
  const columns = new Map(rows.map((column) => [column.name, column]));
  const problems: string[] = [];
  for (const name of [contacts.id, contacts.email, ...columnsOf(mapping)]) {
    const column = columns.get(name);
    if (!column)
      problems.push(
        `Table ${quote(contacts.table)} has no column ${quote(name)}. It has: ${[...columns.keys()].join(', ')}.`,
      );
    else if (!column.readable)
      problems.push(`The database user can't read column ${quote(name)}: grant it SELECT on ${contacts.table}.`);
  }
  for (const name of writtenColumns(mapping))
    if (columns.get(name)?.generated)
      problems.push(`PostgreSQL computes column ${quote(name)} itself: let its field go to_subscription.`);
  for (const { contact, separator } of mapping.fields)
    if (separator !== undefined && columns.get(contact)?.kind === 'list')
      problems.push(`Column ${quote(contact)} is an array and needs no "separator": remove it.`);
  if (problems.length > 0) throw new UsageError(problems);
  return columns;
}

function connected(
  client: pg.Client,
  config: SyncConfig,
  scope: string,
  columns: ReadonlyMap<string, Column>,
): SyncDatabase {
  const sql = statements(config, columns);
  const { contacts, mapping } = config;
  /** What each contact showed when it was read, by id. */
  const versions = new Map<string, string>();
  /** The consent records that are stored and not completed, by the contact's id. */
  const open = new Map<string, ConsentRecord[]>();

  return {
    async lock() {
      const [row] = await rows<{ taken: boolean }>(sql.lock, [`newsletter-sync ${scope}`]);
      return row?.taken === true;
    },

    async prepare() {
      const { newSubscription, contactMissing, addressChangedInNewsletter } = mapping.situations ?? {};
      const creates = newSubscription !== 'leave' || contactMissing === 'create_contact';
      const written = [...writtenColumns(mapping), contacts.email].map((name) => columns.get(name));
      const updated = addressChangedInNewsletter === 'report' ? written.slice(0, -1) : written;
      const problems = [
        ...lackOf(
          'UPDATE',
          updated.filter((column) => column?.updatable === false),
        ),
        ...lackOf('INSERT', creates ? written.filter((column) => column?.insertable === false) : []),
      ];
      if (problems.length > 0) throw new UsageError(problems);
      const place = `${contacts.table} (${contacts.id})`;
      await transaction(async () => {
        await rows(`SELECT pg_advisory_xact_lock(hashtextextended('newsletter-sync tables', 0))`);
        await rows(sql.tables);
        await rows(sql.claim, [scope, place]);
      });
      const [claimed] = await rows<{ contacts: string }>(sql.claimed, [scope]);
      if (claimed && claimed.contacts !== place)
        throw new UsageError(
          `The sync ${quote(config.name)} belongs to the contacts in ${claimed.contacts}: give the one with ${place} a "name" of its own in the configuration.`,
        );
    },

    async read() {
      const nothing = { state: null, lastRun: null, tokens: 0 };
      return (await hasTables()) ? ((await rows<StoredRun>(sql.run, [scope]))[0] ?? nothing) : nothing;
    },

    async *contacts() {
      const hasTokens = await hasTables();
      const names = [contacts.email, ...columnsOf(mapping)];
      await rows('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
      try {
        await rows(sql.openContacts(hasTokens), hasTokens ? [scope] : []);
        for (;;) {
          const page = await lists(sql.fetchContacts);
          if (page.length === 0) break;
          for (const [id, version, token, ...values] of page) {
            if (typeof id === 'string' && typeof version === 'string') versions.set(id.trim(), version);
            yield Object.fromEntries([
              ...names.map((name, at) => [name, values[at]] as const),
              [contacts.id, id],
              [tokenPath, token],
            ]);
          }
        }
      } finally {
        await rows('ROLLBACK').catch(() => undefined);
      }
    },

    async noteConsent(records, contactWrites) {
      const written = new Set(contactWrites.map(({ id }) => id));
      for (const record of records) {
        const { contactId } = record;
        if (contactId === null || !written.has(contactId)) continue;
        open.set(contactId, [...(open.get(contactId) ?? []), record]);
      }
      // By key: a statement can't write one row twice.
      const unique = new Map(records.map((record) => [JSON.stringify(consentKey(record)), consentRow(record)]));
      for (const batch of inBatches([...unique.values()])) await rows(sql.noteConsent, [scope, JSON.stringify(batch)]);
    },

    async write({ updates, creates }, onProgress) {
      const counts = { updated: 0, created: 0, skipped: 0 };
      const refused: Refusal[] = [];
      const jobs = [
        ...updates.map((write) => ({ run: () => update(write), place: { contactId: write.id } })),
        ...creates.map((write) => ({ run: () => create(write), place: { subscriptionId: write.subscriptionId } })),
      ];
      let done = 0;
      for (const batch of inBatches(jobs)) {
        const count = (outcomes: readonly Outcome[]): void => {
          for (const outcome of outcomes) counts[outcome] += 1;
        };
        const all = await orRefused(() => inTransaction(batch));
        if ('outcome' in all) count(all.outcome);
        else {
          for (const job of batch) {
            const one = await orRefused(() => inTransaction([job]));
            if ('outcome' in one) count(one.outcome);
            else refused.push({ ...job.place, reason: one.reason });
          }
        }
        done += batch.length;
        onProgress(done);
      }
      return { ...counts, refused };
    },

    async finish({ state, lastRun, consent }) {
      await transaction(async () => {
        await completeConsent(consent);
        await rows(sql.finish, [scope, JSON.stringify(state), JSON.stringify(lastRun)]);
      });
    },

    async *consentTrail() {
      if (!(await hasTables())) return;
      let last = '0';
      for (;;) {
        const page = await rows<ConsentLine & { readonly id: string }>(sql.trail, [scope, last]);
        for (const { id, ...line } of page) {
          yield line;
          last = id;
        }
        if (page.length < batchSize) return;
      }
    },

    close: () => client.end().catch(() => undefined),
  };

  function lackOf(right: string, lacking: readonly (Column | undefined)[]): readonly string[] {
    if (lacking.length === 0) return [];
    const names = lacking.map((column) => identifier(column?.name ?? '')).join(', ');
    return [
      `The database user can't write all columns: GRANT ${right} (${names}) ON ${qualified(contacts.table)} to it.`,
    ];
  }

  async function hasTables(): Promise<boolean> {
    const [row] = await rows<{ there: boolean }>(sql.tablesThere, [sql.stateTable]);
    return row?.there === true;
  }

  async function update({ id, changes, token }: ContactWrite): Promise<Outcome> {
    const names = Object.keys(changes);
    const values = names.map((name) => toColumn(columns.get(name), changes[name]));
    const { rowCount } =
      names.length === 0
        ? await query(sql.token, [scope, id, token, id])
        : await query(sql.update(names), [scope, id, token, id, versions.get(id) ?? '', ...values]);
    if ((rowCount ?? 0) === 0) return 'skipped';
    await completeConsent(open.get(id) ?? []);
    return 'updated';
  }

  async function create({ subscriptionId, changes, consent }: ContactCreate): Promise<Outcome> {
    const { [tokenPath]: token, ...values } = changes;
    const names = Object.keys(values);
    const [created] = await rows<{ contact_id: string }>(sql.create(names), [
      scope,
      token,
      ...names.map((name) => toColumn(columns.get(name), values[name])),
    ]);
    if (!created) return 'skipped';
    for (const { saidBy, field, written } of consent)
      await rows(sql.addConsent, [
        scope,
        subscriptionId,
        saidBy,
        field,
        created.contact_id,
        written && JSON.stringify(written),
      ]);
    return 'created';
  }

  async function completeConsent(records: ConsentRecords): Promise<void> {
    for (const batch of inBatches(records))
      await rows(sql.completeConsent, [scope, JSON.stringify(batch.map(consentRow))]);
  }

  async function inTransaction(jobs: readonly { readonly run: () => Promise<Outcome> }[]): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    await transaction(async () => {
      for (const { run } of jobs) outcomes.push(await run());
    });
    return outcomes;
  }

  async function transaction(work: () => Promise<void>): Promise<void> {
    await query('BEGIN');
    try {
      await work();
      await query('COMMIT');
    } catch (error) {
      await query('ROLLBACK').catch(() => undefined);
      throw error;
    }
  }

  async function orRefused<T>(work: () => Promise<T>): Promise<{ outcome: T } | { reason: string }> {
    try {
      return { outcome: await work() };
    } catch (error) {
      if (error instanceof RowRefused) return { reason: error.reason };
      throw error;
    }
  }

  async function query<Row extends pg.QueryResultRow>(
    text: string,
    values: readonly unknown[] = [],
  ): Promise<pg.QueryResult<Row>> {
    try {
      // Several statements in one text can't have parameters.
      return await (values.length === 0 ? client.query<Row>(text) : client.query<Row>(text, [...values]));
    } catch (error) {
      throw toProblem(error, contacts.id);
    }
  }

  async function rows<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await query<Row>(text, values)).rows;
  }

  async function lists(text: string): Promise<unknown[][]> {
    try {
      return (await client.query<unknown[]>({ text, rowMode: 'array' })).rows;
    } catch (error) {
      throw toProblem(error, contacts.id);
    }
  }
}

type Outcome = 'updated' | 'created' | 'skipped';

const consentKey = ({ subscriptionId, saidBy, field, contactId }: ConsentRecord) => ({
  subscription_id: subscriptionId,
  said_by: saidBy,
  field,
  contact_id: contactId,
});
const consentRow = (record: ConsentRecord) => ({ ...consentKey(record), written: record.written });

/** A value as its column takes it: lists as an array, as JSON, or as one text. */
function toColumn(column: Column | undefined, value: unknown): unknown {
  if (column?.kind === 'json') return value === null ? null : JSON.stringify(value);
  return Array.isArray(value) && column?.kind !== 'list' ? value.join(';') : value;
}

function* inBatches<Entry>(entries: readonly Entry[]): Generator<readonly Entry[]> {
  for (let start = 0; start < entries.length; start += batchSize) yield entries.slice(start, start + batchSize);
}

/**
 * SQLSTATE classes (https://www.postgresql.org/docs/current/errcodes-appendix.html) that are about one row: its values,
 * constraints, types, triggers.
 */
const ofOneRow = /^(21|22|23|44|P0|428C9|42804)/;

/** Why PostgreSQL refused a row; null where the error is not about one row. The message of the error holds values. */
function refusalOf(error: unknown, idColumn: string): string | null {
  if (!(error instanceof pg.DatabaseError) || error.code === undefined || !ofOneRow.test(error.code)) return null;
  const { code, column, constraint } = error;
  const place = [column && `column ${column}`, constraint && `constraint ${constraint}`].filter(Boolean).join(', ');
  const hint =
    code === '23502' && column === idColumn
      ? ': give the column a default, such as GENERATED ALWAYS AS IDENTITY, or set situations.newSubscription to leave'
      : '';
  return `SQLSTATE ${code}${place && ` (${place})`}${hint}`;
}

/** What to do about errors of PostgreSQL and of the way to it. */
const remedies: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing answers there: start it, or correct host and port of DATABASE_URL',
  ENOTFOUND: 'there is no such host: correct DATABASE_URL',
  EAI_AGAIN: 'the name of its host cannot be looked up: check the network',
  ETIMEDOUT: 'it does not answer in time: check host, port and firewall',
  '28P01': 'the password is wrong: correct DATABASE_URL',
  '28000': 'it does not let this user in: correct the user, or its pg_hba.conf',
  '3D000': 'there is no such database: create it, or correct DATABASE_URL',
  '3F000': 'there is no such schema: create it, or correct "schema" in the configuration',
  '42501':
    'the user lacks a right: grant it SELECT, INSERT and UPDATE on the contacts and on the tables newsletter_sync_*, and CREATE on the schema of these',
  '53100': 'its disk is full: make room on it',
  '53300': 'it has no connection left: raise max_connections',
  '25006': 'it is read-only: name the primary in DATABASE_URL',
  '55P03': 'a row is locked by another transaction: run the command again',
  '40P01': 'two transactions waited for each other: run the command again',
};

/** What errors without a code are about, by their messages. */
const uncoded: readonly (readonly [RegExp, string])[] = [
  [/password must be/i, 'it wants a password: put one into DATABASE_URL'],
  [/SSL/, 'it offers no TLS: correct sslmode in DATABASE_URL'],
  [/timeout/i, remedies['ETIMEDOUT'] ?? ''],
  [/connection|client was closed|client has encountered/i, 'the connection broke: run the command again'],
];

/** An error without the texts of PostgreSQL, which may hold values of a row and parts of the URL. */
function toProblem(error: unknown, idColumn: string): unknown {
  if (!(error instanceof Error) || error instanceof UsageError || error instanceof SyncError) return error;
  const refusal = refusalOf(error, idColumn);
  if (refusal !== null) return new RowRefused(refusal);
  const code = codeOf(error);
  if (code === null) {
    const [pattern, text] = uncoded.find(([each]) => each.test(error.message)) ?? [];
    return text === undefined ? error : new SyncError(`PostgreSQL can't be used: ${text}.`, !pattern?.test('SSL'));
  }
  const isBroken = /^(08|57P|E[A-Z]+$)/.test(code);
  const text = remedies[code] ?? (isBroken ? 'the connection broke: run the command again' : `it reports ${code}`);
  return new SyncError(`PostgreSQL can't be used: ${text}.`, isBroken || /^(40|53|55)/.test(code));
}

function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if ('code' in error && typeof error.code === 'string') return error.code;
  // Node tries every address of a name, and reports all failures at once.
  return error instanceof AggregateError ? codeOf(error.errors[0]) : null;
}
