/** The contacts in PostgreSQL and the tables of the sync. */
import pg from 'pg';
import { quote, UsageError } from '#command-line';
import { readSyncState, type ReadyMapping, type SyncState } from '@newsletter-kit/core/sync';
import { batchStatements, type BatchStatements } from './batch-statements.ts';
import { Batches } from './batches.ts';
import { columnsOf, writtenColumns, type SyncConfig } from './config.ts';
import { ContactWriter } from './contact-writer.ts';
import { ChangeStore } from './planned-run.ts';
import { Postgres, toSyncError } from './postgres.ts';
import type { LastRun } from './report.ts';
import {
  batchSize,
  columnsQuery,
  identifier,
  qualified,
  syncStatements,
  type ContactColumn,
  type DatabaseParts,
  type SyncStatements,
} from './statements.ts';

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
    return new SyncDatabase({ postgres: new Postgres(client, config.contacts.id), scope, config, columns });
  } catch (error) {
    await client.end().catch(() => undefined);
    throw toSyncError(error, config.contacts.id);
  }
}

/** The contacts of one sync. */
export class SyncDatabase {
  readonly #parts: DatabaseParts;
  readonly #sql: SyncStatements;
  readonly #batchSql: BatchStatements;
  readonly writer: ContactWriter;

  constructor(parts: DatabaseParts) {
    this.#parts = parts;
    this.#sql = syncStatements(parts);
    this.#batchSql = batchStatements(parts);
    this.writer = new ContactWriter(parts, this.#sql);
  }

  /** Columns that need a value, and get none in a new contact. */
  get requiredColumns(): readonly string[] {
    const { config, columns } = this.#parts;
    const filled = [config.contacts.email, ...writtenColumns({ fields: config.mapping.fields })];
    return [...columns].filter(([name, { required }]) => required && !filled.includes(name)).map(([name]) => name);
  }

  /**
   * Takes the lock of the sync, which lasts until `close`, and creates its tables where they are missing.
   *
   * @throws UsageError where another run of the same sync is running, and where the sync can't write
   */
  async prepare(): Promise<void> {
    const { postgres, config, columns } = this.#parts;
    if ((await this.#sql.lock())?.taken !== true)
      throw new UsageError(
        `Another run of the sync ${quote(config.name)} is running: wait until it ends, or give this one a "name" of its own in the configuration.`,
      );
    checkWritable(config, columns);
    const identity = `${config.contacts.table} (${config.contacts.id})`;
    await postgres.transaction(async () => {
      await this.#sql.createTables();
      await this.#sql.claim(identity);
    });
    const claimed = await this.#sql.claimed();
    if (claimed && claimed.contacts !== identity)
      throw new UsageError(
        `The sync ${quote(config.name)} belongs to the contacts in ${claimed.contacts}: give the one with ${identity} a "name" of its own in the configuration.`,
      );
  }

  /** What earlier runs have stored. @throws SyncStateError */
  async read() {
    const stored = (await this.#hasTables()) ? await this.#sql.read() : undefined;
    const { state, lastRun, tokens = 0 } = stored ?? {};
    return { state: readSyncState(state), lastRun: toLastRun(lastRun), tokens };
  }

  /** Creates the temporary tables of a run. */
  async openBatches(mapping: ReadyMapping): Promise<{ readonly batches: Batches; readonly changes: ChangeStore }> {
    await this.#batchSql.createTables();
    return {
      batches: new Batches(this.#batchSql, this.#parts.config, mapping),
      changes: new ChangeStore(this.#batchSql),
    };
  }

  /** Does work that sees the contacts as they are now, and writes nothing but temporary tables. */
  async snapshot(work: () => Promise<void>): Promise<void> {
    await this.#parts.postgres.transaction(async () => {
      if (await this.#hasTables()) await this.#batchSql.copyStored();
      await work();
    }, 'ISOLATION LEVEL REPEATABLE READ READ ONLY');
  }

  /** Stores the state of a run that has carried out everything, and the pairs that it found at rest. */
  async finish({ state, lastRun }: { readonly state: SyncState; readonly lastRun: LastRun | null }): Promise<void> {
    await this.#parts.postgres.transaction(async () => {
      await this.#sql.finish(state, lastRun);
      await this.#batchSql.storeAtRest();
      await this.#batchSql.forgetAtRest();
    });
  }

  async *consentTrail(): AsyncGenerator<object> {
    if (!(await this.#hasTables())) return;
    let last = '0';
    for (;;) {
      const page = await this.#sql.consentTrail(last);
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
    return (await this.#sql.findTables())?.exist === true;
  }
}

/** The stored run; null for other data. */
const toLastRun = (stored: unknown): LastRun | null =>
  typeof stored === 'object' && stored !== null && 'at' in stored && 'written' in stored ? (stored as LastRun) : null;

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
  const { newSubscription, addressChangedInNewsletter } = mapping.situations ?? {};
  const written = [...writtenColumns(mapping), contacts.email].map((name) => columns.get(name));
  const updated = addressChangedInNewsletter === 'report' ? written.slice(0, -1) : written;
  const lacking = {
    UPDATE: updated.filter((column) => column?.updatable === false),
    INSERT: newSubscription !== 'leave' ? written.filter((column) => column?.insertable === false) : [],
  };
  const problems = Object.entries(lacking).flatMap(([right, of]) => {
    const names = of.map((column) => identifier(column?.name ?? '')).join(', ');
    const missing = `GRANT ${right} (${names}) ON ${qualified(contacts.table)} to it`;
    return of.length === 0 ? [] : [`The database user can't write all columns: ${missing}.`];
  });
  if (problems.length > 0) throw new UsageError(problems);
}
