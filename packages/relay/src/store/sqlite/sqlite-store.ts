/** Signups in one SQLite file: write-ahead log, a sync per commit, many signups per commit, one relay per file. */
import { conditions } from '../conditions.ts';
import { fingerprint, personHash } from '../fingerprint.ts';
import { numberOrNull, settledColumns, toClaimed, toStored } from '../rows.ts';
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
  type SignupStore,
  type StoredSignup,
} from '../signup-store.ts';
import { meaning } from './failure.ts';
import { GroupCommit } from './group-commit.ts';
import type { MoveSource } from '../move.ts';
import { movingTo, moveSource } from './move-source.ts';
import { openDatabase, type OpenDatabase } from './open-database.ts';
import { countDelivered, filtered, prepare, type Statements } from './statements.ts';

/** Options of {@link openSqliteStore}. */
export interface SqliteStoreOptions {
  /** Most pages (4 KiB each) the file may grow to. Default: no bound but the disk's. */
  readonly maxPages?: number | undefined;
}

/**
 * Opens, or creates, the store in one file.
 *
 * @throws StartupError where the file cannot be used, is in use, or is not ours
 */
export function openSqliteStore(path: string, options: SqliteStoreOptions = {}): LeavableStore {
  return new SqliteStore(openDatabase(path, options.maxPages));
}

/** A store that can be left for another. */
export interface LeavableStore extends SignupStore {
  /** Where a move was begun to, without user and password; null where none was. */
  readonly leavingFor: string | null;
  /** Begins to leave, or goes on with it. */
  leave(to: string): Promise<MoveSource>;
}

/** Signups erased in one transaction. */
const erasedAtOnce = 500;

class SqliteStore implements LeavableStore {
  readonly shared = false;
  readonly #file: OpenDatabase;
  readonly #statements: Statements;
  readonly #commits: GroupCommit;
  /**
   * Claims live in memory: the lock makes this process the only one, so what it had claimed when it died is simply
   * waiting again at the next start, and taking a claim costs no write.
   */
  readonly #claimed = new Set<string>();
  /** Counted once: there may be millions. */
  #delivered: number;
  /** Read once: delivery asks whenever a signup comes in. */
  #paused: boolean;

  constructor(file: OpenDatabase) {
    this.#file = file;
    this.#statements = prepare(file.db);
    this.#commits = new GroupCommit(file.db);
    this.#delivered = Number(file.db.prepare(countDelivered).get()?.['count']);
    this.#paused = this.#statements.setting.get({ name: 'paused' })?.['value'] === 'true';
  }

