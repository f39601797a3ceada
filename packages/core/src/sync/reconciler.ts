/**
 * Reconciles contacts with subscriptions: reads both sides, matches them into pairs, and plans every change. Pure.
 */
import { isRecord } from '../is-record.ts';
import { isOptedOut } from './canonical-value.ts';
import { isClear, isOverwrite } from './changes.ts';
import { holdBack, limitOf, type BreakerFacts } from './circuit-breaker.ts';
import { ContactIndex } from './contact-index.ts';
import { DraftPlan } from './draft-plan.ts';
import { createFindingLog, type Finding, type FindingLog } from './findings.ts';
import { planPair, type PairPlan, type SubscriptionWrite } from './plan-pair.ts';
import {
  hasWrites,
  joinPlans,
  urgentOf,
  withinBudget,
  type Overwrites,
  type PairPlans,
  type PlannedBatch,
  type PlannedPair,
  type SyncPlan,
} from './plan.ts';
import { addressFingerprint, type ReadyMapping, type SyncSubscription } from './prepare-mapping.ts';
import { maxEntries, type SyncState } from './state.ts';
import { isTokenId, type Base } from './token.ts';

export interface ReconcilerOptions {
  readonly mapping: ReadyMapping;
  readonly state: SyncState;
  /** Milliseconds since the Unix epoch at which the run began to read. */
  readonly now: number;
  /**
   * `everything`: all contacts and all subscriptions come in, so that a missing one is noticed. `incoming`: some
   * contacts and their subscriptions. Default `everything`.
   */
  readonly scope?: 'everything' | 'incoming' | undefined;
  /** Carries out a plan that would otherwise be held back. Default false. */
  readonly accept?: boolean | undefined;
  /** Called for each contact that is alone with its subscription, where the pair needs no write and has no finding. */
  readonly onAtRest?: ((contactId: string) => void) | undefined;
}

/** Contacts or subscriptions of one part of {@link Reconciler.finishInParts}. */
const partSize = 2000;

/**
 * Creates a reconciler for one run. It keeps an index of the contacts, and of the pairs only those with a change or a
 * finding. The order in which contacts and pages come in does not change the plan.
 */
export function createReconciler(options: ReconcilerOptions): Reconciler {
  return new Reconciler(options);
}

/**
 * Takes contacts first, then pages of subscriptions, and returns a plan. A run that is too large for memory does so
 * batch by batch: all records that share one of their {@link contactKeys} and {@link subscriptionKeys}, with each other
 * or through others, belong in one batch.
 */
