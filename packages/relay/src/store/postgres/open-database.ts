/** Opens the PostgreSQL database: checks version and durability, and creates or migrates the tables. */
import { StartupError } from '../../startup-error.ts';
import { storeName } from '../address.ts';
import { Connections } from './connections.ts';
import { explainError } from './errors.ts';
import { schema, steps } from './schema.ts';
import { sql } from './statements.ts';
import type { Row } from '../rows.ts';

/** An open database. */
export interface OpenDatabase {
  /** For requests of visitors and for delivery: answers or fails within {@link brief}. */
  readonly brief: Connections;
  /** For the counters of rate limits, of which every post queries several. */
  readonly counting: Connections;
  /** For operators, whose queries may read many signups. */
  readonly long: Connections;
  close(): Promise<void>;
}

/** The oldest version that is tested. */
const oldestVersion = 13;

// Milliseconds. The server's limits are shorter, so that it can end the statement and keep the connection.
const brief = { name: 'newsletter-relay', most: 5, connectMs: 2000, serverMs: 2500, answerMs: 3000 };
const counting = { ...brief, connectMs: 500, serverMs: 800, answerMs: 1000 };
const long = { ...brief, most: 2, connectMs: 10_000, serverMs: 60_000, answerMs: 65_000 };
/** Migrations of a large table read every row. */
const migration = { ...brief, most: 1, serverMs: 30 * 60_000, answerMs: 31 * 60_000 };

/** @throws StartupError with one sentence that says what to do and contains no password */
export async function openDatabase(url: string): Promise<OpenDatabase> {
  const place = storeName({ kind: 'postgres', url });
  const database = {
    brief: new Connections(url, brief),
    counting: new Connections(url, counting),
    long: new Connections(url, long),
    async close() {
      await Promise.all([this.brief.close(), this.counting.close(), this.long.close()]);
    },
  };
  try {
    const [server = {}] = await database.brief.query(sql.server);
    checkServer(server, place);
    if (!(await isUpToDate(database.brief, place))) await migrate(url, place);
    return database;
  } catch (cause) {
    await database.close();
    if (cause instanceof StartupError) throw cause;
    throw new StartupError(`The store ${place} cannot be opened: ${explainError(cause)}.`, { cause });
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
    throw new StartupError(`The store ${place} runs with fsync off and may lose what it said yes to: set fsync = on.`);
  if (synchronousCommit === 'off') {
    throw new StartupError(
      `The store ${place} runs with synchronous_commit off and may lose what it said yes to: set synchronous_commit = on.`,
    );
  }
  if (encoding !== 'UTF8')
    throw new StartupError(`The store ${place} is a database in ${String(encoding)}: create one in UTF8.`);
}

async function isUpToDate({ query }: Pick<Connections, 'query'>, place: string): Promise<boolean> {
  const [tables] = await query(sql.hasTables);
  if (tables?.['hasTables'] !== true) return false;
  return versionOf(await query(sql.setting, ['version']), place) === steps.length;
}

/** Runs the migration steps in one transaction, while other starting relays wait for the lock. */
async function migrate(url: string, place: string): Promise<void> {
  const connections = new Connections(url, migration);
  try {
    await connections.transaction(async (query) => {
      await query(sql.lockTables);
      await query(sql.prepareTables);
      const version = versionOf(await query(sql.setting, ['version']), place);
      for (const step of steps.slice(version)) await query(step);
      await query(sql.set, ['version', String(steps.length)]);
    });
  } finally {
    await connections.close();
  }
}

function versionOf([setting]: readonly Row[], place: string): number {
  const version = Number(setting?.['value'] ?? 0);
  if (version <= steps.length) return version;
  throw new StartupError(
    `The tables in ${schema} of ${place} were written by a newer relay (version ${version}): update this one.`,
  );
}
