/** Signups in one SQLite file: write-ahead log, a sync per commit, many signups per commit, one relay per file. */
import { conditions } from '../conditions.ts';
import { personHash, personOfFingerprint, relationTo, type SignupOfPerson } from '../fingerprint.ts';
import {
  claimableStates,
  givenConsent,
  earliest,
  loadedRow,
  newRow,
  numberOrNull,
  settledColumns,
  signupColumns,
  toBatch,
  toClaimed,
  toConfirmed,
  toConsent,
  toCounts,
  toOverview,
  toSignupOfPerson,
  toStored,
  toWalk,
  type Row,
  type SignupRow,
} from '../rows.ts';
import { firstIdOf, signupId } from '../signup-id.ts';
import {
  blockedMs,
  claimMs,
  freshMs,
  neverAttempted,
  reasonsShown,
  StoreUnavailableError,
  type Claim,
  type ClaimedSignup,
  type ConfirmedSignup,
  type Consent,
  type ConsentRecord,
  type HeldAboutPerson,
  type NewSignup,
  type OpenBatch,
  type Outcome,
  type Overview,
  type Page,
  type Retention,
  type SignupCounts,
  type SignupFilter,
  type SignupStore,
  type StoredSignup,
  type Walk,
} from '../signup-store.ts';
import { explainError } from './errors.ts';
import { GroupCommit } from './group-commit.ts';
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
export function openSqliteStore(path: string, options: SqliteStoreOptions = {}): SignupStore {
  return new SqliteStore(openDatabase(path, options.maxPages));
}

/** Signups erased in one transaction. */
const erasedAtOnce = 500;

class SqliteStore implements SignupStore {
  readonly shared = false;
  readonly #file: OpenDatabase;
  readonly #statements: Statements;
  readonly #commits: GroupCommit;
  /** Counted once: there may be millions. */
  #delivered: number;
  /** Read once: delivery asks whenever a signup comes in. */
  #paused: boolean;
  /** Whether the claims of the process before are freed. */
  #freed = false;

  constructor(file: OpenDatabase) {
    this.#file = file;
    this.#statements = prepare(file.db);
    this.#commits = new GroupCommit(file.db);
    this.#delivered = Number(file.db.prepare(countDelivered).get()?.['count']);
    this.#paused = this.#statements.setting.get({ name: 'paused' })?.['value'] === 'true';
  }

