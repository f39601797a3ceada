/** A connection to PostgreSQL whose errors are {@link SyncError}s. */
import type pg from 'pg';
import { toSyncError } from './postgres-errors.ts';

export interface Session {
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<pg.QueryResult<Row>>;
  rows<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Rows as lists of values. */
  lists(text: string): Promise<unknown[][]>;
  /** Commits what `work` did, or rolls it back where it throws. */
  transaction(work: () => Promise<void>): Promise<void>;
}

/** @param idColumn - the id column of the contacts, which some messages name */
export function createSession(client: pg.Client, idColumn: string): Session {
  return { query, rows, lists, transaction };

  async function query<Row extends pg.QueryResultRow>(
    text: string,
    values: readonly unknown[] = [],
  ): Promise<pg.QueryResult<Row>> {
    try {
      // Several statements in one text can't have parameters.
      return await (values.length === 0 ? client.query<Row>(text) : client.query<Row>(text, [...values]));
    } catch (error) {
      throw toSyncError(error, idColumn);
    }
  }

  async function rows<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await query<Row>(text, values)).rows;
  }

  async function lists(text: string): Promise<unknown[][]> {
    try {
      return (await client.query<unknown[]>({ text, rowMode: 'array' })).rows;
    } catch (error) {
      throw toSyncError(error, idColumn);
    }
  }

  async function transaction(work: () => Promise<void>): Promise<void> {
    await query('BEGIN');
    try {
      await work();
      await query('COMMIT');
    } catch (error) {
      await query('ROLLBACK').catch(() => undefined);
      throw error;
    }
  }
}