  accept(signup: NewSignup): Promise<Acceptance> {
    const { form, suspected, receivedAt, origin } = signup;
    const { person, intent, content } = fingerprint(signup);
    const id = signupId(receivedAt);
    const submission = JSON.stringify(signup.submission);
    return this.#commits.run(() => {
      const earlier = this.#statements.same.get(person, person, intent, content, receivedAt - repeatWindowMs);
      const [state, nextAttemptAt] = suspected ? ['review', null] : ['waiting', receivedAt];
      this.#statements.insert.run(id, form, state, receivedAt, origin, submission, intent, content, nextAttemptAt);
      if (!earlier) return { id, repeated: false };
      // Written and taken back: so it touches the same pages, waits for the same sync, and takes as long as a new one.
      this.#statements.takeBack.run(id);
      return { id: String(earlier['id']), repeated: true };
    });
  }

  claim(limit: number, now: number): Promise<readonly ClaimedSignup[]> {
    return this.#read(() => {
      const due = this.#statements.due.all({ now, limit: limit + this.#claimed.size }).map(({ id }) => String(id));
      const free = due.filter((id) => !this.#claimed.has(id)).slice(0, limit);
      const signups = free.flatMap((id) => this.#statements.claimed.all(id).map(toClaimed));
      for (const { id } of signups) this.#claimed.add(id);
      return signups;
    });
  }

  async settle(ids: readonly string[], outcome: Outcome): Promise<void> {
    const columns = settledColumns(outcome);
    const changed = await this.#commits.run(() =>
      ids.reduce((sum, id) => sum + Number(this.#statements.settle.run({ id, ...columns }).changes), 0),
    );
    if (outcome.state === 'delivered') this.#delivered += changed;
    for (const id of ids) this.#claimed.delete(id);
  }

  release(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.#claimed.delete(id);
    return Promise.resolve();
  }

  backlog(most: number, now: number): Promise<number> {
    return this.#read(() => {
      const due = Number(this.#statements.backlog.get({ now, limit: most + this.#claimed.size })?.['count']);
      return Math.min(most, Math.max(0, due - this.#claimed.size));
    });
  }

  nextDueAt(): Promise<number | null> {
    return this.#read(() => {
      const rows = this.#statements.upcoming.all({ limit: this.#claimed.size + 1 });
      const next = rows.find((row) => !this.#claimed.has(String(row['id'])));
      return next ? Number(next['nextAttemptAt']) : null;
    });
  }

  counts(): Promise<SignupCounts> {
    return this.#read(() => this.#counts());
  }

  #counts(): SignupCounts {
    const open = this.#statements.survey.counts
      .all()
      .map((row) => [String(row['state']), Number(row['count'])] as const);
    return { waiting: 0, review: 0, dead: 0, ...Object.fromEntries(open), delivered: this.#delivered };
  }

  overview(now: number): Promise<Overview> {
    return this.#read(() => {
      const { survey } = this.#statements;
      return {
        counts: this.#counts(),
        due: Number(survey.due.get({ now })?.['count']),
        oldestWaitingSince: numberOrNull(survey.oldestWaiting.get()?.['since']),
        deadByReason: survey.deadByReason
          .all({ limit: reasonsShown })
          .map(({ reason, count }) => ({ reason: String(reason), count: Number(count) })),
      };
    });
  }

  list(filter: SignupFilter, { after, limit }: Page): Promise<readonly StoredSignup[]> {
    return this.#read(() => {
      const { sql, values } = conditions(filter, 'instr');
      const page = after === undefined ? { sql, values } : { sql: `${sql} AND id < ?`, values: [...values, after] };
      return this.#file.db
        .prepare(filtered.list(page.sql))
        .all(...page.values, limit)
        .map(toStored);
    });
  }

  redrive(filter: SignupFilter, now: number): Promise<number> {
    const { sql, values } = conditions(filter, 'instr');
    return this.#commits.run(() => Number(this.#file.db.prepare(filtered.redrive(sql)).run(now, ...values).changes));
  }

  async erase(address: string): Promise<number> {
    const states = await this.#commits.run(() =>
      this.#statements.erase.all({ person: personHash(address) }).map(({ state }) => state),
    );
    this.#delivered -= states.filter((state) => state === 'delivered').length;
    this.#emptyLog();
    return states.length;
  }

  async eraseDelivered(before: number): Promise<number> {
    let erased = 0;
    for (;;) {
      // In parts, so that signups coming in meanwhile do not wait for all of it.
      const part = await this.#commits.run(() =>
        Number(this.#statements.eraseDelivered.run({ before, limit: erasedAtOnce }).changes),
      );
      erased += part;
      if (part < erasedAtOnce) break;
    }
    this.#emptyLog();
    return erased;
  }

  /** The write-ahead log holds pages as they were before; what was erased must not stay there. */
  #emptyLog(): void {
    let result;
    try {
      result = this.#file.db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
    } catch (cause) {
      throw new StoreUnavailableError(
        `The signups are erased, but the log that may still hold them cannot be emptied: ${meaning(cause)}.`,
        { cause },
      );
    }
    if (Number(result?.['busy']) === 0) return;
    throw new StoreUnavailableError(
      'The signups are erased, but another program is reading the store, so that its log still holds them: end that program and erase again.',
    );
  }

  paused(): Promise<boolean> {
    return Promise.resolve(this.#paused);
  }

  async setPaused(paused: boolean): Promise<void> {
    await this.#commits.run(() => this.#statements.set.run({ name: 'paused', value: String(paused) }));
    this.#paused = paused;
  }

  async probe(now: number): Promise<void> {
    await this.#commits.run(() => this.#statements.probe.run({ now }));
  }

  get leavingFor(): string | null {
    return movingTo(this.#file.db);
  }

  leave(to: string): Promise<MoveSource> {
    return moveSource(this.#file.db, this.#commits, to);
  }

  close(): Promise<void> {
    this.#commits.flush();
    this.#file.close();
    return Promise.resolve();
  }

  /** Reads run at once; a failure reaches the caller as a rejection in the port's own words. */
  #read<T>(query: () => T): Promise<T> {
    try {
      return Promise.resolve(query());
    } catch (cause) {
      return Promise.reject(new StoreUnavailableError(`The store cannot be read: ${meaning(cause)}.`, { cause }));
    }
  }
}
