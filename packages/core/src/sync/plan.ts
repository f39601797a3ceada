/** The plan of a sync: everything a run would do. */
import type { Finding } from './findings.ts';
import type { PairPlan, CustomFieldWrite, Situation, SubscriptionWrite, ContactWrite } from './plan-pair.ts';
import type { SyncSubscription } from './prepare-mapping.ts';
import type { SyncState } from './state.ts';
import type { ConsentRecord } from './plan-consent.ts';

/** A subscription with its contacts, and the plan for each contact. */
export interface PairPlans {
  readonly subscription: SyncSubscription;
  readonly rows: readonly number[];
  /** The rows among them whose token names the subscription. */
  readonly linked: readonly number[];
  readonly plans: readonly PairPlan[];
}

/** Whether a plan changes anything: with every change, the contact gets a new token. */
export function hasWrites({ contactWrite }: PairPlan): boolean {
  return contactWrite !== null;
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

/** A pair with changes. */
export interface PlannedPair {
  readonly situation: Situation;
  /** Changes in the newsletter; they come before the contact's. */
  readonly subscriptionWrites: readonly SubscriptionWrite[];
  /** To be made only once the newsletter has taken every change of the pair; one for each contact. */
  readonly contactWrites: readonly ContactWrite[];
  readonly consent: readonly ConsentRecord[];
}

/**
 * A subscription to create for a contact the newsletter does not know. The request never reactivates a subscription and
 * never skips double opt-in.
 */
export interface SubscriptionCreate {
  readonly situation: 'unknown_contact' | 'address_moved';
  readonly contactId: string;
  readonly request: {
    readonly email: string;
    readonly reactivate_existing: false;
    readonly double_opt_override?: 'on';
    readonly custom_fields?: readonly CustomFieldWrite[];
  };
}

/** A contact to create for a subscription that has none. */
export interface ContactCreate {
  readonly situation: 'new_subscription' | 'contact_missing';
  readonly subscriptionId: string;
  /** Values by the paths of the contact's fields, with address and token. */
  readonly changes: Readonly<Record<string, unknown>>;
  /** The unsubscribe that the contact is created with. */
  readonly consent: readonly ConsentRecord[];
}

/** Why a plan is held back. */
export interface Held {
  readonly reason: 'too_many_changes' | 'too_many_creations' | 'field_missing' | 'state_full';
  readonly message: string;
}

/** Counts of a run: records read and changes planned. */
export interface SyncCounts {
  readonly contacts: number;
  readonly subscriptions: number;
  readonly pairs: number;
  readonly contactCreates: number;
  readonly contactUpdates: number;
  readonly subscriptionCreates: number;
  readonly subscriptionUpdates: number;
  readonly unsubscribes: number;
  /** Pairs in which a field that had a value gets none. */
  readonly clears: number;
  readonly removals: number;
  readonly findings: number;
  readonly newFindings: number;
}

/** Changes and findings: of a whole run, or of a part of one. */
export interface PlannedChanges {
  readonly pairs: readonly PlannedPair[];
  readonly contactCreates: readonly ContactCreate[];
  readonly subscriptionCreates: readonly SubscriptionCreate[];
  readonly findings: readonly Finding[];
}

/** What a run would do about one batch. */
export interface PlannedBatch extends PlannedChanges {
  /** All that is carried out of the batch where the run's plan is held back. */
  readonly whenHeld: readonly PlannedPair[];
}

/** Everything a run would do. */
export interface SyncPlan extends PlannedChanges {
  /** Not null: only opt-outs towards the CRM are in the plan until a person accepts all of it. */
  readonly held: Held | null;
  /** What the whole plan would do, also where it is held back. */
  readonly counts: SyncCounts;
  /** The state to store once the plan was carried out. */
  readonly state: SyncState;
}
