/** The number of delivered signups where none is stored, counted once: there may be millions. */
import { type SqliteDriver, statementsOf } from './driver.ts';

export type DeliveredCount = ReturnType<typeof deliveredCount>;

export function deliveredCount(db: Pick<SqliteDriver, 'prepare'>) {
  const count = statementsOf(db).one<[], { readonly count: number }>(
    `SELECT count(*) AS count FROM signup WHERE state = 'delivered'`,
  );
  let known: number | null = null;
  return {
    read: (): number => (known ??= count()?.count ?? 0),
    /** Follows a write. A number that was counted since the write began may contain it or not, and is forgotten. */
    async changedBy<Result>(write: Promise<Result>, change: (result: Result) => number): Promise<Result> {
      const before = known;
      const result = await write;
      known = before === null || known === null ? null : known + change(result);
      return result;
    },
  };
}
