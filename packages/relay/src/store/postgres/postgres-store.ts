/** Signups in PostgreSQL: a row and its job in one transaction, many signups per transaction, any number of relays. */
import type { Db, JobInsert } from 'pg-boss';
import { StartupError } from '../../startup-error.ts';
import { conditions } from '../conditions.ts';
import { fingerprint, personHash } from '../fingerprint.ts';
import { storeName } from '../open-store.ts';
import { parts } from '../parts.ts';
import { numberOrNull, settledColumns, textOrNull, toClaimed, toStored, type Row } from '../rows.ts';
import { signupId } from '../signup-id.ts';
import {
  reasonsShown,
  repeatWindowMs,
  StoreUnavailableError,
  type Acceptance,
  type ClaimedSignup,
  type NewSignup,
  type Outcome,
  type Overview,
  type Page,
  type SignupCounts,
  type SignupFilter,
  type SignupState,
  type SharedCounters,
  type SignupStore,
  type StoredSignup,
} from '../signup-store.ts';
import { isOfTheStore, meaning } from './failure.ts';
import { Gathering } from './gathering.ts';
import { openDatabase, renewMs, type DatabaseOptions, type OpenDatabase } from './open-database.ts';
import { repeats, type Arrival, type Earlier } from './repeats.ts';
import { SamePace } from './same-pace.ts';
import { counterTable, schema } from './schema.ts';
import { filtered, moving, queue, sql } from './statements.ts';

/**
 * Opens, or creates, the store in one database.
 *
 * @throws StartupError where it cannot be reached, does not let us in, is too old or not durable
 */
export async function openPostgresStore(url: string, options: DatabaseOptions = {}): Promise<SignupStore> {
  const database = await openDatabase(url, options);
  const [unfinished] = await database.query(sql.setting, [moving.from]);
  if (!unfinished) return new PostgresStore(database);
  await database.close();
  throw new StartupError(
    `A move into the store ${storeName({ kind: 'postgres', url })} is not over: name the old store in RELAY_STORE, and run "newsletter-relay move --to" with this one again.`,
  );
}

/** Signups of one transaction: each holds a lock until its end, and PostgreSQL has room for some thousands of those. */
const groupSize = 200;

/** Signups that an operator's command or the sweeper moves in one statement. */
const partSize = 1000;

/** How often signups without a job are looked for, in milliseconds. */
const sweepMs = 60_000;

interface Settlement {
  readonly ids: readonly string[];
  readonly outcome: Outcome;
}

export class PostgresStore implements SignupStore {
  readonly shared = true;
  readonly counters: SharedCounters;
  readonly #database: OpenDatabase;
  readonly #arrivals: Gathering<Arrival, Acceptance>;
  readonly #settlements: Gathering<Settlement, undefined>;
  readonly #pace = new SamePace();
  readonly #timers: readonly NodeJS.Timeout[];
  #swept: Promise<void>;
  /** What this process has claimed, to be given back when it closes: others need not wait until the claims run out. */
  readonly #claimed = new Set<string>();

  constructor(database: OpenDatabase) {
    this.#database = database;
    this.counters = { schema, table: counterTable, query: (text, values) => database.query(text, values) };
    const isOfOne = (error: unknown): boolean => !isOfTheStore(error);
    this.#arrivals = new Gathering({ work: (arrivals) => this.#keep(arrivals), most: groupSize, isOfOne });
    this.#settlements = new Gathering({ work: (settlements) => this.#write(settlements), most: groupSize, isOfOne });
    this.#swept = this.#giveJobs();
    const sweep = (): void => {
      this.#swept = this.#giveJobs();
    };
    this.#timers = [setInterval(sweep, sweepMs), setInterval(() => void this.#renew(), renewMs)];
  }

