/**
 * Reconciles contacts with subscriptions: reads both sides, matches them into pairs, and plans every change. Pure.
 */
import { getsMail, hasLeft } from '../../facts/subscriber-status.ts';
import { isRecord } from '../../is-record.ts';
import { addressKey } from '../../signup/address.ts';
import { isOptedOut, OptOutSurvey, type UsualOptOut } from '../mapping/opt-out.ts';
import { type ReadyMapping, stateFingerprint, type SyncSubscription } from '../mapping/prepare-mapping.ts';
import { maxEntries, type SyncState } from '../mapping/state.ts';
import { isTokenId } from '../mapping/token.ts';
import { ContactIndex } from '../match/contact-index.ts';
import { type Match, Matching, type Member, oldestTwin } from '../match/matching.ts';
import { isUrgent } from '../report/changes.ts';
import { type FindingContext, FindingLog } from '../report/findings.ts';
import type { PairPlan, PlannedBatch, PlannedPair, SyncPlan } from '../report/plan.ts';
import type { RunContext } from '../report/run-context.ts';
import { Tally } from '../report/tally.ts';
import { UnclearWords } from '../report/unclear-words.ts';
import { urgentOf, withinBudget } from './budget.ts';
import { holdBack, limitOf } from './circuit-breaker.ts';
import { DraftPlan } from './draft-plan.ts';
import { HandOver } from './hand-over.ts';
import { joinPlans, type PairOptions, planPair } from './plan-pair.ts';

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
  /**
   * Whether the contacts may have been listed as they were before the last run wrote them. Default true; false where
   * they come from the place that is written.
   */
  readonly mayBeLate?: boolean | undefined;
  /** Called for each contact that is alone with its subscription, where the pair needs no write and has no finding. */
  readonly onAtRest?: ((contactId: string) => void) | undefined;
}

/** A subscription with its contacts, and the plan for each contact. */
interface PairPlans {
  readonly subscription: SyncSubscription;
  readonly members: readonly Member[];
  readonly plans: readonly PairPlan[];
}

/** Contacts or subscriptions of one part of {@link Reconciler.finishInParts}. */
const partSize = 2000;

/**
 * Creates a reconciler for one run. It keeps an index of the contacts, and of the pairs only those with a change or a
 * finding. The order in which contacts and pages come in does not change the plan.
 */
export const createReconciler = (options: ReconcilerOptions): Reconciler => new Reconciler(options);

/**
 * Takes contacts first, then pages of subscriptions, and returns a plan. A run that is too large for memory does so
 * batch by batch: all records that share one of their {@link contactKeys} and {@link subscriptionKeys}, with each other
 * or through others, belong in one batch.
 */
export class Reconciler {
  readonly #options: ReconcilerOptions;
  readonly #run: RunContext;
  readonly #contacts: ContactIndex;
  readonly #handOver: HandOver;
  readonly #draft: DraftPlan;
  /** Whether all contacts and all subscriptions came in, so that a missing one can be noticed. */
  #isComplete: boolean;
  /** Subscriptions whose contact is not plain before all are known, by their ids. */
  readonly #unplain = new Map<string, SyncSubscription>();
  /** Subscriptions without contact, by their ids. */
  readonly #withoutContact = new Map<string, SyncSubscription>();
  /** Pairs with a change or a finding. */
  #pairs: PairPlans[] = [];
  /** Those of them that wait for an answer of a person. */
  readonly #unclear = new Set<PairPlans>();
  readonly #tally = new Tally();
  /** Counts what contacts show of the opt-out, until it is known what is usual. */
  #survey: OptOutSurvey | undefined;
  /** How many contacts the run may still create and change. */
  #budget: number;
  /** Unix seconds of the newest subscription; null before the first. */
  #newest: number | null = null;