  accept(signup: NewSignup): Promise<string> {
    const id = signupId(signup.receivedAt);
    const row = newRow(id, signup);
    const record = givenConsent(row, signup);
    return this.#commits.run(() => {
      this.#statements.insert.run(...signupColumns.map((name) => row[name]));
      if (record) this.#addConsent(record);
      return id;
    });
  }

  #addConsent({ signup, kind, at, form, person, sentence, version, page, visitor }: ConsentRecord): void {
    this.#statements.addConsent.run(signup, kind, at, form, person, sentence, version, page, visitor);
  }

  claim({ forms, limit, now, batch, state = 'waiting' }: Claim): Promise<readonly ClaimedSignup[]> {
    const candidates = (): Row[] => {
      const { fresh, due } = this.#statements;
      const first = forms.flatMap((form) => fresh.all({ form, state, since: now - freshMs, limit }));
      if (first.length >= limit) return first.toSorted(byReceipt).slice(0, limit);
      const rest = claimableStates(state, batch !== undefined).flatMap((each) =>
        forms.flatMap((form) => due.all({ form, state: each, now: batch ? neverAttempted : now, limit })),
      );
      const ids = new Set(first.map(({ id }) => id));
      return [...first.toSorted(byReceipt), ...rest.filter(({ id }) => !ids.has(id)).toSorted(byAttempt)].slice(
        0,
        limit,
      );
    };
    return this.#commits.run(() => {
      this.#freeInterrupted();
      const taken: ClaimedSignup[] = [];
      for (const row of candidates()) {
        const signup = toClaimed(row);
        const { id, tried } = signup;
        const relation = relationTo(this.#siblings(row), toSignupOfPerson(row));
        if (relation === 'repeat') this.#statements.remove.run(id);
        else if (state === 'unconfirmed') {
          this.#statements.putOff.run({ id, until: now + claimMs });
          taken.push(signup);
        } else if (relation === 'blocked') this.#statements.putOff.run({ id, until: now + blockedMs });
        else {
          const until = batch ? null : now + claimMs;
          this.#statements.markSent.run({ id, tried: Number(tried), batch: batch?.id ?? null, until });
          taken.push(signup);
        }
      }
      if (batch && taken.length > 0) this.#statements.beginBatch.run({ ...batch, now });
      return taken;
    });
  }

  /**
   * The lock makes this process the only one: what was being sent alone was interrupted by the end of the last. Runs
   * with the first claim, not when the file is opened: a relay starts on a full disk too. Otherwise claims expire.
   */
  #freeInterrupted(): void {
    if (this.#freed) return;
    this.#freed = true;
    this.#statements.survey.interrupted.run();
  }

  #siblings({ id, content }: Row): SignupOfPerson[] {
    return this.#statements.siblings
      .all({ person: personOfFingerprint(String(content)), id: String(id) })
      .map(toSignupOfPerson);
  }

  async settle(ids: readonly string[], outcome: Outcome): Promise<void> {
    const columns = settledColumns(outcome);
    const changed = await this.#commits.run(() =>
      ids.reduce((sum, id) => sum + Number(this.#statements.settle.run({ id, ...columns }).changes), 0),
    );
    if (outcome.state === 'delivered') this.#delivered += changed;
  }

  release(ids: readonly string[]): Promise<void> {
    return this.#commits.run(() => ids.forEach((id) => this.#statements.release.run(id)));
  }

  backlog(forms: readonly string[], most: number): Promise<number> {
    return this.#read(() => {
      let count = 0;
      for (const form of forms) {
        count += Number(this.#statements.backlog.get({ form, limit: most - count })?.['count']);
        if (count >= most) return most;
      }
      return count;
    });
  }

  nextDueAt(forms: readonly string[], state?: 'waiting' | 'unconfirmed'): Promise<number | null> {
    return this.#read(() => {
      const states = claimableStates(state);
      const moments = forms.flatMap((form) =>
        states.map((each) => numberOrNull(this.#statements.nextDue.get({ form, state: each })?.['nextAttemptAt'])),
      );
      return earliest(moments);
    });
  }

  pullForward(now: number, longestMs: number): Promise<number> {
    return this.#commits.run(() =>
      Number(this.#statements.survey.pullForward.run({ now, latest: now + longestMs }).changes),
    );
  }

  openBatches(publicationId: string): Promise<readonly OpenBatch[]> {
    return this.#read(() => this.#statements.openBatches.all(publicationId).map(toBatch));
  }

  batchSent(id: string, at: number): Promise<void> {
    return this.#commits.run(() => void this.#statements.batchSent.run({ id, at }));
  }

  endBatch(id: string, outcome: Extract<Outcome, { state: 'waiting' }>): Promise<void> {
    const { nextAttemptAt, reason, tried } = settledColumns(outcome);
    return this.#commits.run(() => {
      this.#statements.waitAgain.run({ batch: id, nextAttemptAt, reason, tried });
      this.#statements.removeBatch.run(id);
    });
  }

  holdWalk(publicationId: string): Promise<{ readonly walk: Walk | null }> {
    return this.#read(() => ({ walk: toWalk(this.#statements.walk.get(publicationId)?.['place']) }));
  }

  async confirm(
    publicationId: string,
    emails: readonly string[],
    at: number,
    walk: Walk,
  ): Promise<readonly ConfirmedSignup[]> {
    const confirmed = await this.#commits.run(() => {
      this.#statements.saveWalk.run({ publicationId, place: JSON.stringify(walk) });
      return emails.flatMap((email) =>
        this.#statements.confirm.all({ publicationId, person: personHash(email), at }).map(toConfirmed),
      );
    });
    this.#delivered += confirmed.length;
    return confirmed;
  }

  confirmPerson(id: string, at: number, consent: Consent): Promise<boolean> {
    return this.#commits.run(() => {
      const row = this.#statements.confirmPerson.get({ id, at });
      if (!row) return this.#statements.exists.get(id) !== undefined;
      const person = personOfFingerprint(String(row['content']));
      this.#addConsent({ ...consent, signup: id, kind: 'confirmed', at, form: String(row['form']), person });
      return true;
    });
  }

  counts(): Promise<SignupCounts> {
    return this.#read(() => this.#counts());
  }

  #counts(): SignupCounts {
    return { ...toCounts(this.#statements.survey.counts.all()), delivered: this.#delivered };
  }

  overview(now: number): Promise<Overview> {
    return this.#read(() => {
      const { due, forms, deadByReason } = this.#statements.survey;
      return toOverview(
        this.#counts(),
        Number(due.get({ now })?.['count']),
        forms.all(),
        deadByReason.all({ limit: reasonsShown }),
      );
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

  listConsents({ after = '', limit }: Page): Promise<readonly ConsentRecord[]> {
    return this.#read(() => this.#statements.consents.all({ after, limit }).map(toConsent));
  }

  person(address: string): Promise<HeldAboutPerson> {
    return this.#read(() => {
      const person = personHash(address);
      return {
        signups: this.#statements.ofPerson
          .all({ person })
          .map(toStored)
          .toSorted((a, b) => (a.id < b.id ? -1 : 1)),
        consents: this.#statements.consentsOf
          .all(person)
          .map(toConsent)
          .toSorted((a, b) => a.at - b.at),
      };
    });
  }

  redrive(filter: SignupFilter, now: number): Promise<number> {
    const { sql, values } = conditions(filter, 'instr');
    return this.#commits.run(() => Number(this.#file.db.prepare(filtered.redrive(sql)).run(now, ...values).changes));
  }

  async discard(filter: SignupFilter): Promise<number> {
    const { sql, values } = conditions(filter, 'instr');
    const count = await this.#commits.run(() =>
      Number(this.#file.db.prepare(filtered.discard(sql)).run(...values).changes),
    );
    this.#emptyLog();
    return count;
  }

  async erase(
    address: string,
    { keepConsent = false }: { readonly keepConsent?: boolean | undefined } = {},
  ): Promise<{ readonly signups: number; readonly consents: number }> {
    const person = personHash(address);
    const { states, consents } = await this.#commits.run(() => ({
      states: this.#statements.erase.all({ person }).map(({ state }) => state),
      consents: keepConsent ? 0 : Number(this.#statements.eraseConsents.run(person).changes),
    }));
    this.#delivered -= states.filter((state) => state === 'delivered').length;
    this.#emptyLog();
    return { signups: states.length, consents };
  }

  async expire({ delivered, review, dead, unconfirmed, consent }: Retention): Promise<number> {
    const { expireDelivered, expireReceived, expireConsent, survey } = this.#statements;
    const limit = erasedAtOnce;
    const beforeId = firstIdOf;
    const joined = await this.#commits.run(() => Number(survey.joinReview.run().changes));
    const erased =
      joined +
      (await this.#inParts(delivered, (before) => expireDelivered.run({ before, limit }))) +
      (await this.#inParts(review, (before) =>
        expireReceived.run({ state: 'review', beforeId: beforeId(before), limit }),
      )) +
      (await this.#inParts(unconfirmed, (before) =>
        expireReceived.run({ state: 'unconfirmed', beforeId: beforeId(before), limit }),
      )) +
      (await this.#inParts(dead, (before) => survey.expireDead.run({ before, limit }))) +
      (await this.#inParts(consent, (before) => expireConsent.run({ before, beforeId: beforeId(before), limit })));
    this.#emptyLog();
    return erased;
  }

  /** In parts, so that signups coming in meanwhile do not wait for all of it. */
  async #inParts(
    before: number | null,
    erase: (before: number) => { readonly changes: number | bigint },
  ): Promise<number> {
    if (before === null) return 0;
    let erased = 0;
    for (;;) {
      const part = await this.#commits.run(() => Number(erase(before).changes));
      erased += part;
      if (part < erasedAtOnce) return erased;
    }
  }

  async load(signups: readonly StoredSignup[], consents: readonly ConsentRecord[]): Promise<number> {
    const rows = signups.map((signup): SignupRow => loadedRow(signup, Date.now()));
    const added = await this.#commits.run(() => {
      consents.forEach((record) => this.#addConsent(record));
      return rows.filter((row) => this.#statements.load.run(...signupColumns.map((name) => row[name])).changes === 1);
    });
    this.#delivered += added.filter(({ state }) => state === 'delivered').length;
    return added.length;
  }

  /** The write-ahead log holds pages as they were before; what was erased must not stay there. */
  #emptyLog(): void {
    let result;
    try {
      result = this.#file.db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
    } catch (cause) {
      throw new StoreUnavailableError(
        `The signups are erased, but the log that may still hold them cannot be emptied: ${explainError(cause)}.`,
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
      return Promise.reject(new StoreUnavailableError(`The store cannot be read: ${explainError(cause)}.`, { cause }));
    }
  }
}

function byReceipt(one: Row, other: Row): number {
  return Number(one['receivedAt']) - Number(other['receivedAt']);
}

function byAttempt(one: Row, other: Row): number {
  return Number(one['nextAttemptAt']) - Number(other['nextAttemptAt']) || byReceipt(one, other);
}
