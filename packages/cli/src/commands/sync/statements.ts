/** The tables of the sync and the contacts, each statement as a function; `$1` is the scope of the sync. */
import type { ConsentRecord } from '@newsletter-kit/core/sync';
import { columnsOf, type SyncConfig } from './config.ts';
import { statementsOf, type Postgres } from './postgres.ts';

/** A column of the contacts table. */
export interface ContactColumn {
  readonly name: string;
  readonly kind: 'list' | 'json' | 'time' | 'value';
  /** Its type, without a length. */
  readonly type: string;
  readonly generated: boolean;
  readonly readable: boolean;
  readonly updatable: boolean;
  readonly insertable: boolean;
  /** Whether a new row needs a value for it: it may not be null, and neither a default nor a trigger sets it. */
  readonly required: boolean;
}

/** Contacts in one transaction, and lines of the consent trail in one query. */
export const batchSize = 500;

/** A contact to write, with its values as `v0`, `v1` and so on. */
export interface ContactRow {
  readonly contact_id?: string;
  readonly token?: unknown;
  /** What the contact has to be like still. */
  readonly version?: string;
  readonly [value: `v${number}`]: unknown;
}

/** Quotes a name for SQL. */
export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;
export const qualified = (table: string): string => table.split('.', 2).map(identifier).join('.');

/**
 * How columns are read. `pg` has no parser for arrays of every type, and would shift days and times without a zone by
 * the zone of the machine.
 */
export const casts = { list: '::text[]', json: '', time: '::text', value: '' } as const;

/** A hash of columns of the contact `c`; it detects changes. */
export const versionOf = (names: readonly string[]): string =>
  `md5(row(${names.map((name) => `c.${identifier(name)}`).join(', ')})::text)`;

/** The tables of the sync. */
export function syncTables(schema: string) {
  const named = (table: string): string => `${identifier(schema)}.${identifier(table)}`;
  return {
    tokens: named('newsletter_sync_tokens'),
    state: named('newsletter_sync_state'),
    consent: named('newsletter_sync_consent'),
    atRest: named('newsletter_sync_at_rest'),
  };
}

/** The database of one sync. */
export interface DatabaseParts {
  readonly postgres: Postgres;
  /** Names the sync in its tables. */
  readonly scope: string;
  readonly config: SyncConfig;
  /** The columns of the contacts table by name. */
  readonly columns: ReadonlyMap<string, ContactColumn>;
}

/** The statements of one sync. */
export type SyncStatements = ReturnType<typeof syncStatements>;

