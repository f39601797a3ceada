/** The SQLite store, on a file or in a Durable Object: group commit with one sync for many signups, one relay each. */
import { earliest, type Overview, reasonsShown, recentMs, recentRead, type SignupCounts } from '../overview.ts';
import { conditions } from '../conditions.ts';
import { peopleOf, planClaim } from '../claim-plan.ts';
import { mailCandidates, type MailCandidate, planClick, planMails, shownBy, toMailbox } from '../mailbox-mails.ts';
import { firstIdOf, ledgerHashes, mailboxHash, personHash, signupId, suppressionHash } from '../signup-identity.ts';
import {
  claimableStates,
  firstEntry,
  loadedRow,
  newRow,
  numberOrNull,
  type Candidate,
  type Row,
  rowsAs,
  settledColumns,
  signupColumns,
  type SignupOfPerson,
  type SignupRow,
  toCounts,
  toOpen,
  toOpenStatus,
  toOverview,
  toStored,
  toScan,
} from '../rows.ts';
import {
  blockedMs,
  type Claim,
  type ClaimedSignup,
  claimMs,
  type Click,
  type ConfirmedSignup,
  type ConsentRecord,
  type FoundSubscription,
  freshMs,
  type HeldAboutPerson,
  type KnownStatus,
  type LinkedSignup,
  type Mailbox,
  type MailboxRecord,
  neverAttempted,
  type NewSignup,
  type OpenBatch,
  type OpenStatus,
  type DeliveryOutcome,
  type PageRequest,
  type ProbeEffort,
  type Retention,
  type SignupFilter,
  type SignupStore,
  type StoredSignup,
  type ConfirmationScan,
} from '../signup-store.ts';
import { SqliteCounters } from './counters.ts';
import { Erasure } from './erasure.ts';
import { storeError } from '../database-errors.ts';
import { SqliteGroupCommit } from '../group-commit.ts';
import type { SqliteDriver } from './driver.ts';
import { countDelivered, dialect, filtered, prepare, type Statements } from './statements.ts';
import { SqliteWebhookQueue } from './webhook-queue.ts';

export class SqliteStore implements SignupStore {
  readonly shared = false;
  readonly webhooks: SqliteWebhookQueue;
  readonly counters: SqliteCounters;
  readonly #db: SqliteDriver;
  readonly #statements: Statements;
  readonly #commits: SqliteGroupCommit;
  readonly #erasure: Erasure;
  /** Whether the stored counts by form and state are complete. */
  #isTallied = false;
  /** Number of delivered signups without those, counted once: there may be millions. Null until it is asked for. */
  #delivered: number | null = null;
  /** Whether delivery is paused; in memory, because delivery reads it for every signup. */
  #paused: boolean;
  /** Whether the interrupted attempts of the last process are due again. */
  #hasRequeued = false;

  constructor(db: SqliteDriver) {
    this.#db = db;
    this.#statements = prepare(db);
    this.counters = new SqliteCounters(this.#statements, (work) => this.#commits.run(work));
    this.#commits = new SqliteGroupCommit(db, this.counters);
    this.#erasure = new Erasure(db, this.#statements, this.#commits);
    this.webhooks = new SqliteWebhookQueue(this.#statements, this.#commits, (query) => this.#read(query));
    this.#paused = this.#statements.setting.get({ name: 'paused' })?.['value'] === 'true';
  }

  accept(signup: NewSignup): Promise<string> {
    const id = signupId(signup.receivedAt);
    const row = newRow(id, signup);
    const record = firstEntry(row, signup);
    return this.#commits.run(() => {
      this.#statements.insert.run(...signupColumns.map((name) => row[name]));
      if (record) this.#addConsent(record);
      return id;
    });
  }

