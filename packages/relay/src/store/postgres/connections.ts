/** Connections to PostgreSQL on which every statement has a time limit, on the server and in this process. */
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Row } from '../rows.ts';

/** Runs a statement. */
export type Query = (text: string, values?: readonly unknown[]) => Promise<Row[]>;

/** How many connections, and how long they may take, in milliseconds. */
export interface ConnectionLimits {
  /** Of the connections, in the server's lists. */
  readonly name: string;
  readonly most: number;
  /** Until there is a connection, a free one or a new one. */
  readonly connectMs: number;
  /** Until the server ends a statement, its wait for a lock included, or a transaction in which nothing happens. */
  readonly serverMs: number;
  /** Until this process gives up on a statement's answer: the server may be frozen, or the network gone. */
  readonly answerMs: number;
}

/** Longest that closing waits for statements under way, in milliseconds. */
const closeMs = 5000;

export class Connections {
  readonly #pool: pg.Pool;
  readonly #sockets = new Set<Socket>();

  constructor(url: string, { name, most, connectMs, serverMs, answerMs }: ConnectionLimits) {
    this.#pool = new pg.Pool({
      connectionString: url,
      application_name: name,
      max: most,
      keepAlive: true,
      connectionTimeoutMillis: connectMs,
      statement_timeout: serverMs,
      // Sooner, so that the failure says which it was.
      lock_timeout: Math.round(serverMs * 0.8),
      idle_in_transaction_session_timeout: serverMs,
      query_timeout: answerMs,
      stream: () => this.#socket(),
    });
    // A connection broke on which nothing was under way: the next statement opens another.
    this.#pool.on('error', () => undefined);
  }

  #socket(): Socket {
    const socket = new Socket();
    this.#sockets.add(socket);
    return socket.once('close', () => this.#sockets.delete(socket));
  }

  /** Runs a statement outside any transaction. */
  readonly query: Query = async (text, values = []) => (await this.#pool.query<Row>(text, [...values])).rows;

  /** Runs everything `work` does through the `query` it gets, or nothing of it. */
  async transaction<T>(work: (query: Query) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    // Without a listener, a connection that breaks between two statements would end the process.
    client.on('error', ignore);
    try {
      // Each statement sees what others have committed before it, whatever the database's default is.
      await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
      const result = await work(async (text, values) => {
        // Only without values may a text hold several statements.
        const { rows } = await client.query<Row>(text, values && [...values]);
        return rows;
      });
      await client.query('COMMIT');
      client.off('error', ignore);
      client.release();
      return result;
    } catch (error) {
      // Its server rolls back, and its answer, should it still come, meets nobody.
      client.release(true);
      throw error;
    }
  }

  /** Lets statements under way end, for a while, and closes. Once more does nothing. */
  async close(): Promise<void> {
    if (this.#pool.ending) return;
    const ended = new AbortController();
    await Promise.race([this.#pool.end(), sleep(closeMs, undefined, { signal: ended.signal }).catch(ignore)]);
    ended.abort();
    // A frozen server would not take part in the end of a connection.
    for (const socket of this.#sockets) socket.destroySoon();
  }
}

function ignore(): void {}
