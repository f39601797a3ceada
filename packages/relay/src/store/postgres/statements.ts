/** The statements of the PostgreSQL store as functions: their values are those of the call, in this order. */
import { asStoreUnavailable, readTookTooLong } from '../database-errors.ts';
import type { Connections } from './connections.ts';
import type { OpenDatabase } from './open-database.ts';

export type Statements = ReturnType<typeof statementsOf>;

/** What the server and pg say where a statement takes too long. */
const tookTooLong = (error: unknown): boolean =>
  error instanceof Error && (('code' in error && error.code === '57014') || error.message === 'Query read timeout');

export function statementsOf({ brief, reading, long }: OpenDatabase) {
  return {
    brief,
    long,
    /** Of visitors and delivery. @param verb - what a failure says of the store */
    read:
      <Found extends object, Result>(
        text: string,
        answer: (rows: readonly Found[]) => Result,
        verb: 'read' | 'written' = 'read',
      ) =>
      (...values: readonly unknown[]): Promise<Result> =>
        asStoreUnavailable(verb, async () => answer(await brief.query<Found>(text, values))),
    /** Of operators: ended where it takes too long. */
    readLong:
      <Found extends object, Result>(text: string, answer: (rows: readonly Found[]) => Result) =>
      (...values: readonly unknown[]): Promise<Result> =>
        asStoreUnavailable('read', async () => {
          try {
            return answer(await reading.query<Found>(text, values));
          } catch (cause) {
            throw tookTooLong(cause) ? readTookTooLong({ cause }) : cause;
          }
        }),
    write:
      (text: string) =>
      (...values: readonly unknown[]): Promise<void> =>
        asStoreUnavailable('written', async () => void (await brief.query(text, values))),
    /** The function resolves with the number of rows that the statement returns. */
    changed:
      (text: string, pool: Connections = brief) =>
      (...values: readonly unknown[]): Promise<number> =>
        asStoreUnavailable('written', async () => (await pool.query(text, values)).length),
  };
}
