/** A plan in the making: collects the changes of a run, and the state that the next run starts from. */
import type { ContactIndex } from './contact-index.ts';
import type { FindingLog } from './findings.ts';
import type { PairPlan } from './plan-pair.ts';
import type { ReadyMapping, SyncSubscription } from './prepare-mapping.ts';
import type { SyncState } from './state.ts';
import type { ContactCreate, PlannedPair, SubscriptionCreate, SyncCounts } from './sync-plan.ts';

/** A subscription with its contacts, and the plan for each contact. */
export interface PairPlans {
  readonly subscription: SyncSubscription;
  readonly rows: readonly number[];
  readonly plans: readonly PairPlan[];
}

/** What a run has read and planned so far. */
export interface SyncRun {
  readonly mapping: ReadyMapping;
  readonly state: SyncState;
  /** Whether all contacts and all subscriptions came in, so that a missing one can be noticed. */
  readonly isComplete: boolean;
  readonly contacts: ContactIndex;
  readonly log: FindingLog;
  /** Subscriptions without contact, by their ids. */
  readonly withoutContact: Map<string, SyncSubscription>;
  /** Pairs with a change or a finding. */
  pairs: PairPlans[];
  pairCount: number;
  subscriptionCount: number;
  /** Unix seconds of the newest subscription; null before the first. */
  newest: number | null;
}

/** The changes collected while the plan is finished. */
export interface DraftPlan {
  readonly changed: PlannedPair[];
  readonly contactCreates: ContactCreate[];
  readonly subscriptionCreates: SubscriptionCreate[];
  /** Fingerprints of what this run misses, and of what the run before missed. */
  readonly missing: Set<string>;
  readonly missingBefore: ReadonlySet<string>;
  readonly erased: Set<string>;
  readonly attempts: Record<string, number>;
  /** Unix seconds: creation of the oldest subscription that gets a contact. */
  oldestCreate: number | null;
  removals: number;
}

export function startDraft({ missing, erased }: SyncState): DraftPlan {
  return {
    changed: [],
    contactCreates: [],
    subscriptionCreates: [],
    missing: new Set(),
    missingBefore: new Set(missing),
    erased: new Set(erased),
    attempts: {},
    oldestCreate: null,
    removals: 0,
  };
}

export function hasWrites({ subscriptionWrite, contactWrite }: PairPlan): boolean {
  return subscriptionWrite !== null || contactWrite !== null;
}

/** Joins the plans for all contacts of one subscription. Only one of them has values; each may unsubscribe. */
export function joinPlans(plans: readonly PairPlan[]): PlannedPair {
  const writes = plans.flatMap(({ subscriptionWrite }) => subscriptionWrite ?? []);
  const [first] = writes;
  const fields = writes.flatMap(({ custom_fields }) => custom_fields ?? []);
  return {
    situation: plans[0]?.situation ?? 'linked',
    subscriptionWrites: first
      ? [
          {
            subscription_id: first.subscription_id,
            ...(writes.some(({ unsubscribe }) => unsubscribe) && { unsubscribe: true as const }),
            ...(fields.length > 0 && { custom_fields: fields }),
          },
        ]
      : [],
    contactWrites: plans.flatMap(({ contactWrite }) => contactWrite ?? []),
    consent: plans.flatMap(({ consent }) => consent),
  };
}

/** Counts what the whole plan would do. */
export function countPlan(
  { contacts, log, pairs, pairCount, subscriptionCount }: SyncRun,
  draft: DraftPlan,
): SyncCounts {
  const writes = draft.changed.flatMap(({ subscriptionWrites }) => subscriptionWrites);
  return {
    contacts: contacts.size,
    subscriptions: subscriptionCount,
    pairs: pairCount,
    contactCreates: draft.contactCreates.length,
    contactUpdates: draft.changed.reduce((sum, { contactWrites }) => sum + contactWrites.length, 0),
    subscriptionCreates: draft.subscriptionCreates.length,
    subscriptionUpdates: writes.length,
    unsubscribes: writes.filter(({ unsubscribe }) => unsubscribe).length,
    clears: pairs.reduce((sum, { plans }) => sum + (plans.some(({ clears }) => clears) ? 1 : 0), 0),
    removals: draft.removals,
    findings: log.findings.length,
    newFindings: log.findings.filter(({ isNew }) => isNew).length,
  };
}

/** A subscription that is listed within this many seconds of its creation may not be the last of its second. */
const listingDelay = 60;

/**
 * The state for the next run, with the new watermark: the creation time up to which every subscription has a contact.
 *
 * @param now - milliseconds since the Unix epoch at which the run began to read
 */
export function nextState(
  { state, isComplete, newest }: SyncRun,
  { erased, missing, attempts, oldestCreate }: DraftPlan,
  now: number,
  reported: readonly string[],
): SyncState {
  if (!isComplete) return { ...state, erased: [...erased], reported };
  const seenUntil = newest === null ? state.seenUntil : Math.max(newest, state.seenUntil ?? newest);
  const settled = Math.min(seenUntil ?? 0, Math.floor(now / 1000) - listingDelay);
  return {
    version: 1,
    watermark: oldestCreate === null ? settled : Math.min(settled, oldestCreate - 1),
    seenUntil,
    missing: [...missing],
    erased: [...erased],
    attempts,
    reported,
  };
}
