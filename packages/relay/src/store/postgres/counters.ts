/** The counters of rate limits in PostgreSQL, counted in groups: the posts of one moment share a statement. */
import { StoreUnavailableError } from '../../errors.ts';
import { type Count, type Counter, type Counters, MemoryCounters, type ReachedCounter } from '../counters.ts';
import { asStoreUnavailable } from '../database-errors.ts';
import { createPostgresGroupCommit } from '../group-commit.ts';
import { json } from '../acts/act.ts';
import type { OpenDatabase } from './open-database.ts';
import { counter, rowsOf } from './sql-parts.ts';

/** How long the counters are not queried after a failure, in milliseconds. */
const pauseMs = 5000;

/** Counters deleted in one statement. */
const batchSize = 1000;

interface Post {
  readonly counters: readonly Counter[];
  readonly now: number;
  reached: readonly ReachedCounter[];
}

/** Whether the window of the stored counter `c` is open at $2, or a new one begins. */
const isOpen = 'c.until > $2::bigint AND c.until <= 2 * excluded.until - $2::bigint';

// The order of the keys keeps two relays from waiting for each other.
const add = `INSERT INTO ${counter} AS c (key, points, until) SELECT key, points, until FROM ${rowsOf(counter, '$1')} ORDER BY key
  ON CONFLICT (key) DO UPDATE SET points = excluded.points + CASE WHEN ${isOpen} THEN c.points ELSE 0 END,
    until = CASE WHEN ${isOpen} THEN c.until ELSE excluded.until END
  RETURNING key, points, until`;

const takeBack = `UPDATE ${counter} AS c SET points = greatest(0, c.points - r.points)
  FROM (SELECT key, w.points FROM ${rowsOf(counter, '$1')} AS w JOIN ${counter} AS k USING (key) ORDER BY key FOR UPDATE OF k) AS r
  WHERE c.key = r.key`;

const expire = `DELETE FROM ${counter} WHERE key IN (
    SELECT key FROM ${counter} WHERE until <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED)`;

type KeyedCount = Count & { readonly key: string };

export function postgresCounters({ counting, long }: Pick<OpenDatabase, 'counting' | 'long'>): Counters {
  let pausedUntil = 0;
  /** A post counts several times: only the first time waits for a server that hangs. */
  const query = (text: string, values: readonly unknown[]): Promise<KeyedCount[]> =>
    asStoreUnavailable('written', async () => {
      if (performance.now() < pausedUntil) throw new StoreUnavailableError('The counters did not answer.');
      try {
        return (await counting.query<KeyedCount>(text, values)).rows;
      } catch (error) {
        pausedUntil = performance.now() + pauseMs;
        throw error;
      }
    });
  const release = (posts: readonly Omit<Post, 'reached'>[]) => query(takeBack, [json(totals(posts))]);
  const posts = createPostgresGroupCommit<Post>(async (group) => {
    const keys = new Set(group.flatMap(({ counters }) => counters.map(({ key }) => key)));
    const stored = await query(`SELECT key, points, until FROM ${counter} WHERE key = ANY($1::text[])`, [[...keys]]);
    const counted = await countEach(group, stored);
    if (counted.length === 0) return;
    const added = totals(counted);
    const written = await query(add, [json(added), Math.max(...counted.map(({ now }) => now))]);
    // Other relays may have counted in between: each post is checked again, by what was there before the group.
    const points = new Map(added.map((total) => [total.key, total.points]));
    await countEach(
      counted,
      written.map((row) => ({ ...row, points: row.points - (points.get(row.key) ?? 0) })),
    );
    const tooMany = counted.filter(({ reached }) => reached.length > 0);
    if (tooMany.length > 0) await release(tooMany);
  });
  return {
    async count(counters, now) {
      const post: Post = { counters, now, reached: [] };
      await posts.run(post);
      return post.reached;
    },
    release: async (counters) => void (await release([{ counters, now: 0 }])),
    expire: (now) =>
      asStoreUnavailable('written', async () => {
        while ((await long.query(expire, [now, batchSize])).rowCount === batchSize);
      }),
  };
}

/** Counts each post after those before it. @returns those that reach no limit */
async function countEach(posts: readonly Post[], rows: readonly KeyedCount[]): Promise<readonly Post[]> {
  const stored = new Map(rows.map((row) => [row.key, row]));
  const counters = new MemoryCounters((key) => stored.get(key));
  for (const post of posts) post.reached = await counters.count(post.counters, post.now);
  return posts.filter(({ reached }) => reached.length === 0);
}

/** Rows with what the posts count together; `until` is the end of a window that begins with them. */
function totals(posts: readonly Omit<Post, 'reached'>[]): KeyedCount[] {
  const all = new Map<string, KeyedCount>();
  for (const { counters, now } of posts) {
    const ofPost = new Map(counters.map((counter) => [counter.key, counter]));
    for (const { key, windowMs } of ofPost.values())
      all.set(key, { key, points: (all.get(key)?.points ?? 0) + 1, until: now + windowMs });
  }
  return [...all.values()];
}
