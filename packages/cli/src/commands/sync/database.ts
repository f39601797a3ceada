/** The contacts in PostgreSQL and the tables of the sync. */
import pg from 'pg';
import { quote, UsageError } from '#command-line';
import type { ReadyMapping } from '@newsletter-kit/core/sync';
import { batchStatements } from './batch-statements.ts';
import { Batches } from './batches.ts';
import { columnsOf, writtenColumns, type SyncConfig } from './config.ts';
import { ContactWriter, type DatabaseParts } from './contact-writer.ts';
import { ChangeStore } from './planned-run.ts';
import { Postgres, toSyncError } from './postgres.ts';
import { batchSize, columnsQuery, identifier, qualified, statements, type ContactColumn } from './statements.ts';

/** The stored state of a sync. */
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
  /** Null until everything that follows from the record is written. */
  readonly completed_at: string | null;
}

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
  // A connection that breaks while idle: the next statement fails.
  client.on('error', () => undefined);
  try {
    await client.connect();
    // A day stands for its midnight in UTC, and dates come as YYYY-MM-DD, whatever server and machine are set to.
    // Cursors are read to their end: a plan that is fast for their first rows alone can be slow for all.
    await client.query(
      `SET TimeZone = 'UTC'; SET DateStyle = 'ISO, YMD'; SET client_encoding = 'UTF8'; SET cursor_tuple_fraction = 1`,
    );
    const columns = await readColumns(client, config);
    return new SyncDatabase({
      postgres: new Postgres(client, config.contacts.id),
      sql: statements(config, columns),
      config,
      scope,
      columns,
    });
  } catch (error) {
    await client.end().catch(() => undefined);
    throw toSyncError(error, config.contacts.id);
  }
}

/** The contacts of one sync. */
export class SyncDatabase {
  readonly #parts: DatabaseParts;
  readonly writer: ContactWriter;
  /** Undefined before the run has its temporary tables. */
  #batchSql: ReturnType<typeof batchStatements> | undefined;

  constructor(parts: DatabaseParts) {
    this.#parts = parts;
    this.writer = new ContactWriter(parts);
  }

  /** Columns that need a value, and get none in a new contact. */
  get requiredColumns(): readonly string[] {
    const { config, columns } = this.#parts;
    const filled = [config.contacts.email, ...writtenColumns({ fields: config.mapping.fields })];
    return [...columns].filter(([name, { required }]) => required && !filled.includes(name)).map(([name]) => name);
  }

  /** @returns false where another run of the same sync holds the lock, which lasts until `close` */
  async lock(): Promise<boolean> {
    const { postgres, sql, scope } = this.#parts;
    const [row] = await postgres.rows<{ taken: boolean }>(sql.lock, [`newsletter-sync ${scope}`]);
    return row?.taken === true;
  }

  /** Creates the tables of the sync where they are missing. @throws UsageError where the sync can't write */
  async prepare(): Promise<void> {
    const { postgres, sql, config, scope, columns } = this.#parts;
    checkWritable(config, columns);
    const identity = `${config.contacts.table} (${config.contacts.id})`;
    await postgres.transaction(async () => {
      await postgres.rows(`SELECT pg_advisory_xact_lock(hashtextextended('newsletter-sync tables', 0))`);
      await postgres.rows(sql.tables);
      await postgres.rows(sql.claim, [scope, identity]);
    });
    const [claimed] = await postgres.rows<{ contacts: string }>(sql.claimed, [scope]);
    if (claimed && claimed.contacts !== identity)
      throw new UsageError(
        `The sync ${quote(config.name)} belongs to the contacts in ${claimed.contacts}: give the one with ${identity} a "name" of its own in the configuration.`,
      );
  }

