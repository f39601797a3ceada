/** The counters of rate limits in PostgreSQL, counted in groups: the posts of one moment share a statement. */
import { StoreUnavailableError } from '../../errors.ts';
import { type Count, type Counter, type Counters, MemoryCounters, type ReachedCounter } from '../counters.ts';
import { asStoreUnavailable } from '../database-errors.ts';
import { PostgresGroupCommit } from '../group-commit.ts';
import type { Row } from '../rows.ts';
import { json } from './connections.ts';
import type { OpenDatabase } from './open-database.ts';
import { counters as sql } from './statements.ts';

/** How long the counters are not queried after a failure, in milliseconds. */
const pauseMs = 5000;

/** Counters deleted in one statement. */
const batchSize = 1000;

/** Maximum number of posts counted in one statement. */
const maxGroupSize = 500;

interface Post {
  readonly counters: readonly Counter[];
  readonly now: number;
  reached: readonly ReachedCounter[];
}

export class PostgresCounters implements Counters {
  readonly #database: Pick<OpenDatabase, 'counting' | 'long'>;
  readonly #posts = new PostgresGroupCommit<Post>({
    maxItems: maxGroupSize,
    isSingleItemFailure: () => false,
    commit: (posts) => this.#countGroup(posts),
  });
  #pausedUntil = 0;

  constructor(database: Pick<OpenDatabase, 'counting' | 'long'>) {
    this.#database = database;
  }

  async count(counters: readonly Counter[], now: number): Promise<readonly ReachedCounter[]> {
    const post: Post = { counters, now, reached: [] };
    await this.#posts.run(post);
    return post.reached;
  }

  async release(counters: readonly Counter[]): Promise<void> {
    await this.#query(sql.release, [json(totals([{ counters, now: 0 }]))]);
  }

  expire(now: number): Promise<void> {
    return asStoreUnavailable('written', async () => {
      while ((await this.#database.long.query(sql.expire, [now, batchSize])).length === batchSize);
    });
  }

  async #countGroup(posts: readonly Post[]): Promise<void> {
    const keys = new Set(posts.flatMap(({ counters }) => counters.map(({ key }) => key)));
    const counted = await countEach(posts, await this.#query(sql.read, [[...keys]]));
    if (counted.length === 0) return;
    const added = totals(counted);
    const now = Math.max(...counted.map((post) => post.now));
    const written = await this.#query(sql.add, [json(added), now]);
    // Other relays may have counted in between: each post is checked again, by what was there before the group.
    const points = new Map(added.map((total) => [total.key, total.points]));
    const before = written.map((row) => ({
      ...row,
      points: Number(row['points']) - (points.get(String(row['key'])) ?? 0),
    }));
    await countEach(counted, before);
    const tooMany = counted.filter(({ reached }) => reached.length > 0);
    if (tooMany.length > 0) await this.#query(sql.release, [json(totals(tooMany))]);
  }

  /** A post counts several times: only the first time waits for a server that hangs. */
  async #query(text: string, values: readonly unknown[]): Promise<Row[]> {
    if (performance.now() < this.#pausedUntil) throw new StoreUnavailableError('The counters did not answer.');
    return asStoreUnavailable('written', async () => {
      try {
        return await this.#database.counting.query(text, values);
      } catch (error) {
        this.#pausedUntil = performance.now() + pauseMs;
        throw error;
      }
    });
  }
}

/** Counts each post after those before it. @returns those that reach no limit */
async function countEach(posts: readonly Post[], rows: readonly Row[]): Promise<readonly Post[]> {
  const stored = new Map(rows.map((row) => [String(row['key']), toCount(row)]));
  const counters = new MemoryCounters((key) => stored.get(key));
  for (const post of posts) post.reached = await counters.count(post.counters, post.now);
  return posts.filter(({ reached }) => reached.length === 0);
}

function toCount(row: Row): Count {
  return { points: Number(row['points']), until: Number(row['until']) };
}

/** Rows with what the posts count together; `until` is the end of a window that begins with them. */
function totals(posts: readonly Omit<Post, 'reached'>[]): (Count & { readonly key: string })[] {
  const all = new Map<string, Count & { readonly key: string }>();
  for (const { counters, now } of posts) {
    const ofPost = new Map(counters.map((counter) => [counter.key, counter]));
    for (const { key, windowMs } of ofPost.values())
      all.set(key, { key, points: (all.get(key)?.points ?? 0) + 1, until: now + windowMs });
  }
  return [...all.values()];
}
