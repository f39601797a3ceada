/** What plan, apply and status of a sync share: configuration, database, and the reading of both sides. */
import type { Client } from '@newsletter-kit/core';
import { UsageError } from '#command-line';
import { planSync, startSync, type SyncProgress, type SyncState } from '@newsletter-kit/core/sync';
import { connectToPublication, type ConnectionOptions } from '../../connection.ts';
import type { Environment, Session } from '../../context.ts';
import { readConfig, type SyncConfig } from './config.ts';
import { openDatabase, type SyncDatabase } from './database.ts';
import { planInBatches, type BatchedPlanOptions } from './plan-in-batches.ts';
import type { PlannedRun, ShownPlan } from './planned-run.ts';
import { progressText, type LastRun } from './report.ts';

/** Options of every subcommand. */
export interface SyncOptions {
  readonly connection: ConnectionOptions;
  /** Path of the configuration. */
  readonly config: string;
  /** The flag, which wins over `DATABASE_URL`. */
  readonly database: string | undefined;
  readonly isJson: boolean;
}

/** Both sides of a sync. */
export interface SyncSession {
  readonly config: SyncConfig;
  readonly databaseUrl: string;
  readonly session: Session;
  readonly client: Client;
  readonly publicationId: string;
}

/** @throws UsageError that names every problem of the configuration and of the database's URL */
export async function readSyncSettings(
  options: SyncOptions,
  env: Environment,
  needsDatabase = true,
): Promise<Pick<SyncSession, 'config' | 'databaseUrl'>> {
  const problems: string[] = [];
  const databaseUrl = needsDatabase ? readDatabaseUrl(options.database, env['DATABASE_URL'], problems) : '';
  const config = await readConfig(options.config, needsDatabase).catch((error: unknown) => {
    if (!(error instanceof UsageError)) throw error;
    problems.push(...error.problems);
    return null;
  });
  if (!config || problems.length > 0) throw new UsageError(problems);
  return { config, databaseUrl };
}

/** The URL may hold a password: no problem repeats it. */
function readDatabaseUrl(flag: string | undefined, variable: string | undefined, problems: string[]): string {
  const url = flag?.trim() || variable?.trim() || '';
  const source = flag?.trim() ? '--database' : 'DATABASE_URL';
  if (url === '')
    problems.push('DATABASE_URL is missing: set it (or --database) to the PostgreSQL database of the contacts.');
  else if (!URL.canParse(url) || !/^postgres(ql)?:$/.test(new URL(url).protocol))
    problems.push(`${source} must be a URL such as postgres://user:password@host:5432/database.`);
  return url;
}

/** @throws UsageError */
export async function connectBoth(
  options: SyncOptions,
  session: Session,
  needsDatabase?: boolean,
): Promise<SyncSession> {
  const settings = await readSyncSettings(options, session.env, needsDatabase);
  const { client, publicationId } = await connectToPublication(options.connection, session);
  return { ...settings, session, client, publicationId };
}

/** Does work with the database, and closes it. */
export async function withDatabase<T>(
  { config, databaseUrl, publicationId }: Pick<SyncSession, 'config' | 'databaseUrl' | 'publicationId'>,
  work: (database: SyncDatabase) => Promise<T>,
): Promise<T> {
  const database = await openDatabase(databaseUrl, config, `${publicationId} ${config.name}`);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Reads both sides and plans, with the contacts of the database. @throws InterruptedError */
export async function planRun(
  sync: SyncSession,
  database: SyncDatabase,
  accept: boolean,
): Promise<{ readonly planned: PlannedRun; readonly lastRun: LastRun | null; readonly before: SyncState }> {
  const { state: before, lastRun } = await database.read();
  const planned = await reading(sync, (options) => planInBatches(database, { ...options, state: before, accept }));
  return { planned, lastRun, before };
}

/** The same with contacts from elsewhere, in memory, as a first run. @throws InterruptedError */
export async function planFirstRun(sync: SyncSession, contacts: AsyncIterable<unknown>): Promise<ShownPlan> {
  const plan = await reading(sync, (options) => planSync({ ...options, contacts, state: startSync() }));
  return { ...plan, whole: () => [plan.whole], findings: () => [plan.findings] };
}

async function reading<Plan>(
  { session, config, client, publicationId }: SyncSession,
  plan: (options: Omit<BatchedPlanOptions, 'state' | 'accept'>) => Promise<Plan>,
): Promise<Plan> {
  const options = {
    engine: client.engine,
    publicationId,
    mapping: config.mapping,
    onProgress: (progress: SyncProgress) => session.report.progress(progressText(progress)),
    call: { signal: session.interrupted },
  };
  return await session.reading(
    async () => {
      const planned = await plan(options);
      session.interrupted.throwIfAborted();
      return planned;
    },
    () => 'Interrupted before anything was written.',
  );
}