  async read(): Promise<StoredRun> {
    const { postgres, sql, scope } = this.#parts;
    const nothing = { state: null, lastRun: null, tokens: 0 };
    if (!(await this.#hasTables())) return nothing;
    return (await postgres.rows<StoredRun>(sql.run, [scope]))[0] ?? nothing;
  }

  /** Creates the temporary tables of a run. */
  async openBatches(mapping: ReadyMapping): Promise<{ readonly batches: Batches; readonly changes: ChangeStore }> {
    const { postgres, config, columns } = this.#parts;
    this.#batchSql = batchStatements(config, columns);
    await postgres.rows(this.#batchSql.tables);
    return {
      batches: new Batches(this.#parts, this.#batchSql, mapping),
      changes: new ChangeStore(postgres, this.#batchSql),
    };
  }

  /** Does work that sees the contacts as they are now, and writes nothing but temporary tables. */
  async snapshot(work: () => Promise<void>): Promise<void> {
    const { postgres, scope } = this.#parts;
    await postgres.transaction(async () => {
      if (this.#batchSql && (await this.#hasTables())) await postgres.rows(this.#batchSql.copyStored, [scope]);
      await work();
    }, 'ISOLATION LEVEL REPEATABLE READ READ ONLY');
  }

  /** Stores the state of a run that has carried out everything, and the pairs that it found at rest. */
  async finish({ state, lastRun }: Omit<StoredRun, 'tokens'>): Promise<void> {
    const { postgres, sql, scope } = this.#parts;
    await postgres.transaction(async () => {
      await postgres.rows(sql.finish, [scope, JSON.stringify(state), JSON.stringify(lastRun)]);
      if (!this.#batchSql) return;
      await postgres.rows(this.#batchSql.storeAtRest, [scope]);
      await postgres.rows(this.#batchSql.forgetAtRest, [scope]);
    });
  }

  async *consentTrail(): AsyncGenerator<ConsentLine> {
    const { postgres, sql, scope } = this.#parts;
    if (!(await this.#hasTables())) return;
    let last = '0';
    for (;;) {
      const page = await postgres.rows<ConsentLine & { readonly id: string }>(sql.trail, [scope, last]);
      for (const { id, ...line } of page) {
        yield line;
        last = id;
      }
      if (page.length < batchSize) return;
    }
  }

  close(): Promise<void> {
    return this.#parts.postgres.close();
  }

  async #hasTables(): Promise<boolean> {
    const { postgres, sql } = this.#parts;
    const [row] = await postgres.rows<{ exists: boolean }>(sql.stateTableExists, [sql.stateTable]);
    return row?.exists === true;
  }
}

/**
 * Reads the columns of the contacts table.
 *
 * @throws UsageError that names missing or unsuitable columns
 */
async function readColumns(client: pg.Client, config: SyncConfig): Promise<ReadonlyMap<string, ContactColumn>> {
  const { contacts, mapping } = config;
  const { rows } = await client.query<ContactColumn>(columnsQuery, [qualified(contacts.table)]);
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

/** @throws UsageError that names the missing rights to write contacts */
function checkWritable({ contacts, mapping }: SyncConfig, columns: ReadonlyMap<string, ContactColumn>): void {
  const { newSubscription, contactMissing, addressChangedInNewsletter } = mapping.situations ?? {};
  const creates = newSubscription !== 'leave' || contactMissing === 'create_contact';
  const written = [...writtenColumns(mapping), contacts.email].map((name) => columns.get(name));
  const updated = addressChangedInNewsletter === 'report' ? written.slice(0, -1) : written;
  const lacking = {
    UPDATE: updated.filter((column) => column?.updatable === false),
    INSERT: creates ? written.filter((column) => column?.insertable === false) : [],
  };
  const problems = Object.entries(lacking).flatMap(([right, of]) => {
    const names = of.map((column) => identifier(column?.name ?? '')).join(', ');
    const missing = `GRANT ${right} (${names}) ON ${qualified(contacts.table)} to it`;
    return of.length === 0 ? [] : [`The database user can't write all columns: ${missing}.`];
  });
  if (problems.length > 0) throw new UsageError(problems);
}
