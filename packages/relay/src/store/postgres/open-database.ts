/** Connects to PostgreSQL, makes sure that it keeps what it commits, and prepares our tables and pg-boss's. */
import { PgBoss, type Clock, type Db } from 'pg-boss';
import { StartupError } from '../../startup-error.ts';
import type { Row } from '../rows.ts';
import { storeName } from '../open-store.ts';
import { meaning } from './failure.ts';
import { queueSchema, schema, steps } from './schema.ts';
import { applicationName, queue, sql } from './statements.ts';

/** Options of {@link openDatabase}. */
export interface DatabaseOptions {
  /** Told of failures of the queue's own upkeep, which it repeats by itself. */
  readonly onTrouble?: ((error: Error) => void) | undefined;
  /** Time for pg-boss; a test moves it by hand. */
  readonly clock?: Clock | undefined;
  /** Name of its connections in the server's lists. Default `newsletter-relay`. */
  readonly name?: string | undefined;
}

/** An open database. */
export interface OpenDatabase {
  readonly boss: PgBoss;
  /** Runs a statement outside any transaction. */
  query(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Runs everything `work` does through the `db` it gets, or nothing of it. */
  transaction<T>(work: (db: Db) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** 13 is the oldest that pg-boss works with. */
const oldestVersion = 13;

/** Waiting for as long as it takes: pg-boss deletes what waited longer, two weeks by default. */
const foreverSeconds = 50 * 366 * 86_400;

/** A claim is free again this many seconds after its process last renewed it, and {@link checkSeconds} at most. */
const claimSeconds = 30;

const checkSeconds = 10;

/** How often a process renews its claims, in milliseconds: three times, before one is lost. */
export const renewMs = (claimSeconds * 1000) / 4;

/** Longest that one claim may be renewed: the most that pg-boss allows. */
const longestClaimSeconds = 23 * 3600;

/** Longest wait for a connection, in milliseconds; then it is 503. */
const connectMs = 5000;

/** @throws StartupError with one sentence that says what to do, and holds no password */
export async function openDatabase(
  url: string,
  { onTrouble, clock, name = applicationName }: DatabaseOptions,
): Promise<OpenDatabase> {
  const place = storeName({ kind: 'postgres', url });
  const boss = new PgBoss({
    connectionString: url,
    application_name: name,
    connectionTimeoutMillis: connectMs,
    schema: queueSchema,
    schedule: false,
    superviseIntervalSeconds: checkSeconds / 2,
    monitorIntervalSeconds: checkSeconds / 2,
    warningQueueSize: 1_000_000_000,
    ...(clock && { clock }),
  });
  boss.on('error', (error) => onTrouble?.(error));
  try {
    await boss.start();
    const db = boss.getDb();
    const [server = {}] = (await db.executeSql(sql.server)).rows as Row[];
    checkServer(server, place);
    const database = connected(boss, db);
    await migrate(database, place);
    await prepareQueue(boss);
    return database;
  } catch (cause) {
    await boss.stop({ graceful: false }).catch(() => undefined);
    if (cause instanceof StartupError) throw cause;
    throw new StartupError(`The store ${place} cannot be opened: ${meaning(cause)}.`, { cause });
  }
}

function connected(boss: PgBoss, db: Db): OpenDatabase {
  return {
    boss,
    async query(text, values = []) {
      return (await db.executeSql(text, [...values])).rows as Row[];
    },
    async transaction(work) {
      const transaction = await db.beginTransaction?.();
      if (!transaction) throw new Error('This database has no transactions.');
      try {
        const result = await work(transaction.db);
        await transaction.commit();
        return result;
      } catch (error) {
        await transaction.rollback();
        throw error;
      }
    },
    close: () => boss.stop({ graceful: false }),
  };
}

function checkServer({ version, fsync, synchronousCommit, encoding }: Row, place: string): void {
  const major = Math.floor(Number(version) / 10_000);
  if (major < oldestVersion) {
    throw new StartupError(
      `The store ${place} is PostgreSQL ${major}; the relay needs ${oldestVersion} or newer: update it.`,
    );
  }
  if (fsync !== 'on')
    throw new StartupError(`The store ${place} runs with fsync off and may lose what it said yes to: set fsync = on.`);
  if (synchronousCommit === 'off') {
    throw new StartupError(
      `The store ${place} runs with synchronous_commit off and may lose what it said yes to: set synchronous_commit = on.`,
    );
  }
  if (encoding !== 'UTF8')
    throw new StartupError(`The store ${place} is a database in ${String(encoding)}: create one in UTF8.`);
}

async function migrate({ transaction }: OpenDatabase, place: string): Promise<void> {
  await transaction(async (db) => {
    await db.executeSql(sql.lockTables);
    await db.executeSql(sql.prepareTables);
    const [setting] = (await db.executeSql(sql.setting, ['version'])).rows as Row[];
    const version = Number(setting?.['value'] ?? 0);
    if (version > steps.length) {
      throw new StartupError(
        `The tables in ${schema} of ${place} were written by a newer relay (version ${version}): update this one.`,
      );
    }
    for (const step of steps.slice(version)) await db.executeSql(step);
    if (version < steps.length) await db.executeSql(sql.set, ['version', String(steps.length)]);
  });
}

async function prepareQueue(boss: PgBoss): Promise<void> {
  const settings = {
    expireInSeconds: longestClaimSeconds,
    heartbeatSeconds: claimSeconds,
    retentionSeconds: foreverSeconds,
    // A claim that ran out is no failure: it may do so as often as processes are killed.
    retryLimit: 2_000_000_000,
    retryDelay: 0,
    retryBackoff: false,
  };
  await boss.createQueue(queue, settings);
  await boss.updateQueue(queue, settings);
  // Fills pg-boss's cache: its first look at a queue must not happen inside a transaction of ours.
  await boss.insert(queue, []);
}
