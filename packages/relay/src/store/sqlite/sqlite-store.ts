/** Signups in one SQLite file: write-ahead log, a sync per commit, many signups per commit, one relay per file. */
import type { KeptSubmission } from '@newsletter-kit/core/signup';
import type { SQLOutputValue } from 'node:sqlite';
import { fingerprint } from '../fingerprint.ts';
import { signupId } from '../signup-id.ts';
import {
  repeatWindowMs,
  StoreUnavailableError,
  type Acceptance,
  type ClaimedSignup,
  type NewSignup,
  type Outcome,
  type SignupCounts,
  type SignupStore,
} from '../signup-store.ts';
import { meaning } from './failure.ts';
import { GroupCommit } from './group-commit.ts';
import { openDatabase, type OpenDatabase } from './open-database.ts';
import { prepare, type Statements } from './statements.ts';

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
export function openSqliteStore(path: string, options: SqliteStoreOptions = {}): SignupStore {
  return new SqliteStore(openDatabase(path, options.maxPages));
}

type Row = Readonly<Record<string, SQLOutputValue>>;

class SqliteStore implements SignupStore {
  readonly #file: OpenDatabase;
  readonly #statements: Statements;
  readonly #commits: GroupCommit;
  /**
   * Claims live in memory: the lock makes this process the only one, so what it had claimed when it died is simply waiting
   * again at the next start, and taking a claim costs no write.
   */
  readonly #claimed = new Set<string>();

  constructor(file: OpenDatabase) {
    this.#file = file;
    this.#statements = prepare(file.db);
    this.#commits = new GroupCommit(file.db);
  }

  accept(signup: NewSignup): Promise<Acceptance> {
    const { intent, content } = fingerprint(signup);
    const id = signupId(signup.receivedAt);
    return this.#commits.run(() => {
      const earlier =
        (intent !== null && this.#statements.sameIntent.get({ intent })) ||
        this.#statements.sameContent.get({ content, since: signup.receivedAt - repeatWindowMs });
      if (earlier) return { id: String(earlier['id']), repeated: true };
      this.#statements.insert.run({
        id,
        form: signup.form,
        state: signup.suspected ? 'review' : 'waiting',
        receivedAt: signup.receivedAt,
        origin: signup.origin,
        submission: JSON.stringify(signup.submission),
        intent,
        content,
        nextAttemptAt: signup.suspected ? null : signup.receivedAt,
      });
      return { id, repeated: false };
    });
  }

  claim(limit: number, now: number): Promise<readonly ClaimedSignup[]> {
    return this.#read(() => {
      const rows = this.#statements.due.all({ now, limit: limit + this.#claimed.size });
      const free = rows.map(claimed).filter(({ id }) => !this.#claimed.has(id)).slice(0, limit);
      for (const { id } of free) this.#claimed.add(id);
      return free;
    });
  }

  async settle(id: string, outcome: Outcome): Promise<void> {
    await this.#commits.run(() => {
      this.#statements.settle.run({
        id,
        state: outcome.state,
        nextAttemptAt: outcome.state === 'waiting' ? outcome.nextAttemptAt : null,
        settledAt: outcome.state === 'waiting' ? null : outcome.at,
        reason: outcome.state === 'delivered' ? null : outcome.reason,
      });
    });
    this.#claimed.delete(id);
  }

  release(id: string): Promise<void> {
    this.#claimed.delete(id);
    return Promise.resolve();
  }

  nextDueAt(): Promise<number | null> {
    return this.#read(() => {
      const rows = this.#statements.upcoming.all({ limit: this.#claimed.size + 1 });
      const next = rows.find((row) => !this.#claimed.has(String(row['id'])));
      return next ? Number(next['nextAttemptAt']) : null;
    });
  }

  counts(): Promise<SignupCounts> {
    return this.#read(() => {
      const rows = this.#statements.counts.all().map((row) => [String(row['state']), Number(row['count'])] as const);
      return { waiting: 0, review: 0, delivered: 0, dead: 0, ...Object.fromEntries(rows) };
    });
  }

  async probe(now: number): Promise<void> {
    await this.#commits.run(() => this.#statements.probe.run({ now }));
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

function claimed(row: Row): ClaimedSignup {
  return {
    id: String(row['id']),
    form: String(row['form']),
    submission: JSON.parse(String(row['submission'])) as KeptSubmission,
    receivedAt: Number(row['receivedAt']),
    attempts: Number(row['attempts']),
  };
}
