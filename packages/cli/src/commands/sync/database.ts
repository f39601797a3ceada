/** The contacts in PostgreSQL and the tables of the sync. */
import pg from 'pg';
import { quote, UsageError } from '#command-line';
import type { ConsentRecord, SyncPlan } from '@newsletter-kit/core/sync';
import { columnsOf, tokenPath, writtenColumns, type SyncConfig } from './config.ts';
import { createContactWriter, type ContactChanges, type WriteResult } from './contact-writer.ts';
import { createSession, toSyncError } from './postgres.ts';
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

/** The contacts of one sync. */
export interface SyncDatabase {
  /** @returns false where another run of the same sync holds the lock, which lasts until `close` */
  lock(): Promise<boolean>;
  /** Creates the tables of the sync where they are missing. @throws UsageError where the sync can't write */
  prepare(): Promise<void>;
  read(): Promise<StoredRun>;
  /** All contacts as records for the planner, in the order of their ids, from one snapshot. */
  contacts(): AsyncGenerator<Record<string, unknown>>;
  /** Stores consent records as open, before the run carries them out. */
  noteConsent(plan: SyncPlan): Promise<void>;
  /**
   * Writes contacts, values and token of each in one transaction, and completes their consent records. A contact that
   * PostgreSQL refuses fails alone.
   */
  write(writes: ContactChanges, onProgress: (done: number) => void): Promise<WriteResult>;
  /** Stores the state of a run that has carried out everything, and completes the given consent records. */
  finish(run: {
    readonly state: unknown;
    readonly lastRun: unknown;
    readonly consent: readonly ConsentRecord[];
  }): Promise<void>;
  consentTrail(): AsyncGenerator<ConsentLine>;
  close(): Promise<void>;
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
    await client.query(`SET TimeZone = 'UTC'; SET DateStyle = 'ISO, YMD'; SET client_encoding = 'UTF8'`);
    return createDatabase(client, config, scope, await readColumns(client, config));
  } catch (error) {
    await client.end().catch(() => undefined);
    throw toSyncError(error, config.contacts.id);
  }
}

function createDatabase(
  client: pg.Client,
  config: SyncConfig,
  scope: string,
  columns: ReadonlyMap<string, ContactColumn>,
): SyncDatabase {
  const sql = statements(config, columns);
  const { contacts, mapping } = config;
  /** The version of each contact when it was read, by id. */
  const versions = new Map<string, string>();
  const session = createSession(client, contacts.id);
  const { rows, lists, transaction } = session;
  const { noteConsent, write, completeConsent } = createContactWriter({ session, sql, scope, columns, versions });

  return {
    async lock() {
      const [row] = await rows<{ taken: boolean }>(sql.lock, [`newsletter-sync ${scope}`]);
      return row?.taken === true;
    },

    async prepare() {
      checkWritable(config, columns);
      const identity = `${contacts.table} (${contacts.id})`;
      await transaction(async () => {
        await rows(`SELECT pg_advisory_xact_lock(hashtextextended('newsletter-sync tables', 0))`);
        await rows(sql.tables);
        await rows(sql.claim, [scope, identity]);
      });
      const [claimed] = await rows<{ contacts: string }>(sql.claimed, [scope]);
      if (claimed && claimed.contacts !== identity)
        throw new UsageError(
          `The sync ${quote(config.name)} belongs to the contacts in ${claimed.contacts}: give the one with ${identity} a "name" of its own in the configuration.`,
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

    noteConsent,
    write,

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

  async function hasTables(): Promise<boolean> {
    const [row] = await rows<{ exists: boolean }>(sql.stateTableExists, [sql.stateTable]);
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
  const problems = [
    ...missingRight(
      'UPDATE',
      updated.filter((column) => column?.updatable === false),
    ),
    ...missingRight('INSERT', creates ? written.filter((column) => column?.insertable === false) : []),
  ];
  if (problems.length > 0) throw new UsageError(problems);

  function missingRight(right: string, lacking: readonly (ContactColumn | undefined)[]): readonly string[] {
    if (lacking.length === 0) return [];
    const names = lacking.map((column) => identifier(column?.name ?? '')).join(', ');
    return [
      `The database user can't write all columns: GRANT ${right} (${names}) ON ${qualified(contacts.table)} to it.`,
    ];
  }
}
