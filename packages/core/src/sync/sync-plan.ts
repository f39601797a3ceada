/** Types of a plan: everything a run of the sync would do. */
import type { Finding } from './findings.ts';
import type { ConsentRecord } from './plan-consent.ts';
import type { CustomFieldWrite } from './plan-field.ts';
import type { Situation, SubscriptionWrite, ContactWrite } from './plan-pair.ts';
import type { SyncState } from './state.ts';

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

/** Everything a run would do. */
export interface SyncPlan {
  readonly pairs: readonly PlannedPair[];
  readonly contactCreates: readonly ContactCreate[];
  readonly subscriptionCreates: readonly SubscriptionCreate[];
  readonly findings: readonly Finding[];
  /** Not null: only opt-outs towards the CRM are in the plan until a person accepts all of it. */
  readonly held: Held | null;
  /** What the whole plan would do, also where it is held back. */
  readonly counts: SyncCounts;
  /** The state to store once the plan was carried out. */
  readonly state: SyncState;
}
