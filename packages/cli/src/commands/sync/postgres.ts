/**
 * A connection to PostgreSQL whose errors are {@link SyncError}s: their messages say what to do and hold no value of a
 * row.
 */
import pg from 'pg';
import { UsageError } from '#command-line';

const rowsOfFetch = 500;

export class Postgres {
  readonly #client: pg.Client;
  readonly #idColumn: string;

  /** @param idColumn - the id column of the contacts, which some messages name */
  constructor(client: pg.Client, idColumn: string) {
    this.#client = client;
    this.#idColumn = idColumn;
  }

  async rows<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    // Several statements in one text can't have parameters.
    const result = values.length === 0 ? this.#client.query<Row>(text) : this.#client.query<Row>(text, [...values]);
    return (await this.#explained(result)).rows;
  }

  /** The rows of a query as lists of values. One at a time, and in a transaction. */
  async *cursor(query: string): AsyncGenerator<unknown[]> {
    await this.rows(`DECLARE newsletter_sync NO SCROLL CURSOR FOR ${query}`);
    const fetch = { text: `FETCH ${rowsOfFetch} FROM newsletter_sync`, rowMode: 'array' } as const;
    for (;;) {
      const { rows } = await this.#explained(this.#client.query<unknown[]>(fetch));
      if (rows.length === 0) break;
      yield* rows;
    }
    await this.rows('CLOSE newsletter_sync');
  }

  /** Commits what `work` did, or rolls it back where it throws. @param mode - of the transaction */
  async transaction(work: () => Promise<void>, mode = ''): Promise<void> {
    await this.rows(`BEGIN ${mode}`);
    try {
      await work();
      await this.rows('COMMIT');
    } catch (error) {
      await this.rows('ROLLBACK').catch(() => undefined);
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#client.end().catch(() => undefined);
  }

  async #explained<T>(result: Promise<T>): Promise<T> {
    try {
      return await result;
    } catch (error) {
      throw toSyncError(error, this.#idColumn);
    }
  }
}

/** A value of a statement: lists and objects are sent as JSON. */
type Bound = string | number | boolean | null | object;

/**
 * Statements as functions of their values, `$1` and so on.
 *
 * @param first - values that every statement has, before its own
 */
export function statementsOf(postgres: Postgres, ...first: readonly Bound[]) {
  const json = (value: Bound): unknown => (typeof value === 'object' && value ? JSON.stringify(value) : value);
  /* oxlint-disable typescript/no-unnecessary-type-parameters -- only the caller knows rows and values of its SQL */
  function all<Row extends pg.QueryResultRow, Values extends readonly Bound[] = []>(text: string) {
    return (...values: Values): Promise<readonly Row[]> => postgres.rows<Row>(text, [...first, ...values].map(json));
  }
  function one<Row extends pg.QueryResultRow, Values extends readonly Bound[] = []>(text: string) {
    return async (...values: Values): Promise<Row | undefined> => (await all<Row, Values>(text)(...values))[0];
  }
  function run<Values extends readonly Bound[] = []>(text: string) {
    return async (...values: Values): Promise<void> => void (await all<never, Values>(text)(...values));
  }
  /* oxlint-enable typescript/no-unnecessary-type-parameters */
  return { one, all, run };
}

/** A run failed. The message says what to do, and holds no value, no address and no part of the database's URL. */
export class SyncError extends Error {
  override readonly name = 'SyncError';
  /** Whether a repetition may succeed. */
  readonly isTransient: boolean;

  constructor(message: string, isTransient: boolean) {
    super(message);
    this.isTransient = isTransient;
  }
}

/** PostgreSQL refused one row. */
export class RowRefusedError extends SyncError {
  /** SQLSTATE, with the names of column and constraint where there are any. */
  readonly reason: string;

