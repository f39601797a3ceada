/**
 * What became of the contacts that were handed over to the CRM, which no run sees itself. A contact that shows the new
 * token was taken. One that still shows the token before was not, or the list is late. Pure.
 */
import { hasToken, type SyncContact } from './contact.ts';
import type { FindingLog } from './findings.ts';
import type { PlannedPair, PlannedWrites } from './plan.ts';
import type { ReadyMapping } from './prepare-mapping.ts';
import { maxEntries, type SyncState } from './state.ts';
import { tokenEnd } from './token.ts';

/** Runs after which a refusal is reported. */
const reportedAfter = 3;

/** Most tokens kept of a run, of contacts to change and as many of contacts to create. */
const mostTokens = 500;

/** The write of a contact that does not show its new token. */
export interface OpenWrite {
  /** Whether this is the first run after it: the list may be one of before. From then on it counts as refused. */
  readonly isLate: boolean;
  /** Whether the new token knows of an opt-out. */
  readonly knowsOptOut: boolean;
}

/** The writes of some pairs, by fingerprints of contact and replaced token. */
class Writes {
  readonly keys = new Set<string>();
  readonly optOuts = new Set<string>();
  readonly tokens: string[] = [];

  add(pairs: readonly PlannedPair[]): void {
    for (const { key, token, alone, knowsOptOut } of pairs.flatMap((pair) => pair.contactWrites)) {
      if (key === undefined || this.keys.size >= maxEntries) continue;
      this.keys.add(key);
      if (knowsOptOut) this.optOuts.add(key);
      if (this.tokens.length >= mostTokens) continue;
      this.tokens.push(tokenEnd(token));
      if (alone) this.tokens.push(tokenEnd(alone.token));
    }
  }
}

/** The writes of earlier runs that this run does not show, and its own. */
export class HandOver {
  readonly #state: SyncState;
  readonly #log: FindingLog;
  readonly #mapping: Pick<ReadyMapping, 'paths'>;
  readonly #mayBeLate: boolean;
  readonly #tokensBefore: ReadonlySet<string>;
  readonly #optOutsBefore: ReadonlySet<string>;
  readonly #hasUpdates: boolean;
  /** Whether a contact shows a token that was handed over. */
  #isTaken = false;
  readonly #open = new Set<string>();
  /** Creations that were handed over before, by key. */
  readonly #creates = new Map<
    string,
    { readonly created: number; readonly refusals: number | undefined; waits?: true }
  >();
  /** Records that were handed over before, and do not show it. */
  #refused = 0;
  readonly #kept = new Set<string>();
  readonly #all = new Writes();
  readonly #urgent = new Writes();
  readonly #createdTokens: string[] = [];
  /** Unix seconds: the oldest subscription to create a contact for of which nothing else is kept. */
  #oldestCreate = Number.POSITIVE_INFINITY;
  /** Unix seconds: just before the oldest contact to create that was never handed over. */
  #waitsFrom = Number.POSITIVE_INFINITY;

  /** @param mayBeLate - whether the contacts may have been listed as they were before the last run */
  constructor(mapping: Pick<ReadyMapping, 'paths'>, state: SyncState, log: FindingLog, mayBeLate: boolean) {
    this.#mapping = mapping;
    this.#state = state;
    this.#log = log;
    this.#mayBeLate = mayBeLate;
    this.#tokensBefore = new Set(state.tokens.flat());
    this.#optOutsBefore = new Set(state.optOuts);
    this.#hasUpdates = Object.keys(state.updates).length > 0;
  }

  /** Stands for a contact and the token that it shows. */
  keyOf({ id, token }: Pick<SyncContact, 'id' | 'token'>): string {
    return this.#log.fingerprint(`${id} ${hasToken(token) ? String(token) : ''}`);
  }

