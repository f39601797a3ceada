/** Signups in PostgreSQL: a row for each, many signups per statement, any number of relays on one database. */
import { randomUUID } from 'node:crypto';
import { conditions } from '../conditions.ts';
import { peopleOf, planClaim } from '../claim-plan.ts';
import { personHash } from '../fingerprint.ts';
import {
  claimableStates,
  givenConsent,
  loadedRow,
  newRow,
  numberOrNull,
  settledColumns,
  toBatch,
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
  type SharedCounters,
  type SignupCounts,
  type SignupFilter,
  type SignupStore,
  type StoredSignup,
  type Walk,
} from '../signup-store.ts';
import type { Query } from './connections.ts';
import { isStoreFailure, explainError } from './errors.ts';
import { GroupCommit } from './group-commit.ts';
import { openDatabase, type OpenDatabase } from './open-database.ts';
import { counterTable, schema } from './schema.ts';
import { filtered, sql } from './statements.ts';

/**
 * Opens, or creates, the store in one database.
 *
 * @throws StartupError where it cannot be reached, does not let us in, is too old or not durable
 */
export async function openPostgresStore(url: string): Promise<SignupStore> {
  return new PostgresStore(await openDatabase(url));
}

/** Signups written in one statement. */
const maxGroupSize = 500;

/** Signups that an operator's command changes in one statement. */
const partSize = 1000;

/** Once the counters have not answered, they are left alone for so long, in milliseconds. */
const countersPauseMs = 5000;

/** Sorts before every identifier. */
const firstId = '00000000-0000-0000-0000-000000000000';

interface Arrival {
  readonly row: SignupRow;
  readonly consent: ConsentRecord | null;
}

interface Settlement {
  readonly ids: readonly string[];
  readonly outcome: Outcome;
}

class PostgresStore implements SignupStore {
  readonly shared = true;
  readonly counters: SharedCounters;
  readonly serverTime = (): Promise<number> => this.#ask(sql.serverTime, [], ([row]) => Number(row?.['now']));
  readonly #database: OpenDatabase;
  readonly #arrivals: GroupCommit<Arrival>;
  readonly #settlements: GroupCommit<Settlement>;
  /** Names this process where it holds a walk. */
  readonly #holder = randomUUID();
  /** How long it holds each, in milliseconds: every step renews that. */
  readonly #leases = new Map<string, number>();
  #uncountedUntil = 0;
  /** Ends with the last claim of this process: waiting for each other, they take up one connection. */
  #claimed: Promise<unknown> = Promise.resolve();

  constructor(database: OpenDatabase) {
    this.#database = database;
    this.counters = { schema, table: counterTable, query: (text, values) => this.#count(text, values) };
    const gathering = { most: maxGroupSize, isOfOne: (error: unknown) => !isStoreFailure(error) };
    this.#arrivals = new GroupCommit({ ...gathering, work: (arrivals) => this.#keep(arrivals) });
    this.#settlements = new GroupCommit({ ...gathering, work: (settlements) => this.#write(settlements) });
  }

  async accept(signup: NewSignup): Promise<string> {
    const id = signupId(signup.receivedAt);
    const row = newRow(id, signup);
    await writing(() => this.#arrivals.run({ row, consent: givenConsent(row, signup) }));
    return id;
  }

  async #keep(arrivals: readonly Arrival[]): Promise<void> {
    const consents = arrivals.map(({ consent }) => consent).filter((consent) => consent !== null);
    await this.#database.brief.query(sql.insert, [json(arrivals.map(({ row }) => row)), json(consents)]);
  }

  claim(claim: Claim): Promise<readonly ClaimedSignup[]> {
    const work = (query: Query): Promise<readonly ClaimedSignup[]> => this.#take(query, claim);
    const claimed = this.#claimed.then(() => writing(() => this.#database.brief.transaction(work)));
    this.#claimed = claimed.catch(() => undefined);
    return claimed;
  }

  async #take(query: Query, { forms, limit, now, batch, state = 'waiting' }: Claim): Promise<readonly ClaimedSignup[]> {
    const states = claimableStates(state, batch !== undefined);
    await query(sql.lockClaims);
    const due = batch ? neverAttempted : now;
    const rows = await query(sql.candidates, [forms, state, now - freshMs, limit, states, due]);
    if (rows.length === 0) return [];
    const signupsOfPeople = (await query(sql.signupsOfPeople, [peopleOf(rows)])).map(toSignupOfPerson);
    const { claimed, duplicates, blocked } = planClaim(rows, signupsOfPeople, state);
    const ids = claimed.map(({ id }) => id);
    if (duplicates.length > 0) await query(sql.remove, [duplicates]);
    if (blocked.length > 0) await query(sql.postpone, [blocked, now + blockedMs]);
    if (ids.length > 0 && state === 'unconfirmed') await query(sql.postpone, [ids, now + claimMs]);
    else if (ids.length > 0) await query(sql.markSent, [ids, batch?.id ?? null, batch ? null : now + claimMs]);
    if (ids.length > 0 && batch) await query(sql.beginBatch, [batch.id, batch.publicationId, now]);
    return claimed;
  }

