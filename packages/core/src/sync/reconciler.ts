/**
 * Reconciles contacts with subscriptions: reads both sides, matches them into pairs, and plans every change. The
 * circuit breaker holds back a plan that changes too much until a person accepts it. Pure.
 */
import { ContactIndex } from './contact-index.ts';
import {
  countPlan,
  hasWrites,
  joinPlans,
  nextState,
  startDraft,
  type DraftPlan,
  type SyncRun,
  type PlannedPair,
  type SyncPlan,
  type Held,
  type SyncCounts,
} from './plan.ts';
import { createFindingLog } from './findings.ts';
import { planPair, type PairPlan } from './plan-pair.ts';
import { planContactAlone, planMoves, planSubscriptionAlone } from './plan-unmatched.ts';
import { addressFingerprint, type ReadyMapping, type SyncSubscription } from './prepare-mapping.ts';
import { maxEntries, type SyncState } from './state.ts';
import { isTokenId } from './token.ts';
import { yesNo } from './canonical-value.ts';
import { isRecord } from '../is-record.ts';

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
}

/** Takes contacts first, then pages of subscriptions, and returns a plan. */
export interface Reconciler {
  /**
   * Adds a contact: a record in which the mapping's paths name the fields. All contacts come before subscriptions.
   *
   * @returns its address; undefined where the contact is left alone
   */
  addContact(record: unknown): string | undefined;
  addSubscriptions(page: Iterable<SyncSubscription>): void;
  /** Adds records of the newsletter that cannot be used: they and the contacts they may be of are left alone. */
  leaveOut(records: readonly unknown[]): void;
  /** The plan, once both sides were read to their end. */
  finish(): SyncPlan;
  /** The same in parts of some milliseconds each, so that a host that serves others can do so in between. */
  finishInParts(): Generator<undefined, SyncPlan, undefined>;
}

/** Contacts or subscriptions of one part of {@link Reconciler.finishInParts}. */
const partSize = 2000;

/**
 * Creates a reconciler for one run. It keeps an index of the contacts, and of the pairs only those with a change or a
 * finding. The order in which contacts and pages come in does not change the plan.
 */
export function createReconciler(options: ReconcilerOptions): Reconciler {
  const { mapping, state, now, scope = 'everything', accept = false } = options;
  const log = createFindingLog(state.reported, (text) => addressFingerprint(mapping, text).toString(36));
  const run: SyncRun = {
    mapping,
    state,
    isComplete: scope === 'everything',
    contacts: new ContactIndex(mapping, log),
    log,
    withoutContact: new Map(),
    pairs: [],
    pairCount: 0,
    subscriptionCount: 0,
    newest: null,
  };

  function* finishInParts(): Generator<undefined, SyncPlan, undefined> {
    const draft = startDraft(state);
    planMoves(run, draft);
    if (run.isComplete) yield* planUnmatched(run, draft);
    collectPairs(run, draft);
    return finishPlan(run, draft, { now, accept });
  }

  return {
    addContact: (record) => run.contacts.add(record),
    addSubscriptions(page) {
      for (const subscription of page) {
        if (isTokenId(subscription.id)) addSubscription(run, subscription);
        else leaveOut(run, subscription);
      }
    },
    leaveOut(records) {
      for (const record of records) leaveOut(run, record);
    },
    finish() {
      const parts = finishInParts();
      for (;;) {
        const part = parts.next();
        if (part.done) return part.value;
      }
    },
    finishInParts,
  };
}

function addSubscription(run: SyncRun, subscription: SyncSubscription): void {
  const { contacts, withoutContact } = run;
  const { id, created } = subscription;
  const { rows, linked } = contacts.contactsOf(subscription);
  const [first] = rows;
  // Pages can repeat a subscription while others are added and removed.
  if (first === undefined ? withoutContact.has(id) : contacts.isMatched(first)) return;
  run.subscriptionCount += 1;
  run.newest = Math.max(run.newest ?? created, created);
  if (first === undefined) {
    withoutContact.set(id, subscription);
    return;
  }
  contacts.setMatched(rows);
  planContacts(run, subscription, rows, linked);
}

/** Leaves the contacts of a record alone; where it does not say whose it is, all contacts without a subscription. */
function leaveOut(run: SyncRun, record: unknown): void {
  const { id, email } = isRecord(record) ? record : {};
  const { contacts, log } = run;
  if (typeof id === 'string' && isTokenId(id) && typeof email === 'string')
    contacts.setMatched([...contacts.linkedTo(id), ...contacts.withAddress(email)]);
  else run.isComplete = false;
  log.report('subscription_unreadable', { ...(typeof id === 'string' && { subscriptionId: id }) });
}

function planContacts(
  run: SyncRun,
  subscription: SyncSubscription,
  rows: readonly number[],
  linked: readonly number[],
): void {
  run.pairCount += 1;
  const plans = plansOf(run, subscription, rows, linked, false);
  if (rows.length > 1) {
    for (const row of rows)
      run.log.report('ambiguous', {
        row,
        contactId: run.contacts.contactAt(row).id,
        subscriptionId: subscription.id,
      });
  }
  if (plans.some((plan) => plan.findings.length > 0 || hasWrites(plan))) run.pairs.push({ subscription, rows, plans });
}