  accept(signup: NewSignup): Promise<Acceptance> {
    return written(() => this.#arrivals.run({ id: signupId(signup.receivedAt), signup, ...fingerprint(signup) }));
  }

  #keep(arrivals: readonly Arrival[]): Promise<readonly Acceptance[]> {
    return this.#database.transaction(async (db) => {
      // Two relays that get one signup at the same moment: the second waits here, and then sees the first one's row.
      await db.executeSql(sql.lockPeople, [arrivals.map(({ content }) => lockKey(content))]);
      const intents = arrivals.map(({ intent }) => intent).filter((intent) => intent !== null);
      const since = Math.min(...arrivals.map(({ signup }) => signup.receivedAt)) - repeatWindowMs;
      const kept = await db.executeSql(sql.same, [intents, arrivals.map(({ content }) => content), Math.floor(since)]);
      const earlier = repeats(arrivals, (kept.rows as Row[]).map(toEarlier));
      const fresh = arrivals.filter((_, at) => earlier[at] === null);
      const due = fresh.filter(({ signup }) => !signup.suspected);
      const from = performance.now();
      if (fresh.length > 0) await db.executeSql(sql.insert, [JSON.stringify(fresh.map(row))]);
      else await db.executeSql(sql.nothingNew);
      if (due.length > 0) {
        await this.#enqueue(
          db,
          due.map(({ id }) => ({ id })),
        );
        this.#pace.wrote(performance.now() - from);
      } else {
        // Nothing that will be delivered: no answer may come sooner for that.
        await this.#pace.wait(from);
      }
      return arrivals.map(({ id }, at) => ({ id: earlier[at] ?? id, repeated: earlier[at] !== null }));
    });
  }

  claim(limit: number): Promise<readonly ClaimedSignup[]> {
    return read(async () => {
      const jobs = await this.#database.boss.fetch(queue, { batchSize: limit });
      if (jobs.length === 0) return [];
      const ids = jobs.map(({ id }) => id);
      const signups = (await this.#database.query(sql.claimed, [ids])).map(toClaimed);
      const found = new Set(signups.map(({ id }) => id));
      for (const id of found) this.#claimed.add(id);
      const orphans = ids.filter((id) => !found.has(id));
      if (orphans.length > 0) await this.#database.boss.deleteJob(queue, orphans);
      return signups;
    });
  }

  async settle(ids: readonly string[], outcome: Outcome): Promise<void> {
    await written(() => this.#settlements.run({ ids, outcome }));
    for (const id of ids) this.#claimed.delete(id);
  }

  #write(settlements: readonly Settlement[]): Promise<undefined[]> {
    return this.#database.transaction(async (db) => {
      const rows = await db.executeSql(sql.settle, [JSON.stringify(settlements.flatMap(settledRows))]);
      const written = new Set((rows.rows as Row[]).map(({ id }) => String(id)));
      await this.#database.boss.deleteJob(
        queue,
        settlements.flatMap(({ ids }) => ids),
        { db },
      );
      const again = settlements.flatMap(({ ids, outcome }) => {
        if (outcome.state !== 'waiting') return [];
        // A span, not a moment: the clocks of relay and server may differ.
        const startAfter = Math.max(0, outcome.nextAttemptAt - outcome.at) / 1000;
        return ids.filter((id) => written.has(id)).map((id) => ({ id, startAfter }));
      });
      await this.#enqueue(db, again);
      return settlements.map(() => undefined);
    });
  }

  async release(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await written(() => this.#giveBack(ids));
    for (const id of ids) this.#claimed.delete(id);
  }

  backlog(most: number): Promise<number> {
    return read(async () => Number((await this.#database.query(sql.backlog, [most]))[0]?.['count']));
  }

  #giveBack(ids: readonly string[]): Promise<void> {
    return this.#database.transaction(async (db) => {
      await this.#database.boss.deleteJob(queue, [...ids], { db });
      await this.#enqueue(
        db,
        ids.map((id) => ({ id })),
      );
    });
  }

  async #enqueue(db: Db, jobs: JobInsert[]): Promise<void> {
    if (jobs.length > 0) await this.#database.boss.insert(queue, jobs, { db });
  }

  nextDueAt(now: number): Promise<number | null> {
    return read(async () => {
      const [due] = await this.#database.query(sql.nextDue);
      const inMs = numberOrNull(due?.['inMs']);
      return inMs === null ? null : Math.ceil(now + inMs);
    });
  }

  counts(): Promise<SignupCounts> {
    return read(async () => {
      const rows = (await this.#database.query(sql.counts)).map(
        ({ state, count }) => [String(state), Number(count)] as const,
      );
      return { waiting: 0, review: 0, delivered: 0, dead: 0, ...Object.fromEntries(rows) };
    });
  }

  overview(now: number): Promise<Overview> {
    return read(async () => {
      const [counts, [waiting], dead] = await Promise.all([
        this.counts(),
        this.#database.query(sql.waiting, [now]),
        this.#database.query(sql.deadByReason, [reasonsShown]),
      ]);
      return {
        counts,
        due: Number(waiting?.['due']),
        oldestWaitingSince: numberOrNull(waiting?.['since']),
        deadByReason: dead.map(({ reason, count }) => ({ reason: String(reason), count: Number(count) })),
      };
    });
  }

  list(filter: SignupFilter, { after, limit }: Page): Promise<readonly StoredSignup[]> {
    return read(async () => {
      const { sql: where, values } = conditions(filter, 'strpos');
      const page =
        after === undefined ? { where, values } : { where: `${where} AND id < ?`, values: [...values, after] };
      return (await this.#database.query(filtered.list(page.where), [...page.values, limit])).map(toStored);
    });
  }

  redrive(filter: SignupFilter, now: number): Promise<number> {
    const { sql: where, values } = conditions(filter, 'strpos');
    return written(() =>
      this.#database.transaction(async (db) => {
        const { rows } = await db.executeSql(filtered.redrive(where), [now, ...values]);
        const ids = (rows as Row[]).map(({ id }) => String(id));
        for (const part of parts(ids, partSize))
          await this.#enqueue(
            db,
            part.map((id) => ({ id })),
          );
        return ids.length;
      }),
    );
  }

  erase(address: string): Promise<number> {
    return written(() =>
      this.#database.transaction(async (db) => {
        const person = personHash(address);
        await db.executeSql(sql.lockPeople, [[lockKey(person)]]);
        const { rows } = await db.executeSql(sql.erase, [person]);
        const ids = (rows as Row[]).map(({ id }) => String(id));
        if (ids.length > 0) await this.#database.boss.deleteJob(queue, ids, { db });
        return ids.length;
      }),
    );
  }

  eraseDelivered(before: number): Promise<number> {
    return written(async () => {
      let erased = 0;
      for (;;) {
        const part = (await this.#database.query(sql.eraseDelivered, [before, partSize])).length;
        erased += part;
        if (part < partSize) return erased;
      }
    });
  }

  paused(): Promise<boolean> {
    return read(async () => (await this.#database.query(sql.setting, ['paused']))[0]?.['value'] === 'true');
  }

  setPaused(paused: boolean): Promise<void> {
    return written(async () => void (await this.#database.query(sql.set, ['paused', String(paused)])));
  }

  probe(now: number): Promise<void> {
    return written(async () => void (await this.#database.query(sql.probe, [now])));
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.all([this.#arrivals.done(), this.#settlements.done(), this.#swept]);
    // Where that fails they run out by themselves.
    for (const part of parts([...this.#claimed], partSize))
      await this.#giveBack(part).catch((error: unknown) => this.#report(error));
    await this.#database.close();
  }

  /** The sweeper. What it cannot do now it does a minute later. */
  async #giveJobs(): Promise<void> {
    try {
      let found: number;
      do {
        found = await this.#database.transaction(async (db) => {
          const { rows } = await db.executeSql(sql.withoutJob, [partSize]);
          const jobs = (rows as Row[]).map(({ id, nextAttemptAt }) => ({
            id: String(id),
            startAfter: new Date(Number(nextAttemptAt)),
          }));
          if (jobs.length > 0)
            await this.#database.boss.deleteJob(
              queue,
              jobs.map(({ id }) => id),
              { db },
            );
          await this.#enqueue(db, jobs);
          return jobs.length;
        });
      } while (found === partSize);
    } catch (error) {
      this.#report(error);
    }
  }

  /** Tells that this process is alive and still at work on what it claimed. */
  async #renew(): Promise<void> {
    try {
      for (const part of parts([...this.#claimed], partSize)) await this.#database.boss.touch(queue, [...part]);
    } catch (error) {
      this.#report(error);
    }
  }

  #report(error: unknown): void {
    this.#database.boss.emit('error', error instanceof Error ? error : new Error(String(error)));
  }
}

/** Failures reach the caller in the port's own words. */
function written<T>(work: () => Promise<T>): Promise<T> {
  return inOurWords('written', work);
}

function read<T>(work: () => Promise<T>): Promise<T> {
  return inOurWords('read', work);
}

export async function inOurWords<T>(verb: 'read' | 'written', work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof StoreUnavailableError || cause instanceof StartupError) throw cause;
    throw new StoreUnavailableError(`The store cannot be ${verb}: ${meaning(cause)}.`, { cause });
  }
}

/** A person's lock: 60 bits of their hash. */
function lockKey(hash: string): string {
  return BigInt.asIntN(64, Buffer.from(hash, 'base64url').readBigInt64BE()).toString();
}

function row({ id, intent, content, signup }: Arrival): Row {
  return {
    id,
    form: signup.form,
    state: signup.suspected ? 'review' : 'waiting',
    received_at: signup.receivedAt,
    origin: signup.origin,
    submission: JSON.stringify(signup.submission),
    intent,
    content,
    next_attempt_at: signup.suspected ? null : signup.receivedAt,
  };
}

function settledRows({ ids, outcome }: Settlement): Row[] {
  const { state, nextAttemptAt, settledAt, reason } = settledColumns(outcome);
  // PostgreSQL's texts have no NUL.
  return ids.map((id) => ({
    id,
    state,
    next_attempt_at: nextAttemptAt,
    settled_at: settledAt,
    last_error: reason?.replaceAll('\0', '') ?? null,
  }));
}

function toEarlier({ id, intent, content, receivedAt, state }: Row): Earlier {
  return {
    id: String(id),
    intent: textOrNull(intent),
    content: textOrNull(content),
    receivedAt: Number(receivedAt),
    state: state as SignupState,
  };
}
