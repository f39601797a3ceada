/** Explains errors of SQLite, PostgreSQL, file system and network to the operator, and tells them from defects. */
import { StoreUnavailableError } from '../errors.ts';

const broke = 'the connection broke';
const mayNotWrite = 'the relay may not write there; change the permissions or name another place';
const unknownIssuer = 'nobody known here has signed its certificate; name the file of its authority in sslrootcert';
export const diskIsFull = 'the disk is full; free some space';

/**
 * What is wrong with the store, and what to do, as the end of a sentence, by the code of the error: SQLite's primary
 * result (https://sqlite.org/rescode.html), Node's of file system and network, or PostgreSQL's
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html). Any other code is of the one statement that met it.
 */
const explanations: Readonly<Partial<Record<string, string>>> = {
  SQLITE_BUSY: 'another program holds a lock on it; close that program',
  SQLITE_READONLY: 'it is read-only; give the relay permission to write it',
  SQLITE_IOERR:
    'the disk reported an input or output error; check its quota, its free space, and whether it has become read-only',
  SQLITE_CORRUPT: 'the file is damaged; restore it from a backup',
  SQLITE_FULL: diskIsFull,
  SQLITE_CANTOPEN: 'it cannot be opened; check that its folder exists and may be written',
  SQLITE_NOTADB: 'it is not an SQLite database; name another file',

  ENOENT: 'its folder does not exist; create the folder',
  ENOTDIR: 'a part of its path is a file, not a folder; correct the path',
  EISDIR: 'it is a folder; name a file in it, for example with /relay.db at the end',
  EACCES: mayNotWrite,
  EPERM: mayNotWrite,
  EROFS: 'the file system is read-only; make it writable, or name another place for a new store',
  ENOSPC: diskIsFull,
  EDQUOT: 'the disk quota is used up; free some space',

  ECONNREFUSED: 'nothing answers there; start PostgreSQL, or correct host and port',
  ENOTFOUND: 'there is no such host; correct its name',
  EAI_AGAIN: 'the name of the host cannot be looked up; check the network',
  ETIMEDOUT: 'it does not answer in time; check host, port and firewall',
  EHOSTUNREACH: 'there is no route to that host; check the network',
  ECONNRESET: broke,
  EPIPE: broke,

  DEPTH_ZERO_SELF_SIGNED_CERT: unknownIssuer,
  SELF_SIGNED_CERT_IN_CHAIN: unknownIssuer,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownIssuer,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownIssuer,
  CERT_HAS_EXPIRED: 'its certificate has expired; renew it',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'its certificate is for another name; name the host as it does, or set sslmode=verify-ca',

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

/** Codes that concern every statement: connection, resources, the operator's doing, login; those of the system. */
const storeClasses = /^(08|53|57|28|E[A-Z]+$)/;

/** The names of SQLite's primary results in {@link explanations}. */
const sqliteNames: Readonly<Partial<Record<number, string>>> = {
  5: 'BUSY',
  8: 'READONLY',
  10: 'IOERR',
  11: 'CORRUPT',
  13: 'FULL',
  14: 'CANTOPEN',
  26: 'NOTADB',
};

/** The code of an error; null where it has none: pg gives none to broken connections and its own time limits. */
function codeOf(error: Error): string | null {
  // An extended result has the primary one in its low byte.
  if ('errcode' in error && typeof error.errcode === 'number')
    return `SQLITE_${sqliteNames[error.errcode & 0xff] ?? error.errcode & 0xff}`;
  // The messages of a Durable Object end with its name.
  const [, name] = /: (SQLITE_[A-Z]+)/.exec(error.message) ?? [];
  if (name !== undefined) return name;
  if ('code' in error && typeof error.code === 'string') return error.code;
  // Node tries every address of a host name and reports all failures in one error.
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  return first instanceof Error ? codeOf(first) : null;
}

/** What pg and the platform of Workers say without a code: connections, their time limits and logins, objects. */
const uncoded = /connection|terminated|timeout|pool|SASL|password|Durable Object|storage/i;

/**
 * Whether an error is of a database, a file or a network: it has a code that is not one of the program's own, or is one
 * of those that pg gives none. Any other is a defect of the relay.
 */
function isOfDriver(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  if (error instanceof StoreUnavailableError) return true;
  const code = codeOf(error);
  // Node has no other code for a database that is closed, as a relay that stops may find its own.
  if (code !== null) return code === 'ERR_INVALID_STATE' || !/^ERR_(?!TLS|SSL)/.test(code);
  return error.constructor === Error && uncoded.test(error.message);
}

/**
 * Whether the error concerns the store as a whole – disk, lock, file, connection – and not the one statement that met
 * it.
 */
export function isStoreFailure(error: unknown): boolean {
  if (!isOfDriver(error)) return false;
  const code = codeOf(error);
  return code === null || code in explanations || storeClasses.test(code);
}

/** What went wrong and what to do, as the end of a sentence. */
export function explainStoreError(error: unknown): string {
  if (!isOfDriver(error)) return `of a defect of the relay, which please report: ${String(error)}`;
  const code = codeOf(error);
  if (code === null) {
    if (/SSL/.test(error.message)) return 'it has no TLS; set ssl = on there, or sslmode=disable';
    if (/timeout/i.test(error.message)) return explanations['ETIMEDOUT'] ?? '';
    return /connection|terminated/i.test(error.message) ? broke : error.message;
  }
  const [who, what] = code.startsWith('SQLITE_')
    ? ['SQLite', code.slice('SQLITE_'.length)]
    : [/^E[A-Z]/.test(code) ? 'the system' : 'PostgreSQL', code];
  return explanations[code] ?? (code.startsWith('08') ? broke : `${who} reported error ${what}`);
}

/** The error of a read of an operator that is ended, so that it keeps nothing busy. */
export function readTookTooLong(options?: ErrorOptions): StoreUnavailableError {
  return new StoreUnavailableError(
    'The store cannot be read: the read took longer than a second, and was ended; ask for less, by form, state or time.',
    options,
  );
}

/** The error of the store interface for what the driver has thrown; a defect stays what it is. */
export function storeError(verb: 'read' | 'written', cause: unknown): unknown {
  if (!isOfDriver(cause) || cause instanceof StoreUnavailableError) return cause;
  return new StoreUnavailableError(`The store cannot be ${verb}: ${explainStoreError(cause)}.`, { cause });
}

/** Runs a query. @throws what {@link storeError} makes of its failure */
export async function asStoreUnavailable<T>(verb: 'read' | 'written', work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw storeError(verb, cause);
  }
}