export function syncStatements({ postgres, scope, config, columns }: DatabaseParts) {
  const { schema, contacts, mapping } = config;
  const { one, all, run } = statementsOf(postgres, scope);
  const { tokens, state, consent, atRest } = syncTables(schema);
  const table = qualified(contacts.table);
  const id = identifier(contacts.id);
  const version = versionOf([contacts.email, ...columnsOf(mapping)]);
  const typeOf = (name: string): string => columns.get(name)?.type ?? 'text';
  const idType = typeOf(contacts.id);
  const rows = (names: readonly string[], given = '$2'): string =>
    `jsonb_to_recordset(${given}::jsonb) AS r (${[
      'contact_id text, token text, version text',
      ...names.map((name, at) => `v${at} ${typeOf(name)}`),
    ].join(', ')})`;
  const consentRecords = `jsonb_to_recordset($2::jsonb) AS r ("subscriptionId" text, "saidBy" text, field text,
                            "contactId" text, written jsonb)`;
  const sameConsent = `c.scope = $1 AND c.subscription_id = r."subscriptionId" AND c.said_by = r."saidBy"
                         AND c.field = r.field AND c.contact_id IS NOT DISTINCT FROM r."contactId"`;
  /** The contact as it is read. */
  const stored = `jsonb_build_object(${[contacts.id, contacts.email, ...columnsOf(mapping)]
    .map((name) => `'${name.replaceAll("'", "''")}', c.${identifier(name)}${casts[columns.get(name)?.kind ?? 'value']}`)
    .join(', ')}) AS stored`;
  const returning = (text: string) =>
    statementsOf(postgres).all<{ contact_id: string; stored: unknown }, [rows: readonly ContactRow[]]>(text);
  return {
    createTables: statementsOf(postgres).run(`
      SELECT pg_advisory_xact_lock(hashtextextended('newsletter-sync tables', 0));
      CREATE TABLE IF NOT EXISTS ${tokens} (
        scope text, contact_id text, token text NOT NULL, PRIMARY KEY (scope, contact_id));
      CREATE UNLOGGED TABLE IF NOT EXISTS ${atRest} (
        scope text, contact_id text, digest text NOT NULL, PRIMARY KEY (scope, contact_id));
      CREATE TABLE IF NOT EXISTS ${state} (
        scope text PRIMARY KEY, contacts text NOT NULL, state jsonb, last_run jsonb, updated_at timestamptz);
      CREATE TABLE IF NOT EXISTS ${consent} (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, scope text NOT NULL,
        first_seen timestamptz NOT NULL DEFAULT clock_timestamp(), said_by text NOT NULL,
        subscription_id text NOT NULL, contact_id text, field text NOT NULL, written jsonb, completed_at timestamptz);
      CREATE UNIQUE INDEX IF NOT EXISTS newsletter_sync_consent_open ON ${consent}
        (scope, subscription_id, said_by, field, coalesce(contact_id, '')) WHERE completed_at IS NULL`),
    findTables: statementsOf(postgres, state).one<{ exist: boolean }>('SELECT to_regclass($1) IS NOT NULL AS exist'),
    claim: run<[contacts: string]>(
      `INSERT INTO ${state} (scope, contacts) VALUES ($1, $2) ON CONFLICT (scope) DO NOTHING`,
    ),
    claimed: one<{ contacts: string }>(`SELECT contacts FROM ${state} WHERE scope = $1`),
    /** The state, the last run, and how many tokens are stored. */
    read: one<{ state: unknown; lastRun: unknown; tokens: number }>(
      `SELECT s.state, s.last_run AS "lastRun",
         (SELECT count(*)::int FROM ${tokens} WHERE scope = $1) AS tokens FROM ${state} AS s WHERE s.scope = $1`,
    ),
    /** Lasts until the connection ends. */
    lock: one<{ taken: boolean }>(
      `SELECT pg_try_advisory_lock(hashtextextended('newsletter-sync ' || $1::text, 0)) AS taken`,
    ),
    /** Updates contacts with the same changed columns, without their tokens. */
    update: (names: readonly string[]) =>
      returning(
        names.length === 0
          ? `SELECT c.${id}::text AS contact_id, ${stored} FROM ${rows([], '$1')}
             JOIN ${table} AS c ON c.${id} = r.contact_id::${idType}`
          : `UPDATE ${table} AS c SET ${names.map((name, at) => `${identifier(name)} = r.v${at}`).join(', ')}
             FROM ${rows(names, '$1')} WHERE c.${id} = r.contact_id::${idType} AND ${version} = r.version
             RETURNING c.${id}::text AS contact_id, ${stored}`,
      ),
    setTokens: run<[rows: readonly ContactRow[]]>(
      `INSERT INTO ${tokens} (scope, contact_id, token) SELECT $1, r.contact_id, r.token FROM ${rows([])}
       ON CONFLICT (scope, contact_id) DO UPDATE SET token = excluded.token`,
    ),
    /** Creates one contact, without its token. */
    create: (names: readonly string[]) =>
      returning(`
        INSERT INTO ${table} AS c (${names.map(identifier).join(', ')})
        SELECT ${names.map((_, at) => `v${at}`).join(', ')} FROM ${rows(names, '$1')}
        RETURNING c.${id}::text AS contact_id, ${stored}`),
    // An open record with the same key was stored by a run that was interrupted.
    noteConsent: run<[records: readonly ConsentRecord[]]>(
      `INSERT INTO ${consent} AS c (scope, subscription_id, said_by, field, contact_id, written)
       SELECT $1, r."subscriptionId", r."saidBy", r.field, r."contactId", r.written FROM ${consentRecords}
       ON CONFLICT (scope, subscription_id, said_by, field, coalesce(contact_id, '')) WHERE completed_at IS NULL
       DO UPDATE SET written = coalesce(c.written, excluded.written)`,
    ),
    completeConsent: run<[records: readonly ConsentRecord[]]>(
      `UPDATE ${consent} AS c SET completed_at = clock_timestamp() FROM ${consentRecords}
       WHERE c.completed_at IS NULL AND ${sameConsent}`,
    ),
    /** Adds records that are completed. */
    addConsent: run<[records: readonly ConsentRecord[]]>(
      `INSERT INTO ${consent} (scope, subscription_id, said_by, field, contact_id, written, completed_at)
       SELECT $1, r."subscriptionId", r."saidBy", r.field, r."contactId", r.written, clock_timestamp() FROM ${consentRecords}`,
    ),
    finish: run<[state: object, lastRun: object | null]>(
      `UPDATE ${state} SET state = $2, last_run = $3, updated_at = clock_timestamp() WHERE scope = $1`,
    ),
    /** Lines of the consent trail; `completed_at` is null until everything that follows from the record is written. */
    consentTrail: all<{ readonly id: string }, [after: string]>(
      `SELECT id, first_seen, said_by, field, subscription_id, contact_id, written, completed_at FROM ${consent}
       WHERE scope = $1 AND id > $2 ORDER BY id LIMIT ${batchSize}`,
    ),
  };
}

/** Columns of the contacts table, from the catalog; of a domain, the kind of its base type. */
export const columnsQuery = `
  SELECT a.attname AS name,
    CASE WHEN coalesce(b.typcategory, t.typcategory) = 'A' THEN 'list'
         WHEN coalesce(b.typname, t.typname) IN ('json', 'jsonb') THEN 'json'
         WHEN coalesce(b.typname, t.typname) IN ('date', 'timestamp') THEN 'time' ELSE 'value' END AS kind,
    format_type(a.atttypid, -1) AS type,
    a.attgenerated <> '' AS generated,
    has_column_privilege(a.attrelid, a.attnum, 'SELECT') AS readable,
    has_column_privilege(a.attrelid, a.attnum, 'UPDATE') AS updatable,
    has_column_privilege(a.attrelid, a.attnum, 'INSERT') AS insertable,
    NOT a.atthasdef AND a.attidentity = '' AND t.typdefault IS NULL AND (t.typnotnull OR a.attnotnull AND NOT EXISTS (
      SELECT FROM pg_trigger AS g WHERE g.tgrelid = a.attrelid AND NOT g.tgisinternal AND g.tgtype & 7 = 7
        AND g.tgenabled <> 'D')) AS required
  FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid LEFT JOIN pg_type AS b ON b.oid = t.typbasetype
  WHERE a.attrelid = to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`;