export class Reconciler {
  readonly #mapping: ReadyMapping;
  readonly #state: SyncState;
  readonly #now: number;
  readonly #accept: boolean;
  readonly #onAtRest: ReconcilerOptions['onAtRest'];
  readonly #log: FindingLog;
  readonly #contacts: ContactIndex;
  readonly #draft: DraftPlan;
  /** Whether all contacts and all subscriptions came in, so that a missing one can be noticed. */
  #isComplete: boolean;
  /** Subscriptions without contact, by their ids. */
  readonly #withoutContact = new Map<string, SyncSubscription>();
  /** Pairs with a change or a finding. */
  #pairs: PairPlans[] = [];
  /** Whether a subscription that was left has a contact. */
  #hasLeft = false;
  readonly #counts = {
    contacts: 0,
    subscriptions: 0,
    pairs: 0,
    contactCreates: 0,
    contactUpdates: 0,
    subscriptionCreates: 0,
    confirmations: 0,
    subscriptionUpdates: 0,
    unsubscribes: 0,
    clears: 0,
    optOuts: 0,
    conflicts: 0,
    waiting: 0,
    findings: 0,
    newFindings: 0,
  };
  /** Values that are replaced by others, by side and field. */
  readonly #overwrites = new Map<string, Overwrites>();
  /** How many contacts the run may still create and change. */
  #budget: number;
  /** Unix seconds of the newest subscription; null before the first. */
  #newest: number | null = null;

  constructor({ mapping, state, now, scope = 'everything', accept = false, onAtRest }: ReconcilerOptions) {
    this.#mapping = mapping;
    this.#state = state;
    this.#now = now;
    this.#accept = accept;
    this.#onAtRest = onAtRest;
    this.#budget = mapping.mostWrites;
    this.#isComplete = scope === 'everything';
    this.#log = createFindingLog(state.reported, (text) => addressFingerprint(mapping, text).toString(36));
    this.#contacts = new ContactIndex(mapping, this.#log);
    this.#draft = new DraftPlan(mapping, state, this.#contacts, this.#log);
  }

  /**
   * Adds a contact: a record in which the mapping's paths name the fields. All contacts come before subscriptions.
   *
   * @returns its address; undefined where the contact is left alone
   */
  addContact(record: unknown): string | undefined {
    return this.#contacts.add(record);
  }

  addSubscriptions(page: Iterable<SyncSubscription>): void {
    for (const subscription of page) {
      if (isTokenId(subscription.id)) this.#addSubscription(subscription);
      else this.leaveOut([subscription]);
    }
  }

  /**
   * Adds records of the newsletter that cannot be used: they and the contacts they may be of are left alone. Where a
   * record does not say whose it is, all contacts without a subscription are.
   */
  leaveOut(records: readonly unknown[]): void {
    for (const record of records) {
      const { id, email } = isRecord(record) ? record : {};
      if (typeof id === 'string' && isTokenId(id) && typeof email === 'string')
        this.#contacts.setMatched([...this.#contacts.linkedTo(id), ...this.#contacts.withAddress(email)]);
      else this.#isComplete = false;
      this.#log.report('subscription_unreadable', { ...(typeof id === 'string' && { subscriptionId: id }) });
    }
  }

  /**
   * Counts pairs that are known to be at rest, and need not come in: a contact and a subscription that share their keys
   * with nothing else, deliver every mapped field, and have not changed since an earlier run of this mapping found
   * nothing to write and nothing to report.
   *
   * @param newest - Unix seconds of the newest subscription among them
   */
  addAtRest(pairs: number, newest: number): void {
    if (pairs === 0) return;
    this.#contacts.setDelivered();
    this.#counts.contacts += pairs;
    this.#counts.subscriptions += pairs;
    this.#counts.pairs += pairs;
    this.#newest = Math.max(this.#newest ?? newest, newest);
  }

  /**
   * Plans a batch: what came in since the last one. Records that belong to no batch come in before the first, by
   * {@link leaveOut}. `finish` then returns counts, state and whether the plan is held back, of all batches.
   */
  takeBatch(): PlannedBatch {
    const parts = this.#planBatch();
    for (;;) {
      const part = parts.next();
      if (part.done) return part.value;
    }
  }

  /** The plan, once both sides were read to their end. */
  finish(): SyncPlan {
    const parts = this.finishInParts();
    for (;;) {
      const part = parts.next();
      if (part.done) return part.value;
    }
  }

  /** The same in parts of some milliseconds each, so that a host that serves others can do so in between. */
  *finishInParts(): Generator<undefined, SyncPlan, undefined> {
    return this.#toPlan(yield* this.#planBatch());
  }

  *#planBatch(): Generator<undefined, PlannedBatch, undefined> {
    this.#planMoves();
    if (this.#isComplete) yield* this.#planUnmatched();
    this.#collectPairs();
    const { now, waiting, used } = withinBudget(this.#draft.take(), this.#budget);
    this.#budget -= used;
    this.#draft.settle(now, waiting);
    const batch = { ...now, waiting, urgent: this.#urgent(), findings: this.#log.take() };
    this.#count(batch);
    this.#contacts.clear();
    this.#withoutContact.clear();
    this.#pairs = [];
    return batch;
  }

  #addSubscription(subscription: SyncSubscription): void {
    const { id, created } = subscription;
    const { rows: found, linked } = this.#contacts.contactsOf(subscription);
    const [first] = found;
    // Pages can repeat a subscription while others are added and removed.
    if (first === undefined ? this.#withoutContact.has(id) : this.#contacts.isMatched(first)) return;
    this.#counts.subscriptions += 1;
    this.#newest = Math.max(this.#newest ?? created, created);
    if (first === undefined) {
      this.#withoutContact.set(id, subscription);
      return;
    }
    this.#contacts.setMatched(found);
    this.#counts.pairs += 1;
    this.#hasLeft ||= subscription.status === 'inactive';
    if (found.length === 1 && linked[0] === first && this.#contacts.isAtRest(first, subscription))
      return this.#onAtRest?.(this.#contacts.contactAt(first).id);
    const rows = this.#ownOf(found, subscription);
    if (rows.length === 0) return;
    const plans = this.#plansOf({ subscription, rows, linked }, false);
    if (rows.length > 1) {
      for (const row of rows)
        this.#log.report('ambiguous', { row, contactId: this.#contacts.contactAt(row).id, subscriptionId: id });
    }
    if (plans.some((plan) => plan.findings.length > 0 || hasWrites(plan)))
      this.#pairs.push({ subscription, rows, linked, plans });
    else if (found.length === 1) this.#onAtRest?.(this.#contacts.contactAt(first).id);
  }

  /**
   * The contacts without a token of another newsletter. There is no memory of the others, and no room for one: an
   * opt-out that acted would act again in every run, and throw out a person who came back. So nothing is planned for
   * them, and a standing opt-out is reported until each newsletter has a token field of its own.
   */
  #ownOf(rows: readonly number[], { id, status }: SyncSubscription): readonly number[] {
    const foreign = rows.filter((row) => this.#contacts.hasForeignToken(row));
    for (const row of foreign) {
      const { id: contactId, optOut } = this.#contacts.contactAt(row);
      if (status !== 'inactive' && isOptedOut(optOut) === true)
        this.#log.report('active_while_opted_out', { row, contactId, subscriptionId: id });
    }
    return foreign.length === 0 ? rows : rows.filter((row) => !foreign.includes(row));
  }

  /** @param valuesWait - plans consent alone */
  #plansOf({ subscription, rows, linked }: Omit<PairPlans, 'plans'>, valuesWait: boolean): PairPlan[] {
    const contacts = this.#contacts;
    const mapping = this.#mapping;
    const [row] = rows;
    if (rows.length === 1 && row !== undefined) {
      // The token was checked when the contact came in, and names this subscription.
      const base = linked[0] === row ? contacts.baseFor(row, subscription.id) : undefined;
      return [planPair({ subscription, contact: contacts.contactAt(row), base }, mapping, { valuesWait })];
    }
    const ambiguous = rows.map((each) => ({ row: each, ...contacts.at(each) }));
    const optedOut = ambiguous.filter(({ contact }) => isOptedOut(contact.optOut) === true);
    const chosen = mapping.situations.ambiguous === 'use_linked' && linked.length === 1 ? linked[0] : undefined;
    return ambiguous.map((each) =>
      planPair({ subscription, ...each }, mapping, {
        situation: 'ambiguous',
        valuesWait: valuesWait || each.row !== chosen,
        optOutElsewhere: optedOut.some((other) => other.row !== each.row),
      }),
    );
  }

  /**
   * Plans contacts whose address differs from their subscription's, and subscriptions with a linked contact's address.
   */
  #planMoves(): void {
    const mayMove = this.#mapping.situations.addressChangedInCrm === 'move';
    const moving = movingContacts(this.#pairs);
    for (const [id, subscription] of this.#withoutContact) {
      const rows = this.#contacts.withAddress(subscription.email);
      const [row] = rows;
      if (row === undefined || rows.length > 1) continue;
      if (!this.#contacts.isMatched(row)) {
        // The subscription of the token is gone, and the person has subscribed again.
        if (!this.#isComplete) continue;
        this.#contacts.setMatched([row]);
        this.#relink(subscription, row, []);
      } else if (moving.has(row) && mayMove) {
        const old = moving.get(row);
        moving.delete(row);
        const context = { row, contactId: this.#contacts.contactAt(row).id, subscriptionId: subscription.id };
        if (subscription.status === 'inactive') this.#log.report('move_refused', context);
        else if (subscription.status !== 'active') this.#log.report('move_waits', context);
        else if (old) this.#relink(subscription, row, [{ subscription_id: old.id, unsubscribe: true }]);
      }
      this.#withoutContact.delete(id);
    }
    if (!mayMove || !this.#isComplete) return;
    for (const [row, subscription] of moving) {
      const { contact, base } = this.#contacts.at(row);
      const refuses = subscription.status === 'inactive' || isOptedOut(contact.optOut) === true;
      if (!refuses && base?.consent === 'subscribed') this.#draft.createSubscription(contact, 'address_moved');
    }
  }

  /** Links a contact to another subscription and drops the plan with the one before. */
  #relink(subscription: SyncSubscription, row: number, writesBefore: readonly SubscriptionWrite[]): void {
    this.#pairs = this.#pairs.filter(({ rows }) => rows[0] !== row);
    const { contact, base } = this.#contacts.at(row);
    if (!base) return;
    const address = addressFingerprint(this.#mapping, subscription.email);
    const linked: Base = { ...base, subscriptionId: subscription.id, address, fields: [] };
    const plan = planPair({ subscription, contact, base: linked }, this.#mapping, { situation: 'address_moved' });
    this.#counts.pairs += 1;
    this.#log.add(plan.findings);
    const pair = joinPlans(subscription, [plan]);
    this.#draft.changed.push({ ...pair, subscriptionWrites: [...writesBefore, ...pair.subscriptionWrites] });
  }

  *#planUnmatched(): Generator<undefined, void, undefined> {
    for (let row = 1; row <= this.#contacts.size; row += 1) {
      if (!this.#contacts.isMatched(row)) this.#draft.planContact(row);
      if (row % partSize === 0) yield;
    }
    let planned = 0;
    for (const subscription of this.#withoutContact.values()) {
      this.#draft.planSubscription(subscription);
      if ((planned += 1) % partSize === 0) yield;
    }
  }

  /** Adds the pairs to the plan, with their findings and the addresses of erased persons. */
  #collectPairs(): void {
    for (const { subscription, rows, plans } of this.#pairs) {
      for (const [index, { situation, findings }] of plans.entries()) {
        this.#log.add(findings);
        const row = rows[index];
        if (situation === 'erased' && row !== undefined) this.#draft.addErased(this.#contacts.contactAt(row));
      }
      if (plans.some(hasWrites)) this.#draft.changed.push(joinPlans(subscription, plans));
    }
  }

  #toPlan({ waiting, urgent, findings, ...now }: PlannedBatch): SyncPlan {
    const { removals, erased, withoutContact, unknownContacts } = this.#draft;
    const limit = limitOf(this.#mapping, this.#counts.pairs);
    const facts = this.#breakerFacts();
    const last = this.#log.take();
    this.#countFindings(last);
    const counts = {
      ...this.#counts,
      removals,
      withoutContact,
      unknownContacts,
      limit,
      overwrites: [...this.#overwrites]
        .toSorted(([oneKey, one], [otherKey, other]) => other.count - one.count || (oneKey < otherKey ? -1 : 1))
        .map(([, overwrites]) => overwrites),
    };
    const held = this.#accept ? null : holdBack(this.#mapping, counts, facts);
    const next = this.#isComplete
      ? this.#draft.nextState(this.#newest, this.#now, counts.contacts)
      : { ...this.#state, erased: [...erased] };
    return {
      ...(held ? { pairs: urgentOf(urgent, counts), contactCreates: [], subscriptionCreates: [] } : now),
      whole: {
        pairs: [...now.pairs, ...waiting.pairs],
        contactCreates: [...now.contactCreates, ...waiting.contactCreates],
        subscriptionCreates: now.subscriptionCreates,
      },
      findings: [...findings, ...last],
      held,
      counts,
      state: { ...(held ? this.#state : next), reported: this.#log.reported().slice(0, maxEntries) },
    };
  }

  /** Opt-outs and unsubscribes, which are carried out even where the plan is held back: nobody who said no waits. */
  #urgent(): PlannedPair[] {
    const { optOut } = this.#mapping;
    const isUrgent = ({ contactWrite, subscriptionWrite }: PairPlan): boolean =>
      (optOut !== undefined && contactWrite?.changes[optOut.contact] === true) ||
      subscriptionWrite?.unsubscribe === true;
    return this.#pairs.flatMap((pair) =>
      pair.plans.some(isUrgent) ? [joinPlans(pair.subscription, this.#plansOf(pair, true).filter(isUrgent))] : [],
    );
  }

  /** Reports the fields that are missing. */
  #breakerFacts(): BreakerFacts {
    const { vanished, missingIsEmpty, optOut, paths } = this.#mapping;
    const { missingFields, fieldNames, optOuts } = this.#contacts;
    const absent =
      this.#counts.contacts === 0
        ? []
        : [...missingFields].filter((path) => {
            // The first run writes the first tokens.
            if (path === paths.token) return this.#isComplete && this.#state.contacts !== null;
            return !missingIsEmpty || path === paths.id || path === paths.email;
          });
    for (const field of new Set([...vanished, ...absent])) this.#log.report('field_missing', { field });
    const isUnreadable = optOuts.delivered && !optOuts.readable;
    const isNeverShown = missingIsEmpty && !optOuts.set && this.#hasLeft && optOut?.setOnUnsubscribe === true;
    return {
      absent,
      fieldNames,
      optOut: isUnreadable ? 'unreadable' : isNeverShown ? 'never_shown' : null,
      contactsBefore: this.#isComplete ? this.#state.contacts : null,
      entries: this.#draft.entries,
    };
  }

  /** Counts what the whole plan would do about a batch. */
  #count(batch: PlannedBatch): void {
    const counts = this.#counts;
    const { waiting, findings } = batch;
    const pairs = [...batch.pairs, ...waiting.pairs];
    const contactCreates = [...batch.contactCreates, ...waiting.contactCreates];
    const writes = pairs.flatMap(({ subscriptionWrites }) => subscriptionWrites);
    const changes = pairs.flatMap((pair) => pair.changes);
    counts.contacts += this.#contacts.size;
    counts.contactCreates += contactCreates.length;
    counts.contactUpdates += pairs.reduce((sum, { contactWrites }) => sum + contactWrites.length, 0);
    counts.subscriptionCreates += batch.subscriptionCreates.length;
    counts.confirmations += batch.subscriptionCreates.filter(
      ({ request }) => request.double_opt_override === 'on',
    ).length;
    counts.subscriptionUpdates += writes.length;
    counts.unsubscribes += writes.filter(({ unsubscribe }) => unsubscribe).length;
    counts.clears += pairs.filter((pair) => pair.changes.some(isClear)).length;
    counts.optOuts += changes.filter(({ kind }) => kind === 'opt_out').length;
    counts.conflicts += changes.filter(({ reason }) => reason === 'newsletter_wins' || reason === 'crm_wins').length;
    counts.waiting += waiting.pairs.length + waiting.contactCreates.length;
    for (const { side, field } of changes.filter(isOverwrite)) {
      const key = `${side} ${field}`;
      this.#overwrites.set(key, { side, field, count: (this.#overwrites.get(key)?.count ?? 0) + 1 });
    }
    this.#countFindings(findings);
  }

  #countFindings(findings: readonly Finding[]): void {
    this.#counts.findings += findings.length;
    this.#counts.newFindings += findings.filter(({ isNew }) => isNew).length;
  }
}

/** The single contacts whose address was changed in the CRM, by row. */
function movingContacts(pairs: readonly PairPlans[]): Map<number, SyncSubscription> {
  const moving = new Map<number, SyncSubscription>();
  for (const { subscription, rows, plans } of pairs) {
    const [row] = rows;
    const isMoving = plans[0]?.findings.some(({ code }) => code === 'address_changed_in_crm');
    if (rows.length === 1 && row !== undefined && isMoving) moving.set(row, subscription);
  }
  return moving;
}