  settle(ids: readonly string[], outcome: Outcome): Promise<void> {
    return writing(() => this.#settlements.run({ ids, outcome }));
  }

  async #write(settlements: readonly Settlement[]): Promise<void> {
    await this.#database.brief.query(sql.settle, [json(settlements.flatMap(settledRows))]);
  }

  release(ids: readonly string[]): Promise<void> {
    return this.#change(sql.release, [ids]);
  }

  backlog(forms: readonly string[], most: number): Promise<number> {
    return this.#ask(sql.backlog, [forms, most], ([row]) => Number(row?.['count']));
  }

  nextDueAt(forms: readonly string[], state?: 'waiting' | 'unconfirmed'): Promise<number | null> {
    const states = claimableStates(state);
    return this.#ask(sql.nextDue, [forms, states], ([row]) => numberOrNull(row?.['nextAttemptAt']));
  }

  pullForward(now: number, longestMs: number): Promise<number> {
    return writing(async () => (await this.#database.brief.query(sql.pullForward, [now, now + longestMs])).length);
  }

  openBatches(publicationId: string): Promise<readonly OpenBatch[]> {
    return this.#ask(sql.openBatches, [publicationId], (rows) => rows.map(toBatch));
  }

  batchSent(id: string, at: number): Promise<void> {
    return this.#change(sql.batchSent, [id, at]);
  }

  endBatch(id: string, outcome: Extract<Outcome, { state: 'waiting' }>): Promise<void> {
    return this.#change(sql.endBatch, [id, outcome.tried, outcome.nextAttemptAt, outcome.reason.replaceAll('\0', '')]);
  }

  holdWalk(publicationId: string, now: number, until: number): Promise<{ readonly walk: Walk | null } | null> {
    return writing(async () => {
      const [row] = await this.#database.brief.query(sql.holdWalk, [publicationId, this.#holder, now, until]);
      if (!row) return null;
      this.#leases.set(publicationId, until - now);
      return { walk: toWalk(row['place']) };
    });
  }

  async releaseWalk(publicationId: string): Promise<void> {
    await this.#change(sql.releaseWalk, [publicationId, this.#holder]);
    this.#leases.delete(publicationId);
  }

  confirm(
    publicationId: string,
    emails: readonly string[],
    at: number,
    walk: Walk,
  ): Promise<readonly ConfirmedSignup[]> {
    const people = [...new Set(emails.map(personHash))];
    const lease = this.#leases.get(publicationId) ?? 0;
    const values = [people, publicationId, at, JSON.stringify(walk), this.#holder, lease];
    return writing(async () => (await this.#database.brief.query(sql.confirm, values)).map(toConfirmed));
  }

  confirmPerson(id: string, at: number, { sentence, version, page, visitor }: Consent): Promise<boolean> {
    const values = [id, at, sentence, version, page, visitor];
    return writing(async () => (await this.#database.brief.query(sql.confirmPerson, values))[0]?.['known'] === true);
  }

  counts(): Promise<SignupCounts> {
    return this.#survey(sql.counts, [], toCounts);
  }

  async overview(now: number): Promise<Overview> {
    const counts = await this.counts();
    const due = await this.#survey(sql.due, [now], ([row]) => Number(row?.['count']));
    const forms = await this.#survey(sql.forms, [], (rows) => rows);
    const deadByReason = await this.#survey(sql.deadByReason, [reasonsShown], (rows) => rows);
    return toOverview(counts, due, forms, deadByReason);
  }

  list(filter: SignupFilter, { after, limit }: Page): Promise<readonly StoredSignup[]> {
    const { sql: where, values } = conditions(filter, 'strpos');
    const page = after === undefined ? { where, values } : { where: `${where} AND id < ?`, values: [...values, after] };
    return this.#survey(filtered.list(page.where), [...page.values, limit], (rows) => rows.map(toStored));
  }

  listConsents({ after = firstId, limit }: Page): Promise<readonly ConsentRecord[]> {
    return this.#survey(sql.consents, [after, limit], (rows) => rows.map(toConsent));
  }

  async person(address: string): Promise<HeldAboutPerson> {
    const person = personHash(address);
    const signups = await this.#survey(sql.ofPerson, [[person]], (rows) => rows.map(toStored));
    const consents = await this.#survey(sql.consentsOf, [person], (rows) => rows.map(toConsent));
    return { signups, consents };
  }

  redrive(filter: SignupFilter, now: number): Promise<number> {
    const { sql: where, values } = conditions(filter, 'strpos');
    return this.#inParts(filtered.redrive(where), (after) => [...values, after, partSize, now]);
  }

  discard(filter: SignupFilter): Promise<number> {
    const { sql: where, values } = conditions(filter, 'strpos');
    return this.#inParts(filtered.discard(where), (after) => [...values, after, partSize]);
  }

  erase(
    address: string,
    { keepConsent = false }: { readonly keepConsent?: boolean | undefined } = {},
  ): Promise<{ readonly signups: number; readonly consents: number }> {
    return writing(async () => {
      const [erased] = await this.#database.long.query(sql.erase, [personHash(address), keepConsent]);
      return { signups: Number(erased?.['signups']), consents: Number(erased?.['consents']) };
    });
  }

  async expire({ delivered, review, dead, unconfirmed, consent }: Retention): Promise<number> {
    const idOf = (moment: number | null) => (moment === null ? null : `${firstIdOf(moment)}-0000-0000-000000000000`);
    const parts = async (text: string, values: readonly unknown[]): Promise<number> =>
      values.includes(null) ? 0 : this.#inParts(text, () => values);
    const joined = await writing(() => this.#database.long.query(sql.joinReview));
    return (
      joined.length +
      (await parts(sql.expireDelivered, [delivered, partSize])) +
      (await parts(sql.expireReceived, [idOf(review), partSize, 'review'])) +
      (await parts(sql.expireReceived, [idOf(unconfirmed), partSize, 'unconfirmed'])) +
      (await parts(sql.expireDead, [dead, partSize])) +
      (await parts(sql.expireConsent, [idOf(consent), partSize, consent]))
    );
  }

  /**
   * In parts, so that delivery does not wait for all of it. `values` are given the last identifier of the part before:
   * what is changed back meanwhile is not changed again.
   */
  #inParts(text: string, values: (after: string) => readonly unknown[]): Promise<number> {
    return writing(async () => {
      let changed = 0;
      let after = firstId;
      for (;;) {
        const ids = (await this.#database.long.query(text, values(after))).map(({ id }) => String(id));
        changed += ids.length;
        if (ids.length < partSize) return changed;
        after = ids.reduce((last, id) => (id > last ? id : last));
      }
    });
  }

  load(signups: readonly StoredSignup[], consents: readonly ConsentRecord[]): Promise<number> {
    const rows = signups.map((signup) => loadedRow(signup, Date.now()));
    return writing(async () => {
      const [loaded] = await this.#database.long.query(sql.load, [json(rows), json(consents)]);
      return Number(loaded?.['count']);
    });
  }

  paused(): Promise<boolean> {
    return this.#ask(sql.setting, ['paused'], ([row]) => row?.['value'] === 'true');
  }

  setPaused(paused: boolean): Promise<void> {
    return this.#change(sql.set, ['paused', String(paused)]);
  }

  probe(now: number): Promise<void> {
    return this.#change(sql.probe, [now]);
  }

  /** A post asks several counters: only the first waits for a server that does not answer. */
  async #count(text: string, values: readonly unknown[]): Promise<readonly Row[]> {
    if (performance.now() < this.#uncountedUntil) throw new StoreUnavailableError('The counters did not answer.');
    const { counting, long } = this.#database;
    try {
      // Those that have ended are deleted every few minutes.
      return await (text.startsWith('DELETE') ? long : counting).query(text, values);
    } catch (error) {
      if (isStoreFailure(error)) this.#uncountedUntil = performance.now() + countersPauseMs;
      throw error;
    }
  }

  /** Claims need not be given back: a dispatcher that has stopped has settled or released all of them. */
  async close(): Promise<void> {
    await Promise.all([this.#arrivals.done(), this.#settlements.done()]);
    // Where that fails, the walks are free once their time is over.
    if (this.#leases.size > 0) await this.#change(sql.leaveWalks, [this.#holder]).catch(() => undefined);
    this.#leases.clear();
    await this.#database.close();
  }

  #change(text: string, values: readonly unknown[]): Promise<void> {
    return writing(async () => void (await this.#database.brief.query(text, values)));
  }

  #ask<T>(text: string, values: readonly unknown[], answer: (rows: readonly Row[]) => T): Promise<T> {
    return asStoreUnavailable('read', async () => answer(await this.#database.brief.query(text, values)));
  }

  /** What operators ask: it may read every signup that is not delivered. */
  #survey<T>(text: string, values: readonly unknown[], answer: (rows: readonly Row[]) => T): Promise<T> {
    return asStoreUnavailable('read', async () => answer(await this.#database.long.query(text, values)));
  }
}

function writing<T>(work: () => Promise<T>): Promise<T> {
  return asStoreUnavailable('written', work);
}

/** Failures reach the caller in the port's own words. */
async function asStoreUnavailable<T>(verb: 'read' | 'written', work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new StoreUnavailableError(`The store cannot be ${verb}: ${explainError(cause)}.`, { cause });
  }
}

function settledRows({ ids, outcome }: Settlement): Row[] {
  const { state, nextAttemptAt, settledAt, reason, tried } = settledColumns(outcome);
  const columns = { state, tried, next_attempt_at: nextAttemptAt, settled_at: settledAt, last_error: reason };
  return ids.map((id) => ({ id, ...columns }));
}

/** PostgreSQL's texts have neither NUL nor half a surrogate pair. */
function json(rows: readonly object[]): string {
  return JSON.stringify(rows, (_name, value: unknown) =>
    typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value,
  );
}
