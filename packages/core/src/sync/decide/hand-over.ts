/**
 * What became of the contacts that were handed over to the CRM, which no run sees itself. A contact that shows the new
 * token was taken. One that still shows the token before was not, or the list is late. Pure.
 */
import type { SyncContact } from '../mapping/contact.ts';
import { isOptedOut } from '../mapping/opt-out.ts';
import type { SyncSubscription } from '../mapping/prepare-mapping.ts';
import { maxEntries, type OpenUpdate, type SyncState } from '../mapping/state.ts';
import { isWhole, tokenMark } from '../mapping/token.ts';
import type { PlannedPair, PlannedWrites } from '../report/plan.ts';
import type { RunContext } from '../report/run-context.ts';

/** Runs after which a refusal is reported. */
const reportedAfter = 3;

/** A subscription that is listed within this many seconds of its creation may not be the last of its second. */
const listingDelay = 60;

/** Most tokens kept of a run's created contacts. */
const mostTokens = 500;

/** The write of a contact that does not show its new token. */
export interface OpenWrite {
  /** Whether this is the first run after it: the list may be one of before. From then on it counts as refused. */
  readonly isLate: boolean;
  /** Whether the new token knows of an opt-out. */
  readonly knowsOptOut: boolean;
}

type Handed = Pick<OpenUpdate, 'token' | 'optOut'>;

/** The writes of earlier runs that this run does not show, and its own. Each has the fingerprint of its contact. */
export class HandOver {
  readonly #run: RunContext;
  readonly #tokensBefore: ReadonlySet<string>;
  /** Whether a contact shows a token that was handed over. */
  #isTaken = false;
  readonly #open = new Map<string, OpenUpdate>();
  /** Creations that were handed over before, by key. */
  readonly #creates = new Map<
    string,
    { readonly created: number; readonly refusals: number | undefined; readonly wasKept: boolean; waits?: true }
  >();
  /** Creations that were handed over before, and are planned again. */
  #refused = 0;
  /** Contacts without their new token that may be late or need a write again; the others need none. */
  readonly #wanted = new Set<string>();
  /** Fingerprints of subscriptions that wait for a contact of their own. */
  readonly kept = new Set<string>();
  readonly #all = new Map<string, Handed>();
  readonly #urgent = new Map<string, Handed>();
  readonly #created: string[] = [];
  /** Unix seconds: the oldest subscription to create a contact for of which nothing else is kept. */
  #oldestCreate = Number.POSITIVE_INFINITY;
  /** Unix seconds up to which subscriptions were handed over: just before the oldest contact that is to be created. */
  #handedUntil = Number.POSITIVE_INFINITY;
  /** Unix seconds up to which a complete run has seen the subscriptions. */
  readonly #seenBefore: number;

  constructor(run: RunContext) {
    this.#run = run;
    const { state } = run;
    this.#seenBefore = state.seenUntil ?? -Infinity;
    const updated = Object.values(state.updates).map(({ token }) => token);
    this.#tokensBefore = new Set([...updated, ...state.created.flat()]);
  }

  /** Stands for a contact. */
  keyOf({ id }: Pick<SyncContact, 'id'>): string {
    return this.#run.log.fingerprint(`contact ${id}`);
  }

