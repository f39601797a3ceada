/** Connection pools to PostgreSQL, with a time limit for every statement, on the server and in this process. */
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { storable } from '../acts/act.ts';

/** Runs a statement. */
export type RunQuery = <Found extends pg.QueryResultRow>(
  text: string,
  values?: readonly unknown[],
) => Promise<pg.QueryResult<Found>>;

/** Size and time limits of a pool, in milliseconds. */
export interface ConnectionLimits {
  /** `application_name` of the connections. */
  readonly name: string;
  readonly max: number;
  /** Time limit for a free or a new connection. */
  readonly connectMs: number;
  /** Time limit on the server for a statement, locks included. */
  readonly serverMs: number;
  /** The same for an idle transaction; that of a statement by default. */
  readonly idleMs?: number;
  /** Time limit in this process for an answer: the server may hang, or the network may be down. */
  readonly answerMs: number;
}

/** Time limit for statements in flight when closing, in milliseconds. */
const closeMs = 5000;

export type Connections = ReturnType<typeof createConnections>;

export function createConnections(url: string, limits: ConnectionLimits) {
  const { name, max, connectMs, serverMs, idleMs = serverMs, answerMs } = limits;
  const sockets = new Set<Socket>();
  const pool = new pg.Pool({
    connectionString: url,
    application_name: name,
    max,
    keepAlive: true,
    connectionTimeoutMillis: connectMs,
    statement_timeout: serverMs,
    // Shorter than the statement timeout, so that the error names the lock.
    lock_timeout: Math.round(serverMs * 0.8),
    idle_in_transaction_session_timeout: idleMs,
    query_timeout: answerMs,
    stream() {
      const socket = new Socket();
      sockets.add(socket);
      return socket.once('close', () => sockets.delete(socket));
    },
    // Large integers come as numbers, as in SQLite: all of them are counts, or milliseconds.
    types: {
      getTypeParser: (type, format): unknown =>
        type === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(type, format),
    },
  });
  // An idle connection broke: the next statement opens another.
  pool.on('error', () => undefined);

  /** Runs a statement outside any transaction. */
  const query: RunQuery = (text, values = []) => pool.query(text, values.map(storable));

  /** Runs the queries of `work` in one transaction. */
  async function transaction<T>(
    work: (query: RunQuery) => Promise<T>,
    isolation: 'READ COMMITTED' | 'REPEATABLE READ READ ONLY' = 'READ COMMITTED',
  ): Promise<T> {
    const client = await pool.connect();
    // Without a listener, a connection that breaks between two statements would end the process.
    client.on('error', ignore);
    try {
      // By default each statement sees what was committed before it, whatever the default of the database is.
      await client.query(`BEGIN ISOLATION LEVEL ${isolation}`);
      // Only without values may a text hold several statements.
      const result = await work((text, values) => client.query(text, values?.map(storable)));
      await client.query('COMMIT');
      client.off('error', ignore);
      client.release();
      return result;
    } catch (error) {
      // Closes the connection: the server rolls back, and a late answer is discarded.
      client.release(true);
      throw error;
    }
  }

  /** Waits for statements in flight, for a limited time, and closes. Idempotent. */
  async function close(): Promise<void> {
    if (pool.ending) return;
    const ended = new AbortController();
    await Promise.race([pool.end(), sleep(closeMs, undefined, { signal: ended.signal }).catch(ignore)]);
    ended.abort();
    // A server that hangs would not close its end of a connection.
    for (const socket of sockets) socket.destroySoon();
  }

  return { query, transaction, close };
}

function ignore(): void {}
