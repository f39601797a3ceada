/** Explains errors of SQLite, PostgreSQL, file system and network to the operator. */
import { StoreUnavailableError } from '../errors.ts';

/** Primary result codes (https://sqlite.org/rescode.html); extended codes carry them in their low byte. */
const sqliteExplanations: Readonly<Record<number, string>> = {
  5: 'another program holds a lock on it; close that program',
  8: 'it is read-only; give the relay permission to write it',
  10: 'the disk reported an input or output error; check the disk, its quota and its free space',
  11: 'the file is damaged; restore it from a backup',
  13: 'the disk is full; free some space',
  14: 'it cannot be opened; check that its folder exists and may be written',
  26: 'it is not an SQLite database; name another file',
};

/** Codes of the file system, as Node reports them. */
const fileExplanations: Readonly<Partial<Record<string, string>>> = {
  ENOENT: 'its folder does not exist; create the folder',
  ENOTDIR: 'a part of its path is a file, not a folder; correct the path',
  EISDIR: 'it is a folder; name a file in it, for example with /relay.db at the end',
  EACCES: 'the relay may not write there; change the permissions or name another place',
  EPERM: 'the relay may not write there; change the permissions or name another place',
  EROFS: 'the file system is read-only; name another place',
  ENOSPC: 'the disk is full; free some space',
  EDQUOT: 'the disk quota is used up; free some space',
};

/** Primary result codes by the name with which the messages of a Durable Object end. */
const sqliteCodes: Readonly<Partial<Record<string, number>>> = {
  BUSY: 5,
  READONLY: 8,
  IOERR: 10,
  CORRUPT: 11,
  FULL: 13,
  CANTOPEN: 14,
  NOTADB: 26,
};

/** The primary result code of an SQLite error; null for any other error. */
function sqliteCode(error: unknown): number | null {
  if (!(error instanceof Error)) return null;
  if ('errcode' in error && typeof error.errcode === 'number') return error.errcode & 0xff;
  const [, name = ''] = /: SQLITE_([A-Z]+)/.exec(error.message) ?? [];
  return sqliteCodes[name] ?? null;
}

/** Whether the error concerns the store as a whole – disk, lock, file – and not the one statement that met it. */
export function isSqliteFailure(error: unknown): boolean {
  const code = sqliteCode(error);
  return code !== null && code in sqliteExplanations;
}

/** What went wrong and what to do, as the end of a sentence. */
export function explainSqliteError(error: unknown): string {
  const code = sqliteCode(error);
  if (code !== null) return sqliteExplanations[code] ?? `SQLite reported error ${code}`;
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') {
    return fileExplanations[error.code] ?? `the system reported ${error.code}`;
  }
  return error instanceof Error ? error.message : 'the reason is unknown';
}

/**
 * Error codes (https://www.postgresql.org/docs/current/errcodes-appendix.html), and those of the network as Node
 * reports them.
 */
const postgresExplanations: Readonly<Partial<Record<string, string>>> = {
  ECONNREFUSED: 'nothing answers there; start PostgreSQL, or correct host and port',
  ENOTFOUND: 'there is no such host; correct its name',
  EAI_AGAIN: 'the name of the host cannot be looked up; check the network',
  ETIMEDOUT: 'it does not answer in time; check host, port and firewall',
  EHOSTUNREACH: 'there is no route to that host; check the network',
  ECONNRESET: 'the connection broke',
  EPIPE: 'the connection broke',
  '28P01': 'the password is wrong; correct it',
  '28000': 'it rejects this user; correct the user, or its pg_hba.conf',
  '3D000': 'there is no such database; create it, or correct the name',
  '42501': 'the user lacks a permission; grant it CREATE on the database, or make it the owner of the tables',
  '53100': 'its disk is full; free some space',
  '53200': 'it is out of memory',
  '53300': 'it has no connection left; raise max_connections, or run fewer relays',
  '08P01':
    'a connection pooler such as PgBouncer refuses the time limits of a connection; list statement_timeout, lock_timeout and idle_in_transaction_session_timeout in its ignore_startup_parameters',
  '25P03': 'a transaction waited too long for its next statement',
  '55P03': 'another process keeps it locked',
  '57014': 'a statement took too long; look at the load of its machine and disk',
  '57P01': 'it is shutting down',
  '57P02': 'it crashed and recovers',
  '57P03': 'it is starting up',
  '25006': 'it is read-only, a standby perhaps; name the primary',
};

/**
 * Codes of failures that concern every statement: connection (08), resources (53), time (57014, 55P03, 25P03), shutdown
 * (57P), login (28), read-only.
 */
const storeFailureCodes = /^(08|53|57|28|25006|25P03|55P03|E[A-Z]+)/;

function postgresCode(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if ('code' in error && typeof error.code === 'string') return error.code;
  // Node tries every address of a host name and reports all failures in one error.
  return error instanceof AggregateError ? postgresCode(error.errors[0]) : null;
}

/**
 * Whether the error concerns the store as a whole, and not the one statement that met it. Without a code the connection
 * broke.
 */
export function isPostgresFailure(error: unknown): boolean {
  const known = postgresCode(error);
  return known === null || storeFailureCodes.test(known);
}

/** What went wrong and what to do, as the end of a sentence. */
export function explainPostgresError(error: unknown): string {
  const known = postgresCode(error);
  // pg reports no code for the time limits in this process.
  if (known === null)
    return error instanceof Error && /timeout/i.test(error.message)
      ? (postgresExplanations['ETIMEDOUT'] ?? '')
      : 'the connection broke';
  return (
    postgresExplanations[known] ??
    (known.startsWith('08') ? 'the connection broke' : `PostgreSQL reported error ${known}`)
  );
}

/** Turns a failure of PostgreSQL into the error of the store interface. */
export async function asStoreUnavailable<T>(verb: 'read' | 'written', work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new StoreUnavailableError(`The store cannot be ${verb}: ${explainPostgresError(cause)}.`, { cause });
  }
}