  constructor(options: ReconcilerOptions) {
    const { mapping, state, scope = 'everything', mayBeLate = true } = options;
    this.#options = options;
    const log = new FindingLog(state.reported, (text) => stateFingerprint(mapping, text).toString(36));
    const isOfAll = scope === 'everything';
    this.#run = { mapping, state, log, unclear: new UnclearWords(), isOfAll, mayBeLate };
    const { optOut } = mapping;
    if (optOut && state.optOut?.field === optOut.contact) this.#setOrdinary(optOut.ordinary ?? state.optOut.ordinary);
    else if (optOut?.ordinary === null) this.#survey = new OptOutSurvey();
    this.#budget = mapping.mostWrites;
    this.#isComplete = isOfAll;
    this.#handOver = new HandOver(this.#run);
    this.#contacts = new ContactIndex(this.#run, (token) => this.#handOver.see(token));
    this.#draft = new DraftPlan(this.#run, this.#contacts, this.#handOver);
  }

  /**
   * Adds a contact: a record in which the mapping's paths name the fields. All contacts come before subscriptions.
   *
   * @returns its addresses; none where the contact is left alone
   */
  addContact(record: unknown): readonly string[] {
    return this.#contacts.add(record);
  }

  addSubscriptions(page: Iterable<SyncSubscription>): void {
    this.#contacts.joinMerged();
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
      this.#run.log.report('subscription_unreadable', { ...(typeof id === 'string' && { subscriptionId: id }) });
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
    // They deliver every field.
    this.#contacts.missingFields.clear();
    this.#tally.contacts += pairs;
    this.#tally.subscriptions += pairs;
    this.#tally.pairs += pairs;
    this.#newest = Math.max(this.#newest ?? newest, newest);
  }

