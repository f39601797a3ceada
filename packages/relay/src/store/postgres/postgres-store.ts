/** The PostgreSQL store: one row per signup, group commit of many signups per statement, any number of relays. */
import { type Overview, reasonsShown, recentMs, recentRead, type SignupCounts } from '../overview.ts';
import { randomUUID } from 'node:crypto';
import { conditions } from '../conditions.ts';
import { peopleOf, planClaim } from '../claim-plan.ts';
import {
  mailCandidates,
  type MailCandidate,
  planClick,
  planMails,
  shownBy,
  toMailbox,
  type Unmailed,
} from '../mailbox-mails.ts';
import { firstIdOf, ledgerHashes, mailboxHash, personHash, signupId, suppressionHash } from '../signup-identity.ts';
import {
  claimableStates,
  firstEntry,
  loadedRow,
  newRow,
  numberOrNull,
  probeRow,
  type Candidate,
  type Row,
  rowsAs,
  settledColumns,
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
  leftByMail,
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
import { json, type RunQuery } from './connections.ts';
import { asStoreUnavailable, isStoreFailure } from '../database-errors.ts';
import { PostgresGroupCommit } from '../group-commit.ts';
import { openDatabase, type OpenDatabase } from './open-database.ts';
import { PostgresCounters } from './counters.ts';
import { dialect, filtered, firstId, sql, webhooks } from './statements.ts';
import { PostgresWebhookQueue } from './webhook-queue.ts';

/**
 * Opens or creates the store in a database.
 *
 * @throws StartupError if it cannot be reached, refuses the login, is too old or not durable
 */
export async function openPostgresStore(url: string): Promise<SignupStore> {
  return new PostgresStore(await openDatabase(url));
}

/** The first id of signups that were received at this moment. */
const idOf = (moment: number | null) => (moment === null ? null : `${firstIdOf(moment)}-0000-0000-000000000000`);

/** Maximum number of signups written in one statement. */
const maxGroupSize = 500;

/** Maximum number of signups that an operator's command changes in one statement. */
const operatorBatchSize = 1000;

interface Arrival {
  readonly row: SignupRow;
  readonly consent: ConsentRecord | null;
}

interface Settlement {
  readonly ids: readonly string[];
  readonly outcome: DeliveryOutcome;
}

class PostgresStore implements SignupStore {
  readonly shared = true;
  readonly counters: PostgresCounters;
  readonly webhooks: PostgresWebhookQueue;
  readonly oldestReaderMs = (): Promise<number> =>
    this.#read(sql.oldestReader, [], ([row]) => Math.max(0, Number(row?.['age'])));
  readonly serverTime = (): Promise<number> => this.#read(sql.serverTime, [], ([row]) => Number(row?.['now']));
  readonly #database: OpenDatabase;
  readonly #arrivals: PostgresGroupCommit<Arrival>;
  readonly #settlements: PostgresGroupCommit<Settlement>;
  /** Id of this process as the holder of a scan. */
  readonly #processId = randomUUID();
  /** Leases of scans by publication, in milliseconds; every stored page renews the lease. */
  readonly #leases = new Map<string, number>();
  /** Resolves with the last claim or click: those of this process run one after the other and use one connection. */
  #claimed: Promise<unknown> = Promise.resolve();

  constructor(database: OpenDatabase) {
    this.#database = database;
    this.webhooks = new PostgresWebhookQueue(database);
    this.counters = new PostgresCounters(database);
    const group = { maxItems: maxGroupSize, isSingleItemFailure: (error: unknown) => !isStoreFailure(error) };
    this.#arrivals = new PostgresGroupCommit({ ...group, commit: (arrivals) => this.#insertGroup(arrivals) });
    this.#settlements = new PostgresGroupCommit({ ...group, commit: (settlements) => this.#settleGroup(settlements) });
  }

  async accept(signup: NewSignup): Promise<string> {
    const id = signupId(signup.receivedAt);
    const row = newRow(id, signup);
    await asStoreUnavailable('written', () => this.#arrivals.run({ row, consent: firstEntry(row, signup) }));
    return id;
  }

  async #insertGroup(arrivals: readonly Arrival[]): Promise<void> {
    const consents = arrivals.map(({ consent }) => consent).filter((consent) => consent !== null);
    await this.#database.brief.query(sql.insert, [json(arrivals.map(({ row }) => row)), json(consents)]);
  }

  claim(claim: Claim): Promise<readonly ClaimedSignup[]> {
    return this.#alone((query) => this.#claimIn(query, claim));
  }

  /** Runs a transaction that changes what claims read. */
  #alone<T>(work: (query: RunQuery) => Promise<T>): Promise<T> {
    const locked = async (query: RunQuery): Promise<T> => {
      await query(sql.lockClaims);
      return work(query);
    };
    const done = this.#claimed.then(() =>
      asStoreUnavailable('written', () => this.#database.brief.transaction(locked)),
    );
    this.#claimed = done.catch(() => undefined);
    return done;
  }

  async #claimIn(query: RunQuery, { forms, limit, now, batch, mailsOf }: Claim): Promise<readonly ClaimedSignup[]> {
    const state = mailsOf ? 'unconfirmed' : 'waiting';
    const states = claimableStates(state, batch !== undefined);
    const due = batch ? neverAttempted : now;
    const rows = rowsAs<Candidate>(await query(sql.candidates, [forms, state, now - freshMs, limit, states, due]));
    if (rows.length === 0) return [];
    const signupsOfPeople = rowsAs<SignupOfPerson>(await query(sql.signupsOfPeople, [peopleOf(rows)]));
    const { claimed, duplicates, blocked } = planClaim(rows, signupsOfPeople, state);
    const ids = claimed.map(({ id }) => id);
    if (duplicates.length > 0) await query(sql.remove, [duplicates]);
    if (blocked.length > 0) await query(sql.postpone, [blocked, now + blockedMs]);
    if (mailsOf) return claimMails(query, mailCandidates(claimed, rows, mailsOf), now);
    if (ids.length > 0) await query(sql.markSent, [ids, batch?.id ?? null, batch ? null : now + claimMs]);
    if (ids.length > 0 && batch) await query(sql.beginBatch, [batch.id, batch.publicationId, now]);
    return claimed;
  }

  settle(ids: readonly string[], outcome: DeliveryOutcome): Promise<void> {
    return asStoreUnavailable('written', () => this.#settlements.run({ ids, outcome }));
  }

  async #settleGroup(settlements: readonly Settlement[]): Promise<void> {
    await this.#database.brief.query(sql.settle, [json(settlements.flatMap(settledRows))]);
  }

  release(ids: readonly string[]): Promise<void> {
    return this.#write(sql.release, [ids]);
  }

  backlog(forms: readonly string[], max: number): Promise<number> {
    return this.#read(sql.backlog, [forms, max], ([row]) => Number(row?.['count']));
  }

  nextDueAt(forms: readonly string[], state?: 'waiting' | 'unconfirmed' | 'delivered'): Promise<number | null> {
    const states = claimableStates(state);
    return this.#read(sql.nextDue, [forms, states], ([row]) => numberOrNull(row?.['nextAttemptAt']));
  }

  pullForward(now: number, longestMs: number): Promise<number> {
    return asStoreUnavailable(
      'written',
      async () => (await this.#database.brief.query(sql.pullForward, [now, now + longestMs])).length,
    );
  }

  openBatches(publicationId: string): Promise<readonly OpenBatch[]> {
    return this.#read(sql.openBatches, [publicationId], (rows) => rowsAs<OpenBatch>(rows));
  }

  batchSent(id: string, at: number): Promise<void> {
    return this.#write(sql.batchSent, [id, at]);
  }

  endBatch(id: string, outcome: Extract<DeliveryOutcome, { state: 'waiting' }>): Promise<void> {
    return this.#write(sql.endBatch, [id, outcome.tried, outcome.nextAttemptAt, outcome.reason.replaceAll('\0', '')]);
  }

  leaseScan(
    publicationId: string,
    now: number,
    until: number,
  ): Promise<{ readonly scan: ConfirmationScan | null } | null> {
    return asStoreUnavailable('written', async () => {
      const [row] = await this.#database.brief.query(sql.leaseScan, [publicationId, this.#processId, now, until]);
      if (!row) return null;
      this.#leases.set(publicationId, until - now);
      return { scan: toScan(row['place']) };
    });
  }

  async releaseScan(publicationId: string): Promise<void> {
    await this.#write(sql.releaseScan, [publicationId, this.#processId]);
    this.#leases.delete(publicationId);
  }

  confirm(
    publicationId: string,
    found: readonly FoundSubscription[],
    at: number,
    scan: ConfirmationScan,
  ): Promise<readonly ConfirmedSignup[]> {
    const rows = new Map(found.map(({ email, ...known }) => [personHash(email), statusColumns(known)]));
    const known = json([...rows].map(([content, columns]) => ({ content, ...columns })));
    const lease = this.#leases.get(publicationId) ?? 0;
    const values = [[...rows.keys()], publicationId, at, JSON.stringify(scan), this.#processId, lease, known];
    return asStoreUnavailable('written', async () =>
      rowsAs<ConfirmedSignup>(await this.#database.brief.query(sql.confirm, values)),
    );
  }

  openStatuses(forms: readonly string[], now: number, limit: number): Promise<readonly OpenStatus[]> {
    return this.#read(sql.openStatuses, [forms, now, limit], (rows) => rows.map(toOpenStatus));
  }

  settleStatuses(
    known: readonly ({ readonly id: string; readonly hasLeft?: boolean } & KnownStatus)[],
  ): Promise<readonly { readonly id: string }[]> {
    const rows = json(
      known.map(({ id, hasLeft, ...each }) => ({
        id,
        last_error: hasLeft ? leftByMail : null,
        ...statusColumns(each),
      })),
    );
    return asStoreUnavailable('written', async () =>
      (await this.#database.brief.query(sql.settleStatuses, [rows])).map(({ id }) => ({ id: String(id) })),
    );
  }

  linked(id: string): Promise<LinkedSignup | null> {
    const { query } = this.#database.brief;
    return asStoreUnavailable('read', async () => {
      const [signup] = (await query(filtered.list('id = ?'), [id, 1])).map(toStored);
      const mailbox = mailboxHash(signup?.submission?.email ?? '');
      return signup ? { signup, open: (await query(sql.openSignups, [id, mailbox])).map(toOpen) } : null;
    });
  }

  confirmPerson(click: Click): Promise<readonly string[]> {
    return this.#alone(async (query) => {
      const shown = shownBy(click);
      if ((await query(sql.lockOpen, [shown])).length < shown.length) return [];
      const mailbox = mailboxHash(click.confirmed[0]?.submission.email ?? '');
      const { rows, entries, kept, record } = planClick(
        click,
        (await query(sql.mailboxesOf, [[mailbox]])).map(toMailbox),
      );
      const { at, superseded } = click;
      await query(sql.confirmPerson, [json(rows), json(entries), at, superseded, record?.mailbox, record?.publication]);
      await setMailboxes(query, record && record.signups.length > 0 ? [record] : [], kept);
      return rows.map(({ id }) => id);
    });
  }

  stopMails(id: string | null, { mailbox, publication }: Mailbox, at: number): Promise<void> {
    return this.#write(sql.stopMails, [id, mailbox, publication, at]);
  }

  leave(id: string, at: number): Promise<void> {
    return asStoreUnavailable('written', () =>
      this.#database.brief.transaction(async (query) => {
        await query(sql.markLeft, [id, at]);
        await query(sql.removeUnsent, [id]);
      }),
    );
  }

  counts(): Promise<SignupCounts> {
    return this.#readLong(sql.counts, [], toCounts);
  }

  async overview(now: number): Promise<Overview> {
    const counts = await this.counts();
    const due = await this.#readLong(sql.due, [now], ([row]) => Number(row?.['count']));
    const forms = await this.#readLong(sql.forms, [], (rows) => rows);
    const deadByReason = await this.#readLong(sql.deadByReason, [reasonsShown], (rows) => rows);
    const held = await this.#readLong(sql.held, [reasonsShown], (rows) => rows);
    const recent = [idOf(now - recentMs), recentRead, reasonsShown];
    const unclear = await this.#readLong(sql.unclear, recent, (rows) => rows);
    const statuses = await this.#readLong(sql.statuses, recent, (rows) => rows);
    const lastErasure = await this.#readLong(sql.setting, ['last erasure'], ([row]) => row);
    return toOverview(counts, due, forms, deadByReason, held, unclear, statuses, lastErasure);
  }

  list(filter: SignupFilter, { after, limit }: PageRequest): Promise<readonly StoredSignup[]> {
    const { sql: where, values } = conditions(filter, dialect);
    const page = after === undefined ? { where, values } : { where: `${where} AND id < ?`, values: [...values, after] };
    return this.#readLong(filtered.list(page.where), [...page.values, limit], (rows) => rows.map(toStored));
  }

  listConsents({ after = firstId, limit }: PageRequest): Promise<readonly ConsentRecord[]> {
    return this.#readLong(sql.consents, [after, limit], (rows) => rowsAs<ConsentRecord>(rows));
  }

  suppressions({ after = '', limit }: PageRequest): Promise<readonly string[]> {
    return this.#readLong(sql.suppressions, [after, limit], (rows) => rows.map(({ hash }) => String(hash)));
  }

  async person(address: string): Promise<HeldAboutPerson> {
    const person = personHash(address);
    const signups = await this.#readLong(sql.ofPerson, [[person]], (rows) => rows.map(toStored));
    const consents = await this.#readLong(sql.consentsOf, [ledgerHashes(address)], (rows) =>
      rowsAs<ConsentRecord>(rows),
    );
    const suppressed = await this.#readLong(sql.isSuppressed, [suppressionHash(address)], (rows) => rows.length > 0);
    const mails = await this.#readLong(sql.mailboxesOf, [[mailboxHash(address)]], (rows) => rows.map(toMailbox));
    return { signups, consents, mails, suppressed };
  }

  redrive(filter: SignupFilter, now: number): Promise<number> {
    const { sql: where, values } = conditions(filter, dialect);
    return this.#inBatches(filtered.redrive(where), (after) => [...values, after, operatorBatchSize, now, now]);
  }

  discard(filter: SignupFilter): Promise<number> {
    const { sql: where, values } = conditions(filter, dialect);
    return this.#inBatches(filtered.discard(where), (after) => [...values, after, operatorBatchSize]);
  }

  erase(
    address: string,
    { keepConsent = false }: { readonly keepConsent?: boolean | undefined } = {},
  ): Promise<{ readonly signups: number; readonly consents: number }> {
    return asStoreUnavailable('written', async () => {
      const hashes = [suppressionHash(address), ledgerHashes(address), mailboxHash(address)];
      const values = [personHash(address), keepConsent, Date.now(), ...hashes];
      const [erased] = await this.#database.long.query(sql.erase, values);
      return { signups: Number(erased?.['signups']), consents: Number(erased?.['consents']) };
    });
  }

  async expire(
    { delivered, review, dead, unconfirmed, consent, mailboxes = null }: Retention,
    at = Date.now(),
  ): Promise<number> {
    const parts = async (text: string, values: readonly unknown[]): Promise<number> =>
      values.includes(null) ? 0 : this.#inBatches(text, () => values);
    const joined = await asStoreUnavailable('written', () => this.#database.long.query(sql.joinReview));
    const erased =
      joined.length +
      (await parts(sql.expireDelivered, [delivered, operatorBatchSize])) +
      (await parts(sql.expireReceived, [idOf(review), operatorBatchSize, 'review'])) +
      (await parts(sql.expireReceived, [idOf(unconfirmed), operatorBatchSize, 'unconfirmed'])) +
      (await parts(sql.expireDead, [dead, operatorBatchSize])) +
      (await parts(webhooks.expire, [dead, operatorBatchSize])) +
      (await parts(sql.expireMailboxes, [mailboxes, operatorBatchSize])) +
      (await parts(sql.expireConsent, [idOf(consent), operatorBatchSize, consent]));
    await this.#write(sql.set, ['last erasure', String(at)]);
    return erased;
  }

  /**
   * Changes signups in batches, so that delivery does not wait for all of them. `values` gets the last id of the batch
   * before, so that a signup changed back in the meantime is not changed again.
   */
  #inBatches(text: string, values: (after: string) => readonly unknown[]): Promise<number> {
    return asStoreUnavailable('written', async () => {
      let changed = 0;
      let after = firstId;
      for (;;) {
        const ids = (await this.#database.long.query(text, values(after))).map(({ id }) => String(id));
        changed += ids.length;
        if (ids.length < operatorBatchSize) return changed;
        after = ids.reduce((last, id) => (id > last ? id : last));
      }
    });
  }

  load(
    signups: readonly StoredSignup[],
    consents: readonly ConsentRecord[],
    suppressions: readonly string[] = [],
  ): Promise<number> {
    const rows = signups.map((signup) => loadedRow(signup, Date.now()));
    return asStoreUnavailable('written', async () => {
      const [loaded] = await this.#database.long.query(sql.load, [json(rows), json(consents), suppressions]);
      return Number(loaded?.['count']);
    });
  }

  restored(now: number): Promise<number> {
    return asStoreUnavailable('written', async () => {
      const [changed] = await this.#database.long.query(sql.restored, [now]);
      return Number(changed?.['count']);
    });
  }

  paused(): Promise<boolean> {
    return this.#read(sql.setting, ['paused'], ([row]) => row?.['value'] === 'true');
  }

  setPaused(paused: boolean): Promise<void> {
    return this.#write(sql.set, ['paused', String(paused)]);
  }

  probe(now: number, effort: ProbeEffort): Promise<void> {
    return asStoreUnavailable('written', () =>
      this.#database.brief.transaction(async (query) => {
        await query(sql.look);
        if (effort === 'fill') {
          await query('SAVEPOINT probe');
          await query(sql.insert, [json([probeRow(now)]), json([])]);
          await query('ROLLBACK TO SAVEPOINT probe');
        }
        if (effort !== 'look') await query(sql.probe, [now, effort === 'fill' ? 2048 : 1]);
      }),
    );
  }

  /** Does not release claims: a stopped dispatcher has settled or released all of them. */
  async close(): Promise<void> {
    await Promise.all([this.#arrivals.done(), this.#settlements.done()]);
    // If that fails, the leases expire.
    if (this.#leases.size > 0) await this.#write(sql.releaseScans, [this.#processId]).catch(() => undefined);
    this.#leases.clear();
    await this.#database.close();
  }

  #write(text: string, values: readonly unknown[]): Promise<void> {
    return asStoreUnavailable('written', async () => void (await this.#database.brief.query(text, values)));
  }

  #read<T>(text: string, values: readonly unknown[], answer: (rows: readonly Row[]) => T): Promise<T> {
    return asStoreUnavailable('read', async () => answer(await this.#database.brief.query(text, values)));
  }

  /** A query of an operator, which may read every signup that is not delivered. */
  #readLong<T>(text: string, values: readonly unknown[], answer: (rows: readonly Row[]) => T): Promise<T> {
    return asStoreUnavailable('read', async () => answer(await this.#database.long.query(text, values)));
  }
}

async function claimMails(
  query: RunQuery,
  candidates: readonly MailCandidate[],
  now: number,
): Promise<readonly ClaimedSignup[]> {
  if (candidates.length === 0) return [];
  const stored = (await query(sql.mailboxesOf, [candidates.map(({ mailbox }) => mailbox)])).map(toMailbox);
  const ids = stored.flatMap(({ signups }) => signups.map(({ id }) => id));
  const sent = new Set((await query(sql.mailSent, [ids])).map(({ id }) => String(id)));
  const { mailed, kept, records } = planMails(candidates, stored, sent, now);
  await setMailboxes(query, records, kept);
  if (mailed.length > 0) await query(sql.beginMails, [mailed.map(({ id }) => id), now + claimMs]);
  return mailed;
}

async function setMailboxes(
  query: RunQuery,
  records: readonly MailboxRecord[],
  kept: readonly Unmailed[],
): Promise<void> {
  const columns = records.map(({ lastMailAt, signups, ...record }) => ({
    ...record,
    last_mail_at: lastMailAt,
    signups: JSON.stringify(signups),
  }));
  const waiting = kept.map(({ id, until, reason }) => ({ id, next_attempt_at: until, last_error: reason }));
  await query(sql.setMailboxes, [json(columns), json(waiting)]);
}
const statusColumns = ({ status, askAgainAt }: KnownStatus) => ({ status, next_attempt_at: askAgainAt });

function settledRows({ ids, outcome }: Settlement): Row[] {
  const { nextAttemptAt, settledAt, reason, ...same } = settledColumns(outcome);
  const columns = { ...same, next_attempt_at: nextAttemptAt, settled_at: settledAt, last_error: reason };
  return ids.map((id) => ({ id, ...columns }));
}