  constructor(reason: string) {
    super(`PostgreSQL refused a row: ${reason}. Run newsletter sync plan to see which contacts it would write.`, false);
    this.reason = reason;
  }
}

/**
 * SQLSTATE classes of errors in one row: its values, constraints, types, triggers
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
const rowErrors = /^(21|22|23|44|P0|428C9|42804)/;

/**
 * Why PostgreSQL refused a row, without the error's message, which holds values.
 *
 * @returns null where the error does not concern a row
 */
function reasonOfRefusal(error: unknown, idColumn: string): string | null {
  if (!(error instanceof pg.DatabaseError) || error.code === undefined || !rowErrors.test(error.code)) return null;
  const { code, column, constraint } = error;
  const location = [column && `column ${column}`, constraint && `constraint ${constraint}`].filter(Boolean).join(', ');
  const hint =
    code === '23502' && column === idColumn
      ? ': give the column a default, such as GENERATED ALWAYS AS IDENTITY, or set situations.newSubscription to leave'
      : '';
  return `SQLSTATE ${code}${location && ` (${location})`}${hint}`;
}

/** Remedies for errors of PostgreSQL and of the connection, by code. */
const remedies: Readonly<Partial<Record<string, string>>> = {
  ECONNREFUSED: 'no server answers at that address: start it, or correct host and port of DATABASE_URL',
  ENOTFOUND: 'there is no such host: correct DATABASE_URL',
  EAI_AGAIN: 'the name of its host cannot be looked up: check the network',
  ETIMEDOUT: 'it does not answer in time: check host, port and firewall',
  '28P01': 'the password is wrong: correct DATABASE_URL',
  '28000': 'it refuses this user: correct the user, or its pg_hba.conf',
  '3D000': 'there is no such database: create it, or correct DATABASE_URL',
  '3F000': 'there is no such schema: create it, or correct "schema" in the configuration',
  '42501':
    'the user lacks a right: grant it SELECT, INSERT and UPDATE on the contacts and on the tables newsletter_sync_*, DELETE on newsletter_sync_at_rest, CREATE on the schema of these, and TEMPORARY on the database',
  '53100': 'its disk is full: free some space',
  '53300': 'it has no connection left: raise max_connections',
  '25006': 'it is read-only: name the primary in DATABASE_URL',
  '55P03': 'a row is locked by another transaction: run the command again',
  '40P01': 'two transactions waited for each other: run the command again',
};

/** Remedies for errors without a code, by their messages. */
const remediesByMessage: readonly (readonly [RegExp, string])[] = [
  [/password must be/i, 'it requires a password: put one into DATABASE_URL'],
  [/SSL/, 'it offers no TLS: correct sslmode in DATABASE_URL'],
  [/timeout/i, remedies['ETIMEDOUT'] ?? ''],
  [/connection|client was closed|client has encountered/i, 'the connection broke: run the command again'],
];

/** An error without the texts of PostgreSQL, which may hold values of a row and parts of the URL. */
export function toSyncError(error: unknown, idColumn: string): unknown {
  if (!(error instanceof Error) || error instanceof UsageError || error instanceof SyncError) return error;
  const reason = reasonOfRefusal(error, idColumn);
  if (reason !== null) return new RowRefusedError(reason);
  const code = codeOf(error);
  if (code === null) {
    const [pattern, text] = remediesByMessage.find(([each]) => each.test(error.message)) ?? [];
    return text === undefined ? error : new SyncError(`PostgreSQL can't be used: ${text}.`, !pattern?.test('SSL'));
  }
  const isBroken = /^(08|57P|E[A-Z]+$)/.test(code);
  const text = remedies[code] ?? (isBroken ? 'the connection broke: run the command again' : `it reports ${code}`);
  return new SyncError(`PostgreSQL can't be used: ${text}.`, isBroken || /^(40|53|55)/.test(code));
}

function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if ('code' in error && typeof error.code === 'string') return error.code;
  // Node tries every address of a name, and reports all failures at once.
  return error instanceof AggregateError ? codeOf(error.errors[0]) : null;
}