/** @param valuesWait - plans consent alone */
function plansOf(
  { mapping, contacts }: SyncRun,
  subscription: SyncSubscription,
  rows: readonly number[],
  linked: readonly number[],
  valuesWait: boolean,
): PairPlan[] {
  const [row] = rows;
  if (rows.length === 1 && row !== undefined) {
    // The token was checked when the contact came in, and names this subscription.
    const base = linked[0] === row ? contacts.baseFor(row, subscription.id) : undefined;
    return [planPair(subscription, contacts.contactAt(row), base, mapping, { valuesWait })];
  }
  const ambiguous = rows.map((each) => ({ row: each, ...contacts.at(each) }));
  const optedOut = ambiguous.filter(({ contact }) => yesNo(contact.optOut) === true);
  const chosen = mapping.situations.ambiguous === 'use_linked' && linked.length === 1 ? linked[0] : undefined;
  return ambiguous.map((each) =>
    planPair(subscription, each.contact, each.base, mapping, {
      situation: 'ambiguous',
      valuesWait: valuesWait || each.row !== chosen,
      optOutElsewhere: optedOut.some((other) => other.row !== each.row),
    }),
  );
}

function* planUnmatched(run: SyncRun, draft: DraftPlan): Generator<undefined, void, undefined> {
  const { contacts, withoutContact } = run;
  for (let row = 1; row <= contacts.size; row += 1) {
    if (!contacts.isMatched(row)) planContactAlone(run, draft, row);
    if (row % partSize === 0) yield;
  }
  let planned = 0;
  for (const subscription of withoutContact.values()) {
    planSubscriptionAlone(run, draft, subscription);
    if ((planned += 1) % partSize === 0) yield;
  }
}

/** Adds the pairs to the plan, with their findings and the addresses of erased persons. */
function collectPairs({ pairs, contacts, log }: SyncRun, draft: DraftPlan): void {
  for (const { rows, plans } of pairs) {
    for (const [index, { situation, findings }] of plans.entries()) {
      log.add(findings);
      const row = rows[index];
      if (situation === 'erased' && row !== undefined) draft.erased.add(log.fingerprint(contacts.contactAt(row).email));
    }
    if (plans.some(hasWrites)) draft.changed.push(joinPlans(plans));
  }
}

function finishPlan(
  run: SyncRun,
  draft: DraftPlan,
  { now, accept }: { readonly now: number; readonly accept: boolean },
): SyncPlan {
  const { log, state } = run;
  const counts = countPlan(run, draft);
  const held = accept ? null : holdBack(run, draft, counts);
  const reported = log.reported().slice(0, maxEntries);
  const { changed, contactCreates, subscriptionCreates } = draft;
  if (held)
    return {
      pairs: optOutsOnly(run),
      contactCreates: [],
      subscriptionCreates: [],
      findings: log.findings,
      held,
      counts,
      state: { ...state, reported },
    };
  return {
    pairs: changed,
    contactCreates,
    subscriptionCreates,
    findings: log.findings,
    held,
    counts,
    state: nextState(run, draft, now, reported),
  };
}

/** The part of a plan that is carried out even where the plan is held back: opt-outs reach the CRM. */
function optOutsOnly(run: SyncRun): PlannedPair[] {
  const { optOut } = run.mapping;
  if (!optOut) return [];
  return run.pairs.flatMap(({ subscription, rows, plans }) => {
    const setsOptOut = ({ contactWrite }: PairPlan): boolean => contactWrite?.changes[optOut.contact] === true;
    if (!plans.some(setsOptOut) || plans.some(({ subscriptionWrite }) => subscriptionWrite?.unsubscribe)) return [];
    const linked = run.contacts.linkedTo(subscription.id);
    return [joinPlans(plansOf(run, subscription, rows, linked, true).filter(setsOptOut))];
  });
}

/** Why a plan is held back; null where it passes. */
export function holdBack(run: SyncRun, draft: DraftPlan, counts: SyncCounts): Held | null {
  return missingFields(run) ?? tooManyChanges(run, counts) ?? tooManyCreations(run, counts) ?? fullState(draft);
}

function missingFields({ mapping, contacts, log }: SyncRun): Held | null {
  const absent = contacts.size > 0 && !mapping.missingIsEmpty ? [...contacts.missingFields] : [];
  const missing = [...new Set([...mapping.vanished, ...absent])];
  for (const field of missing) log.report('field_missing', { field });
  if (missing.length === 0) return null;
  return {
    reason: 'field_missing',
    message: [
      ...mapping.vanished.map((field) => `The publication no longer has the custom field mapped to "${field}".`),
      ...absent.map((field) => `No contact has the mapped field "${field}".`),
    ].join(' '),
  };
}

function tooManyChanges({ mapping: { breaker } }: SyncRun, counts: SyncCounts): Held | null {
  const { pairs, unsubscribes, clears, removals } = counts;
  const limit = Math.max(breaker.atLeast, breaker.share * pairs);
  if (unsubscribes + clears + removals <= limit) return null;
  return {
    reason: 'too_many_changes',
    message: `The plan unsubscribes ${unsubscribes}, clears values of ${clears} and marks ${removals} as removed, of ${pairs} pairs; at most ${Math.floor(limit)} pass without a person who accepts them.`,
  };
}

/** A list of contacts that was cut short makes many creations. An empty CRM is filled without asking. */
function tooManyCreations({ mapping: { breaker } }: SyncRun, { contacts, contactCreates }: SyncCounts): Held | null {
  if (contacts === 0 || contactCreates <= Math.max(breaker.atLeast, contacts)) return null;
  return {
    reason: 'too_many_creations',
    message: `The plan creates ${contactCreates} contacts, and only ${contacts} came in. Check that these are all there are.`,
  };
}

function fullState({ missing, erased, attempts }: DraftPlan): Held | null {
  if ([missing.size, erased.size, Object.keys(attempts).length].every((size) => size <= maxEntries)) return null;
  return {
    reason: 'state_full',
    message: `More than ${maxEntries} contacts or subscriptions are missing at once. Check that both sides were read completely.`,
  };
}