  /** Notes a token that a contact shows. */
  see(token: string): void {
    if (!this.#isTaken && this.#tokensBefore.size > 0) this.#isTaken = this.#tokensBefore.has(tokenMark(token));
  }

  /** The write of a contact that does not show its new token; undefined without one. */
  of({ id, token, optOut }: Pick<SyncContact, 'id' | 'token' | 'optOut'>): OpenWrite | undefined {
    if (this.#tokensBefore.size === 0) return undefined;
    const key = this.keyOf({ id });
    const update = this.#run.state.updates[key];
    if (!update) return undefined;
    const isLate = update.isFirst === true && this.#run.mayBeLate;
    // The same no was handed over twice: a list that lacks it may be one of between, when somebody had cleared it.
    const isBetween =
      isLate && update.optOut === true && update.runs > 0 && !isOptedOut(optOut, this.#run.mapping.optOut);
    if (isWhole(token) && update.token === tokenMark(token) && !isBetween) return undefined;
    if (!this.#open.has(key)) this.#open.set(key, update);
    if (isLate) this.#wanted.add(key);
    return { isLate, knowsOptOut: update.optOut === true };
  }

  /** Notes that a contact without its new token shows an opt-out of which its subscription knows. */
  noteOptOut(key: string): void {
    const update = this.#open.get(key);
    if (update) this.#open.set(key, { ...update, optOut: true });
  }

  /** Notes that a subscription waits for a contact of its own: it gets one as soon as the one it has is gone. */
  keep(id: string): void {
    this.kept.add(this.#run.log.fingerprint(id));
  }

  /** What earlier runs know of the contact of a subscription. */
  #before(id: string) {
    const key = this.#run.log.fingerprint(id);
    return { key, refusals: this.#run.state.attempts[key], wasKept: this.#run.state.kept.includes(key) };
  }

  /** Whether a subscription without contact gets one: it is new, or its contact could not be created before. */
  isNew({ id, created }: SyncSubscription): boolean {
    if (created > (this.#run.state.watermark ?? -Infinity)) return true;
    const { refusals, wasKept } = this.#before(id);
    return refusals !== undefined || wasKept;
  }

  /** Notes the creation of a contact. @returns whether it was refused before, while others were taken */
  addCreate({ id, created }: SyncSubscription): boolean {
    const { key, ...before } = this.#before(id);
    const { refusals, wasKept } = before;
    const isRepeated = !wasKept && (refusals !== undefined || created <= this.#seenBefore);
    if (isRepeated) this.#refused += 1;
    if (refusals !== undefined && refusals >= reportedAfter - 1)
      this.#run.log.report('contact_creation_failed', { subscriptionId: id });
    if ((isRepeated || wasKept) && this.#creates.size < maxEntries) this.#creates.set(key, { created, ...before });
    else this.#oldestCreate = Math.min(this.#oldestCreate, created);
    return refusals !== undefined && refusals > 0;
  }

  /** Reports the contacts that were refused several times, of the writes that are planned for them now. */
  report(pairs: readonly PlannedPair[]): void {
    for (const { id, key = '' } of this.#open.size > 0 ? pairs.flatMap((pair) => pair.contactWrites) : [])
      if ((this.#open.get(key)?.runs ?? 0) >= reportedAfter - 1)
        this.#run.log.report('contact_update_failed', { contactId: id });
  }

  /**
   * Notes what is handed over and what waits.
   *
   * @param urgent - what is handed over instead where the plan is held back, however many people are unsubscribed
   */
  settle(now: PlannedWrites, waiting: PlannedWrites, urgent: readonly PlannedPair[]): void {
    for (const { key } of [...now.pairs, ...waiting.pairs].flatMap((pair) => pair.contactWrites))
      if (key !== undefined && this.#open.has(key)) this.#wanted.add(key);
    addTo(this.#all, now.pairs);
    addTo(this.#urgent, urgent);
    for (const { changes } of now.contactCreates.slice(0, mostTokens - this.#created.length))
      this.#created.push(tokenMark(String(changes[this.#run.mapping.paths.token])));
    for (const { subscriptionId, created } of waiting.contactCreates) {
      const create = this.#creates.get(this.#run.log.fingerprint(subscriptionId));
      if (create) create.waits = true;
      if (created > this.#seenBefore) this.#handedUntil = Math.min(this.#handedUntil, created - 1);
    }
  }

  /**
   * What the next run has to know of the contacts that were handed over. Where several records were refused and none
   * was taken, that is an outage, and no record's fault.
   */
  next(): Pick<SyncState, 'updates' | 'created' | 'outage'> {
    const created = [this.#created, this.#run.state.created[0] ?? []];
    return { updates: this.#updates(this.#all, this.#outage > 0 ? 0 : 1), created, outage: this.#outage };
  }

  /**
   * What the next run has to know of the subscriptions after a complete one, with the new watermark: the creation time
   * up to which every subscription has a contact, or is remembered.
   *
   * @param newest - Unix seconds of the newest subscription; null without one
   * @param now - milliseconds since the Unix epoch at which the run began to read
   */
  nextCreates(newest: number | null, now: number): Pick<SyncState, 'attempts' | 'kept' | 'watermark' | 'seenUntil'> {
    const isOutage = this.#outage > 0;
    const attempts: Record<string, number> = {};
    const kept = [...this.kept];
    let oldestCreate = this.#oldestCreate;
    for (const [key, { created, refusals, wasKept, waits }] of this.#creates)
      if (wasKept && waits) kept.push(key);
      else if (wasKept) attempts[key] = 0;
      else if (refusals === undefined && (waits || isOutage)) oldestCreate = Math.min(oldestCreate, created);
      else attempts[key] = (refusals ?? 0) + (waits || isOutage ? 0 : 1);
    const { seenUntil: before } = this.#run.state;
    const seenUntil = newest === null ? before : Math.max(Math.min(newest, this.#handedUntil), this.#seenBefore);
    const watermark = Math.min(seenUntil ?? 0, Math.floor(now / 1000) - listingDelay, oldestCreate - 1);
    // In an order that does not depend on that of contacts and pages.
    return { attempts, kept: kept.toSorted(), watermark, seenUntil };
  }

  /** Runs in a row in which several records were refused and none was taken, this one included. */
  get #outage(): number {
    return !this.#isTaken && this.#refused + this.#wanted.size > 1 ? this.#run.state.outage + 1 : 0;
  }

  /** Reports an outage once all contacts came in. */
  reportOutage(): void {
    if (this.#outage >= reportedAfter) this.#run.log.report('crm_outage', {});
  }

  /** The same after a run that carries out only a part: of some contacts, or of a plan that is held back. */
  updatesOfPart(isHeld: boolean): SyncState['updates'] {
    return bounded({ ...this.#run.state.updates, ...this.#updates(isHeld ? this.#urgent : this.#all, 0) });
  }

  /** @param more - runs to add to those of a contact that was refused before */
  #updates(handed: ReadonlyMap<string, Handed>, more: 0 | 1): SyncState['updates'] {
    const open = [...this.#open].map(([key, before]) => [key, stillOpen(before, handed.get(key), more)] as const);
    const added = [...handed].flatMap(([key, each]) =>
      this.#open.has(key) ? [] : [[key, { runs: 0, isFirst: true, ...each }] as const],
    );
    // What an opt-out depends on comes first.
    return bounded(
      Object.fromEntries([...open, ...added.toSorted(([, a], [, b]) => Number(b.optOut ?? 0) - Number(a.optOut ?? 0))]),
    );
  }
}

function addTo(handed: Map<string, Handed>, pairs: readonly PlannedPair[]): void {
  for (const { key, token, knowsOptOut } of pairs.flatMap((pair) => pair.contactWrites))
    if (key !== undefined && handed.size < maxEntries)
      handed.set(key, { token: tokenMark(token), ...(knowsOptOut && { optOut: true }) });
}

/** A no that was handed over although the list may have been late is handed over as if for the first time. */
function stillOpen({ isFirst, ...before }: OpenUpdate, handed: Handed | undefined, more: 0 | 1): OpenUpdate {
  return { ...before, ...handed, runs: Math.max(1, before.runs + more), ...(handed && isFirst && { isFirst }) };
}

const bounded = (updates: SyncState['updates']): SyncState['updates'] =>
  Object.fromEntries(Object.entries(updates).slice(0, maxEntries));