  /**
   * Plans a batch: what came in since the last one. Records that belong to no batch come in before the first, by
   * {@link leaveOut}. `finish` then returns counts, state and whether the plan is held back, of all batches.
   */
  takeBatch(): PlannedBatch {
    return inOnePart(this.#planBatch());
  }

  /** Whether batches come in by {@link Reconciler.survey} first: what contacts usually show is not known yet. */
  get needsSurvey(): boolean {
    return this.#survey !== undefined;
  }

  /** Reads a batch to learn what contacts usually show of the opt-out: all, before the first is planned. */
  survey(contacts: Iterable<unknown>, subscriptions: Iterable<SyncSubscription>): void {
    const index = new ContactIndex({ ...this.#run, log: new FindingLog([], String) }, () => undefined);
    for (const contact of contacts) index.add(contact);
    for (const one of subscriptions) if (isTokenId(one.id)) index.addTo(this.#survey, one, addressKey(one.email));
  }

  /** Takes what the survey has found as known. */
  endSurvey(): void {
    if (this.#survey) this.#setOrdinary(this.#survey.ordinary(this.#run.isOfAll));
    this.#survey = undefined;
  }

  #setOrdinary(ordinary: UsualOptOut['ordinary']): void {
    const { optOut } = this.#run.mapping;
    if (optOut) this.#run.mapping = { ...this.#run.mapping, optOut: { ...optOut, ordinary } };
  }

  /** The plan, once both sides were read to their end. */
  finish(): SyncPlan {
    return inOnePart(this.finishInParts());
  }

  /** The same in parts of some milliseconds each, so that a host that serves others can do so in between. */
  *finishInParts(): Generator<undefined, SyncPlan, undefined> {
    return this.#toPlan(yield* this.#planBatch());
  }

  *#planBatch(): Generator<undefined, PlannedBatch, undefined> {
    // A batch may have no subscription.
    this.#contacts.joinMerged();
    this.endSurvey();
    const matching = this.#planUnplain();
    if (this.#isComplete) yield* this.#planUnmatched(matching);
    this.#collectPairs();
    const { now, waiting, used } = withinBudget(this.#draft.take(), this.#budget);
    this.#budget -= used;
    const urgent = this.#urgent();
    const always = urgentOf(urgent, { unsubscribes: Infinity, limit: this.#run.mapping.breaker.atLeast });
    this.#handOver.settle(now, waiting, always);
    const batch = { ...now, waiting, urgent, findings: this.#run.log.take() };
    this.#tally.add(batch, this.#contacts.size);
    this.#contacts.clear();
    this.#unplain.clear();
    this.#withoutContact.clear();
    this.#pairs = [];
    this.#unclear.clear();
    return batch;
  }

  #addSubscription(subscription: SyncSubscription): void {
    const { id } = subscription;
    const key = addressKey(subscription.email);
    const row = this.#contacts.plainContactOf(subscription, key);
    // Pages can repeat a subscription while others are added and removed.
    const isRepeated = this.#unplain.has(id) || (row ? this.#contacts.isMatched(row) : this.#withoutContact.has(id));
    if (isRepeated) return;
    const isLinked = row !== undefined && this.#contacts.isLinked(row);
    const isAtRest = isLinked && this.#contacts.isAtRest(row, subscription, key);
    // Nobody who gets mails is at rest with an opt-out.
    if (!isAtRest) this.#contacts.addTo(this.#survey, subscription, key);
    else if (getsMail(subscription.status)) this.#survey?.add(null);
    // What is usual decides about what is not yet known to be, once all are known.
    if (row === undefined || (this.#survey && !isAtRest && this.#contacts.unusualOptOuts([row]).length > 0))
      return void this.#unplain.set(id, subscription);
    this.#countSubscription(subscription);
    if (row === 0) return void this.#withoutContact.set(id, subscription);
    this.#contacts.setMatched([row]);
    if (!isAtRest) return this.#addPair(subscription, [{ row, base: this.#contacts.baseAt(row) }]);
    this.#tally.pairs += 1;
    this.#options.onAtRest?.(this.#contacts.contactAt(row).id);
  }

  #countSubscription({ created }: SyncSubscription): void {
    this.#tally.subscriptions += 1;
    this.#newest = Math.max(this.#newest ?? created, created);
  }

  #addPair(subscription: SyncSubscription, members: readonly Member[]): void {
    this.#tally.pairs += 1;
    const [first] = members;
    const oldest = members.length === 1 ? first?.row : oldestTwin(members, this.#contacts, this.#run.mapping);
    const plans = this.#plansOf(subscription, members, oldest);
    if (plans.some((plan) => plan.findings.length > 0 || plan.contactWrite))
      this.#pairs.push({ subscription, members, plans });
    else if (members.length === 1 && first) this.#options.onAtRest?.(this.#contacts.contactAt(first.row).id);
    if (members.length === 1) return;
    for (const { row } of members) {
      const code = oldest === undefined ? 'ambiguous' : row === oldest ? null : 'twin';
      if (code) this.#run.log.report(code, this.#contextOf(row, subscription));
    }
  }

  #contextOf(row: number, { id }: Pick<SyncSubscription, 'id'>): FindingContext {
    return { row, contactId: this.#contacts.contactAt(row).id, subscriptionId: id };
  }

  /** @param oldest - the row whose values count; undefined where those of all wait */
  #plansOf(subscription: SyncSubscription, members: readonly Member[], oldest: number | undefined): PairPlan[] {
    const [first] = members;
    if (first && members.length === 1) return [this.#planMember(subscription, first, {})];
    const { optOut } = this.#run.mapping;
    const optedOut = members.filter(({ row }) => isOptedOut(this.#contacts.contactAt(row).optOut, optOut) === true);
    return members.map((member) =>
      this.#planMember(subscription, member, {
        valuesWait: member.row !== oldest,
        optOutElsewhere: optedOut.some((other) => other !== member),
      }),
    );
  }

  #planMember(subscription: SyncSubscription, member: Member, options: PairOptions): PairPlan {
    const { row, isCopied, isFurther, also } = member;
    const contacts = this.#contacts;
    const base = member.base && isCopied && !options.valuesWait ? { ...member.base, fields: [] } : member.base;
    const contact = contacts.contactAt(row);
    const pair = { subscription, contact, base };
    const open = this.#handOver.of(contact);
    const all = {
      ...options,
      addsContactId: this.#run.isOfAll,
      isFurther,
      also,
      knowsOptOut: open?.knowsOptOut,
      consentAlone: open?.isLate,
      key: this.#handOver.keyOf(contact),
      needsToken: !contacts.isLinked(row) && this.#draft.isAsked(contact),
    };
    const plan = planPair(pair, this.#run.mapping, all);
    if (open && !plan.contactWrite && plan.base.optOut) this.#handOver.noteOptOut(all.key);
    return plan;
  }

  /** Plans the subscriptions whose contact is not plain, once all are known. */
  #planUnplain(): Matching {
    const matching = new Matching(this.#unplain.values(), this.#contacts, this.#run.mapping, this.#isComplete);
    for (const { subscription, members, others, isClaimed } of matching.matches()) {
      this.#countSubscription(subscription);
      for (const other of others) this.#reportOther(subscription, other, members.length === 0);
      if (members.length > 0) this.#addPair(subscription, members);
      else if (others.length === 0 && !isClaimed) this.#withoutContact.set(subscription.id, subscription);
      else if (others.length === 0) this.#draft.leaveWithoutContact(subscription);
      else if (others.some(({ way }) => way === 'stale')) this.#handOver.keep(subscription.id);
    }
    return matching;
  }

  /** Reports a contact that has a subscription's address and does not belong to it. */
  #reportOther(subscription: SyncSubscription, { row, way }: Match['others'][number], isAlone: boolean): void {
    const { contact, base } = this.#contacts.at(row);
    const acts = way === 'further' && base?.optOut !== true;
    const context = this.#contextOf(row, subscription);
    if (!acts && !hasLeft(subscription.status) && isOptedOut(contact.optOut, this.#run.mapping.optOut) === true)
      this.#run.log.report('active_while_opted_out', context);
    if (way === 'further' && isAlone) this.#run.log.report('further_address', context);
  }

  *#planUnmatched(matching: Matching): Generator<undefined, void, undefined> {
    for (let row = 1; row <= this.#contacts.size; row += 1) {
      if (!this.#contacts.isMatched(row)) this.#planContact(row, matching);
      if (row % partSize === 0) yield;
    }
    let planned = 0;
    for (const subscription of this.#withoutContact.values()) {
      this.#draft.planSubscription(subscription);
      if ((planned += 1) % partSize === 0) yield;
    }
  }

  #planContact(row: number, matching: Matching): void {
    const { whose, base } = matching.decide(row);
    if (whose !== 'nobody' || !base) this.#draft.planContact(row);
    else this.#run.log.report('token_of_another', this.#contextOf(row, { id: base.subscriptionId }));
  }

  /** Adds the pairs to the plan, with their findings and the addresses of erased persons. */
  #collectPairs(): void {
    for (const pair of this.#pairs) {
      const { subscription, members, plans } = pair;
      const shown = this.#contacts.unusualOptOuts(members.map(({ row }) => row));
      if (this.#run.unclear.addPair(subscription, plans, shown, this.#run)) this.#unclear.add(pair);
      for (const [index, { findings }] of plans.entries()) {
        const row = members[index]?.row ?? 0;
        if (findings.some(({ code }) => code === 'erased')) this.#draft.addErased(this.#contacts.contactAt(row));
        this.#run.log.add(findings);
      }
      this.#tally.moved += members.filter(({ isMoved }) => isMoved).length;
      const wasRefused = members.some(({ row }) => this.#handOver.of(this.#contacts.contactAt(row)));
      if (plans.some(({ contactWrite }) => contactWrite))
        this.#draft.changed.push(joinPlans(subscription, plans, wasRefused));
    }
  }

  #toPlan({ waiting, urgent, findings, ...now }: PlannedBatch): SyncPlan {
    const { withoutContact, unknownContacts, entries } = this.#draft;
    const { unclear, state, mapping } = this.#run;
    const limit = limitOf(mapping, this.#tally.pairs);
    const { fields, ...facts } = this.#fieldFacts();
    this.#handOver.reportOutage();
    const last = this.#run.log.take();
    this.#tally.addFindings(last);
    const counts = this.#tally.total({ withoutContact, unknownContacts, limit });
    const contactsBefore = this.#isComplete ? state.contacts : null;
    const held = this.#options.accept
      ? null
      : holdBack(mapping, counts, { ...facts, unclear, contactsBefore, entries });
    const answers = unclear.answers(this.#run, this.#options);
    const next = held
      ? { updates: this.#handOver.updatesOfPart(true) }
      : { ...answers, ...(this.#isComplete ? this.#ofAll(fields) : this.#ofPart(fields)) };
    return {
      ...(held ? { pairs: urgentOf(urgent, counts), contactCreates: [], subscriptionCreates: [] } : now),
      whole: {
        pairs: [...now.pairs, ...waiting.pairs],
        contactCreates: [...now.contactCreates, ...waiting.contactCreates],
        subscriptionCreates: now.subscriptionCreates,
      },
      findings: [...findings, ...last],
      held,
      mapping,
      counts,
      state: { ...state, ...next, reported: this.#run.log.reported.slice(0, maxEntries) },
    };
  }

  /** Opt-outs and unsubscribes, which are carried out even where the plan is held back: nobody who said no waits. */
  #urgent(): PlannedPair[] {
    return this.#pairs.flatMap((pair) =>
      pair.plans.some(isUrgent) && !this.#unclear.has(pair)
        ? [joinPlans(pair.subscription, pair.plans.filter(isUrgent))]
        : [],
    );
  }

  /** The changed state after a run over all records. */
  #ofAll(fields: Pick<SyncState, 'seen' | 'accepted'>): Partial<SyncState> {
    const creates = this.#handOver.nextCreates(this.#newest, this.#options.now);
    return { ...fields, ...this.#handOver.next(), ...creates, ...this.#draft.next(), contacts: this.#tally.contacts };
  }

  /** The changed state after a run over some records. */
  #ofPart({ seen, accepted }: Pick<SyncState, 'seen' | 'accepted'>): Partial<SyncState> {
    const erased = [...this.#draft.erased];
    return this.#run.isOfAll
      ? { ...this.#handOver.next(), seen, accepted, erased }
      : { updates: this.#handOver.updatesOfPart(false), seen, erased };
  }

  /**
   * Reports the fields that no record has, and of a run with some contacts those that were never seen. They hold the
   * plan until a person accepts it, and of some contacts only where it is id or address. The first runs write the first
   * tokens.
   */
  #fieldFacts() {
    const { vanished, paths } = this.#run.mapping;
    const { missingFields, fieldNames } = this.#contacts;
    const isAccepted = (path: string): boolean => this.#run.state.accepted.includes(path);
    const isSeen = (path: string): boolean => !missingFields.has(path) || this.#run.state.seen.includes(path);
    const absent = [...missingFields].filter((path) =>
      path === paths.token ? this.#run.isOfAll && isSeen(path) : this.#run.isOfAll || !isSeen(path),
    );
    const missing = [...new Set([...vanished, ...(this.#tally.contacts === 0 ? [] : absent)])];
    for (const field of missing) this.#run.log.report('field_missing', { field });
    return {
      missing: missing.filter(
        (path) => path === paths.id || path === paths.email || (this.#run.isOfAll && !isAccepted(path)),
      ),
      fieldNames: [...fieldNames],
      fields: {
        seen: this.#contacts.paths.filter(isSeen),
        accepted: missing.filter((path) => this.#options.accept === true || isAccepted(path)),
      },
    };
  }
}

function inOnePart<Result>(parts: Generator<undefined, Result, undefined>): Result {
  for (;;) {
    const part = parts.next();
    if (part.done) return part.value;
  }
}
