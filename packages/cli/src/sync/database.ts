/** The contacts in PostgreSQL and the tables of the sync. */
import pg from 'pg';
import { quote, UsageError } from '@newsletter-kit/core/command-line';
import type { ConsentRecord, ContactWrite } from '@newsletter-kit/core/sync';
import { columnsOf, tokenPath, type SyncConfig } from './config.ts';
import { createContactWriter, type ContactChanges, type WriteResult } from './contact-writer.ts';
import { checkWritable, readColumns } from './contacts-table.ts';
import { toSyncError } from './postgres-errors.ts';
import { createSession } from './session.ts';
import { batchSize, statements, type Column } from './statements.ts';

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
  noteConsent(records: readonly ConsentRecord[], contactWrites: readonly ContactWrite[]): Promise<void>;
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
  columns: ReadonlyMap<string, Column>,
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