  #addConsent({ signup, kind, at, form, person, sentence, version, page, visitor }: ConsentRecord): void {
    this.#statements.addConsent.run(signup, kind, at, form, person, sentence, version, page, visitor);
  }

  claim({ forms, limit, now, batch, mailsOf }: Claim): Promise<readonly ClaimedSignup[]> {
    const state = mailsOf ? 'unconfirmed' : 'waiting';
    const candidates = (): readonly Candidate[] => {
      const { fresh, due } = this.#statements;
      const first = forms.flatMap((form) => rowsAs<Candidate>(fresh.all({ form, state, since: now - freshMs, limit })));
      if (first.length >= limit) return first.toSorted(byDue).slice(0, limit);
      const rest = claimableStates(state, batch !== undefined).flatMap((each) =>
        forms.flatMap((form) =>
          rowsAs<Candidate>(due.all({ form, state: each, now: batch ? neverAttempted : now, limit })),
        ),
      );
      const ids = new Set(first.map(({ id }) => id));
      return [...first.toSorted(byDue), ...rest.filter(({ id }) => !ids.has(id)).toSorted(byAttempt)].slice(0, limit);
    };
    return this.#commits.run(() => {
      this.#requeueInterrupted();
      const rows = candidates();
      const plan = planClaim(rows, this.#signupsOf(peopleOf(rows)), state);
      const { markSent, postpone, remove, beginBatch } = this.#statements;
      for (const id of plan.duplicates) remove.run(id);
      for (const id of plan.blocked) postpone.run({ id, until: now + blockedMs });
      if (mailsOf) return this.#claimMails(mailCandidates(plan.claimed, rows, mailsOf), now);
      for (const { id, tried } of plan.claimed)
        markSent.run({ id, tried: Number(tried), batch: batch?.id ?? null, until: batch ? null : now + claimMs });
      if (batch && plan.claimed.length > 0) beginBatch.run({ ...batch, now });
      return plan.claimed;
    });
  }

  #claimMails(candidates: readonly MailCandidate[], now: number): readonly ClaimedSignup[] {
    const { mailboxesOf, mailSent, keepUnmailed, beginMail } = this.#statements;
    const known = candidates.flatMap(({ mailbox }) => mailboxesOf.all(mailbox)).map(toMailbox);
    const ids = known.flatMap(({ signups }) => signups.map(({ id }) => id));
    const sent = new Set(mailSent.all(JSON.stringify(ids)).map(({ id }) => String(id)));
    const { mailed, kept, records } = planMails(candidates, known, sent, now);
    for (const record of records) this.#setMailbox(record);
    for (const each of kept) keepUnmailed.run({ ...each });
    for (const { id } of mailed) beginMail.run({ id, until: now + claimMs });
    return mailed;
  }

  #setMailbox({ signups, ...record }: MailboxRecord): void {
    const { setMailbox, forgetMailbox } = this.#statements;
    if (signups.length > 0) setMailbox.run({ ...record, signups: JSON.stringify(signups) });
    else forgetMailbox.run({ mailbox: record.mailbox, publication: record.publication });
  }

  /**
   * The file lock makes this process the only one: single attempts in flight were interrupted when the last process
   * ended. Runs with the first claim, not when the file is opened, so that a relay starts on a full disk too. Later,
   * claims expire.
   */
  #requeueInterrupted(): void {
    if (this.#hasRequeued) return;
    this.#hasRequeued = true;
    this.#statements.scans.interrupted.run();
  }

  #signupsOf(people: readonly string[]): SignupOfPerson[] {
    return people.flatMap((person) => rowsAs<SignupOfPerson>(this.#statements.signupsOfPerson.all({ person })));
  }

  async settle(ids: readonly string[], outcome: DeliveryOutcome): Promise<void> {
    const columns = settledColumns(outcome);
    const before = this.#delivered;
    const changed = await this.#commits.run(() =>
      ids.reduce((sum, id) => sum + Number(this.#statements.settle.run({ id, ...columns }).changes), 0),
    );
    if (outcome.state === 'delivered') this.#addDelivered(before, changed);
  }

  release(ids: readonly string[]): Promise<void> {
    return this.#commits.run(() => ids.forEach((id) => this.#statements.release.run(id)));
  }

  backlog(forms: readonly string[], max: number): Promise<number> {
    return this.#read(() => {
      let count = 0;
      for (const form of forms) {
        count += Number(this.#statements.backlog.get({ form, limit: max - count })?.['count']);
        if (count >= max) return max;
      }
      return count;
    });
  }

  nextDueAt(forms: readonly string[], state?: 'waiting' | 'unconfirmed' | 'delivered'): Promise<number | null> {
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
      Number(this.#statements.scans.pullForward.run({ now, latest: now + longestMs }).changes),
    );
  }

  openBatches(publicationId: string): Promise<readonly OpenBatch[]> {
    return this.#read(() => rowsAs<OpenBatch>(this.#statements.openBatches.all(publicationId)));
  }

  batchSent(id: string, at: number): Promise<void> {
    return this.#commits.run(() => void this.#statements.batchSent.run({ id, at }));
  }

  endBatch(id: string, outcome: Extract<DeliveryOutcome, { state: 'waiting' }>): Promise<void> {
    const { nextAttemptAt, reason, tried } = settledColumns(outcome);
    return this.#commits.run(() => {
      this.#statements.waitAgain.run({ batch: id, nextAttemptAt, reason, tried });
      this.#statements.removeBatch.run(id);
    });
  }

  leaseScan(publicationId: string): Promise<{ readonly scan: ConfirmationScan | null }> {
    return this.#read(() => ({ scan: toScan(this.#statements.scan.get(publicationId)?.['place']) }));
  }

  releaseScan(): Promise<void> {
    return Promise.resolve();
  }

  async confirm(
    publicationId: string,
    found: readonly FoundSubscription[],
    at: number,
    scan: ConfirmationScan,
  ): Promise<readonly ConfirmedSignup[]> {
    const before = this.#delivered;
    const confirmed = await this.#commits.run(() => {
      this.#statements.saveScan.run({ publicationId, place: JSON.stringify(scan) });
      return found.flatMap(({ email, ...known }) =>
        rowsAs<ConfirmedSignup>(
          this.#statements.confirm.all({ publicationId, person: personHash(email), at, ...known }),
        ),
      );
    });
    this.#addDelivered(before, confirmed.length);
    return confirmed;
  }

  openStatuses(forms: readonly string[], now: number, limit: number): Promise<readonly OpenStatus[]> {
    return this.#read(() =>
      forms
        .flatMap((form) => this.#statements.openStatuses.all({ form, now, limit }).map(toOpenStatus))
        .toSorted((a, b) => a.settledAt - b.settledAt)
        .slice(0, limit),
    );
  }

  settleStatuses(
    known: readonly ({ readonly id: string; readonly hasLeft?: boolean } & KnownStatus)[],
  ): Promise<readonly { readonly id: string }[]> {
    return this.#commits.run(() =>
      known.filter(({ hasLeft = false, ...each }) => {
        return this.#statements.settleStatus.run({ ...each, hasLeft: Number(hasLeft) }).changes === 1;
      }),
    );
  }

  leave(id: string, at: number): Promise<void> {
    return this.#commits.run(() => {
      this.#statements.markLeft.run({ id, at });
      this.#statements.removeUnsent.run(id);
    });
  }

  linked(id: string): Promise<LinkedSignup | null> {
    return this.#read(() => {
      const [signup] = this.#statements.ofId.all(id).map(toStored);
      const mailbox = mailboxHash(signup?.submission?.email ?? '');
      return signup ? { signup, open: this.#statements.openSignups.all({ id, mailbox }).map(toOpen) } : null;
    });
  }

  confirmPerson(click: Click): Promise<readonly string[]> {
    const { openSignup, mailboxesOf, confirmPerson, removeUnconfirmed, keepUnmailed } = this.#statements;
    return this.#commits.run(() => {
      if (shownBy(click).some((id) => openSignup.get(id) === undefined)) return [];
      const mailboxes = mailboxesOf.all(mailboxHash(click.confirmed[0]?.submission.email ?? ''));
      const { rows, entries, kept, record } = planClick(click, mailboxes.map(toMailbox));
      for (const row of rows) confirmPerson.run({ ...row, at: click.at });
      for (const entry of entries) this.#addConsent(entry);
      for (const id of click.superseded) removeUnconfirmed.run(id);
      for (const each of kept) keepUnmailed.run({ ...each });
      if (record) this.#setMailbox(record);
      return rows.map(({ id }) => id);
    });
  }

  stopMails(id: string | null, { mailbox, publication }: Mailbox, at: number): Promise<void> {
    return this.#commits.run(() => {
      this.#statements.removeUnconfirmed.run(id);
      this.#statements.suppressMailbox.run({ mailbox, publication, at });
    });
  }

  counts(): Promise<SignupCounts> {
    return this.#read(() => this.#counts());
  }

  /** The number of signups by form and state that the stored counts lack; null where they are complete. */
  untallied(): Promise<readonly Row[] | null> {
    return this.#read(() => (this.#tallied() ? null : this.#statements.tally.missing.all()));
  }

  /** Completes the stored counts. @param missing - what {@link SqliteStore.untallied} has found */
  tally(missing: readonly Row[]): Promise<void> {
    return this.#commits.run(() => {
      for (const { form, state, count } of missing)
        this.#statements.tally.add.run({ form: String(form), state: String(state), count: Number(count) });
      this.#statements.set.run({ name: 'tallied', value: 'true' });
    });
  }

  #tallied(): boolean {
    return (this.#isTallied ||= this.#statements.setting.get({ name: 'tallied' })?.['value'] === 'true');
  }

  #counts(): SignupCounts {
    if (this.#tallied()) return toCounts(this.#statements.tally.counts.all());
    this.#delivered ??= Number(this.#db.prepare(countDelivered).get()?.['count']);
    return { ...toCounts(this.#statements.scans.counts.all()), delivered: this.#delivered };
  }

  /** @param before - the number when the write began; if it was counted since, it may contain the write or not */
  #addDelivered(before: number | null, change: number): void {
    this.#delivered = before === null || this.#delivered === null ? null : this.#delivered + change;
  }

  overview(now: number): Promise<Overview> {
    return this.#read(() => {
      const { deadByReason, unclear, statuses } = this.#statements.scans;
      const { due, forms, held } = this.#tallied() ? this.#statements.tally : this.#statements.scans;
      const recent = { after: firstIdOf(now - recentMs), read: recentRead, limit: reasonsShown };
      return toOverview(
        this.#counts(),
        Number(due.get({ now })?.['count']),
        forms.all(),
        deadByReason.all({ limit: reasonsShown }),
        held.all({ limit: reasonsShown }),
        unclear.all(recent),
        statuses.all(recent),
        this.#statements.setting.get({ name: 'last erasure' }),
      );
    });
  }

  list(filter: SignupFilter, { after, limit }: PageRequest): Promise<readonly StoredSignup[]> {
    return this.#read(() => {
      const { sql, values } = conditions(filter, dialect);
      const page = after === undefined ? { sql, values } : { sql: `${sql} AND id < ?`, values: [...values, after] };
      return this.#db
        .prepare(filtered.list(page.sql))
        .all(...page.values, limit)
        .map(toStored);
    });
  }

  listConsents({ after = '', limit }: PageRequest): Promise<readonly ConsentRecord[]> {
    return this.#read(() => rowsAs<ConsentRecord>(this.#statements.consents.all({ after, limit })));
  }

  suppressions({ after = '', limit }: PageRequest): Promise<readonly string[]> {
    return this.#read(() => this.#statements.suppressions.all({ after, limit }).map(({ hash }) => String(hash)));
  }

  person(address: string): Promise<HeldAboutPerson> {
    return this.#read(() => {
      const person = personHash(address);
      return {
        signups: this.#statements.ofPerson
          .all({ person })
          .map(toStored)
          .toSorted((a, b) => (a.id < b.id ? -1 : 1)),
        consents: rowsAs<ConsentRecord>(this.#statements.consentsOf.all(...ledgerHashes(address))).toSorted(
          (a, b) => a.at - b.at,
        ),
        mails: this.#statements.mailboxesOf.all(mailboxHash(address)).map(toMailbox),
        suppressed: this.#statements.isSuppressed.get(suppressionHash(address)) !== undefined,
      };
    });
  }

  redrive(filter: SignupFilter, now: number): Promise<number> {
    const { sql, values } = conditions(filter, dialect);
    return this.#commits.run(() => Number(this.#db.prepare(filtered.redrive(sql)).run(now, now, ...values).changes));
  }

  discard(filter: SignupFilter): Promise<number> {
    return this.#erasure.discard(filter);
  }

  async erase(
    address: string,
    options: { readonly keepConsent?: boolean | undefined } = {},
  ): Promise<{ readonly signups: number; readonly consents: number }> {
    const before = this.#delivered;
    const { signups, consents, delivered } = await this.#erasure.erase(address, options);
    this.#addDelivered(before, -delivered);
    return { signups, consents };
  }

  expire(retention: Retention, at = Date.now()): Promise<number> {
    return this.#erasure.expire(retention, at);
  }

  restored(now: number): Promise<number> {
    return this.#commits.run(() => Number(this.#statements.scans.restored.run({ now }).changes));
  }

  async load(
    signups: readonly StoredSignup[],
    consents: readonly ConsentRecord[],
    suppressions: readonly string[] = [],
  ): Promise<number> {
    const rows = signups.map((signup): SignupRow => loadedRow(signup, Date.now()));
    const before = this.#delivered;
    const added = await this.#commits.run(() => {
      consents.forEach((record) => this.#addConsent(record));
      suppressions.forEach((each) => this.#statements.suppress.run(each));
      return rows.filter((row) => this.#statements.load.run(...signupColumns.map((name) => row[name])).changes === 1);
    });
    this.#addDelivered(before, added.filter(({ state }) => state === 'delivered').length);
    return added.length;
  }

  paused(): Promise<boolean> {
    return Promise.resolve(this.#paused);
  }

  async setPaused(paused: boolean): Promise<void> {
    await this.#commits.run(() => this.#statements.set.run({ name: 'paused', value: String(paused) }));
    this.#paused = paused;
  }

  probe(now: number, effort: ProbeEffort): Promise<void> {
    // Whatever keeps a signup from its table keeps this row from its own: SQLite locks and fills the whole file.
    return this.#commits.run(() => {
      if (effort !== 'look') this.#statements.probe.run({ now, room: effort === 'fill' ? 65_536 : 1 });
    });
  }

  close(): Promise<void> {
    // What cannot be written is counted anew after the restart.
    if (!this.counters.isWritten) this.#commits.run(() => undefined).catch(() => undefined);
    this.#commits.flush();
    this.#db.close();
    return Promise.resolve();
  }

  /** Reads synchronously; a failure becomes a rejection with the error of the store interface. */
  #read<T>(query: () => T): Promise<T> {
    try {
      return Promise.resolve(query());
    } catch (cause) {
      return Promise.reject(storeError('read', cause));
    }
  }
}

function byDue(one: Candidate, other: Candidate): number {
  return one.dueAt - other.dueAt;
}

function byAttempt(one: Candidate, other: Candidate): number {
  return Number(one['nextAttemptAt']) - Number(other['nextAttemptAt']) || byDue(one, other);
}