  /** Notes a token that a contact shows. */
  see(token: string): void {
    if (!this.#isTaken && this.#tokensBefore.size > 0) this.#isTaken = this.#tokensBefore.has(tokenEnd(token));
  }

  /** The write of a contact that does not show its new token; undefined without one. */
  of(contact: Pick<SyncContact, 'id' | 'token'>): OpenWrite | undefined {
    if (!this.#hasUpdates) return undefined;
    const key = this.keyOf(contact);
    const runs = this.#state.updates[key];
    if (runs === undefined) return undefined;
    if (!this.#open.has(key)) this.#refused += 1;
    this.#open.add(key);
    return { isLate: runs === 0 && this.#mayBeLate, knowsOptOut: this.#optOutsBefore.has(key) };
  }

  /** Notes that a subscription waits for a contact of its own: it gets one as soon as the one it has is gone. */
  keep(id: string): void {
    this.#kept.add(this.#log.fingerprint(id));
  }

  /** How many subscriptions wait for a contact of their own. */
  get kept(): number {
    return this.#kept.size;
  }

  /** Whether a subscription without contact gets one although it is not new. */
  isKept(id: string): boolean {
    return this.#state.attempts[this.#log.fingerprint(id)] !== undefined;
  }

  /** Notes the creation of a contact. @returns whether it was refused before, while others were taken */
  addCreate({ id, created }: { readonly id: string; readonly created: number }): boolean {
    const key = this.#log.fingerprint(id);
    const refusals = this.#state.attempts[key];
    const isRepeated = refusals === undefined ? created <= (this.#state.seenUntil ?? -Infinity) : refusals >= 0;
    if (isRepeated) this.#refused += 1;
    if (refusals !== undefined && refusals >= reportedAfter - 1)
      this.#log.report('contact_creation_failed', { subscriptionId: id });
    if ((isRepeated || refusals !== undefined) && this.#creates.size < maxEntries)
      this.#creates.set(key, { created, refusals });
    else this.#oldestCreate = Math.min(this.#oldestCreate, created);
    return refusals !== undefined && refusals > 0;
  }

  /** Reports the contacts that were refused several times, of the writes that are planned for them now. */
  report(pairs: readonly PlannedPair[]): void {
    for (const { id, key = '' } of this.#hasUpdates ? pairs.flatMap((pair) => pair.contactWrites) : [])
      if ((this.#state.updates[key] ?? 0) >= reportedAfter - 1)
        this.#log.report('contact_update_failed', { contactId: id });
  }

  /**
   * Notes what is handed over and what waits.
   *
   * @param urgent - what is handed over instead where the plan is held back, however many people are unsubscribed
   */
  settle(now: PlannedWrites, waiting: PlannedWrites, urgent: readonly PlannedPair[]): void {
    this.#all.add(now.pairs);
    this.#urgent.add(urgent);
    for (const { changes } of now.contactCreates.slice(0, mostTokens - this.#createdTokens.length))
      this.#createdTokens.push(tokenEnd(String(changes[this.#mapping.paths.token])));
    for (const { subscriptionId, created } of waiting.contactCreates) {
      const create = this.#creates.get(this.#log.fingerprint(subscriptionId));
      if (create) create.waits = true;
      if (created > (this.#state.seenUntil ?? -Infinity)) this.#waitsFrom = Math.min(this.#waitsFrom, created - 1);
    }
  }

  /** Unix seconds: up to which subscriptions were handed over. */
  get handedUntil(): number {
    return this.#waitsFrom;
  }

  /**
   * What the next run has to know. Where several records were refused and none was taken, that is an outage, and no
   * record's fault.
   *
   * @returns with the creation of the oldest subscription without contact of which nothing else is kept
   */
  next(): Pick<SyncState, 'attempts' | 'updates' | 'optOuts' | 'tokens' | 'outage'> & {
    readonly oldestCreate: number;
  } {
    const isOutage = this.#outage > 0;
    const attempts: Record<string, number> = Object.fromEntries([...this.#kept].map((key) => [key, -1]));
    let oldestCreate = this.#oldestCreate;
    for (const [key, { created, refusals, waits }] of this.#creates)
      if (refusals === undefined && (waits || isOutage)) oldestCreate = Math.min(oldestCreate, created);
      else attempts[key] = (refusals ?? 0) + (waits || (isOutage && refusals !== -1) ? 0 : 1);
    return { attempts, ...this.#written(this.#all, isOutage ? 0 : 1), outage: this.#outage, oldestCreate };
  }

  /** Runs in a row in which several records were refused and none was taken, this one included. */
  get #outage(): number {
    return !this.#isTaken && this.#refused > 1 ? this.#state.outage + 1 : 0;
  }

  /** Reports an outage once all contacts came in. */
  reportOutage(): void {
    if (this.#outage >= reportedAfter) this.#log.report('crm_outage', {});
  }

  /** The same after a run that carries out only a part: of some contacts, or of a plan that is held back. */
  nextOfPart(isHeld: boolean): Pick<SyncState, 'updates' | 'optOuts' | 'tokens'> {
    const { updates, optOuts, tokens } = this.#written(isHeld ? this.#urgent : this.#all, 0);
    return {
      updates: bounded({ ...this.#state.updates, ...updates }),
      optOuts: [...new Set([...this.#optOutsBefore, ...optOuts])],
      tokens,
    };
  }

  /** @param more - runs to add to those of a contact that was refused before */
  #written(writes: Writes, more: 0 | 1): Pick<SyncState, 'updates' | 'optOuts' | 'tokens'> {
    const open = [...this.#open].map((key) => [key, Math.max(1, (this.#state.updates[key] ?? 0) + more)] as const);
    const added = [...writes.optOuts, ...writes.keys].filter((key) => !this.#open.has(key));
    const updates = bounded(Object.fromEntries([...open, ...added.map((key) => [key, 0] as const)]));
    return {
      updates,
      optOuts: Object.keys(updates).filter((key) => writes.optOuts.has(key) || this.#optOutsBefore.has(key)),
      tokens: [[...writes.tokens, ...(writes === this.#all ? this.#createdTokens : [])], this.#state.tokens[0] ?? []],
    };
  }
}

function bounded(counts: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  const entries = Object.entries(counts);
  return entries.length <= maxEntries ? counts : Object.fromEntries(entries.slice(0, maxEntries));
}
