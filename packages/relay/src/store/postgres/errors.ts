/** Explains errors of PostgreSQL and of the network to the operator, without repeating the text of the error. */

/**
 * Error codes (https://www.postgresql.org/docs/current/errcodes-appendix.html), and those of the network as Node
 * reports them.
 */
const explanations: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing answers there; start PostgreSQL, or correct host and port',
  ENOTFOUND: 'there is no such host; correct its name',
  EAI_AGAIN: 'the name of the host cannot be looked up; check the network',
  ETIMEDOUT: 'it does not answer in time; check host, port and firewall',
  EHOSTUNREACH: 'there is no way to that host; check the network',
  ECONNRESET: 'the connection broke',
  EPIPE: 'the connection broke',
  '28P01': 'the password is wrong; correct it',
  '28000': 'it does not let this user in; correct the user, or its pg_hba.conf',
  '3D000': 'there is no such database; create it, or correct the name',
  '42501': 'the user lacks a right; grant it CREATE on the database, or let it own the tables',
  '53100': 'its disk is full; make room on it',
  '53200': 'it is out of memory',
  '53300': 'it has no connection left; raise max_connections, or run fewer relays',
  '08P01':
    'something on the way to it, such as PgBouncer, refuses the time limits of a connection; name statement_timeout, lock_timeout and idle_in_transaction_session_timeout in its ignore_startup_parameters',
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

function code(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if ('code' in error && typeof error.code === 'string') return error.code;
  // Node tries every address of a host name and reports all failures in one error.
  return error instanceof AggregateError ? code(error.errors[0]) : null;
}

/**
 * Whether the error concerns the store as a whole, and not the one statement that met it. Without a code the connection
 * broke.
 */
export function isStoreFailure(error: unknown): boolean {
  const known = code(error);
  return known === null || storeFailureCodes.test(known);
}

/** What went wrong and what to do, as the end of a sentence. */
export function explainError(error: unknown): string {
  const known = code(error);
  // pg reports no code for the time limits in this process.
  if (known === null)
    return error instanceof Error && /timeout/i.test(error.message)
      ? (explanations['ETIMEDOUT'] ?? '')
      : 'the connection broke';
  return (
    explanations[known] ?? (known.startsWith('08') ? 'the connection broke' : `PostgreSQL reported error ${known}`)
  );
}
