/** The plan of a sync: everything a run would do. Types alone. */
import type { SyncState } from '../mapping/state.ts';
import type { ReadyMapping } from '../mapping/prepare-mapping.ts';
import type { Base, Side } from '../mapping/token.ts';
import type { FieldChange, WithoutContact } from './changes.ts';
import type { Finding, HeldReason } from './findings.ts';

/** A value of a custom field to set, or to delete. */
export interface CustomFieldWrite {
  readonly name: string;
  readonly value?: string | number | boolean | string[];
  readonly delete?: true;
}

/** A change of one subscription: an item of the API's bulk update. It never activates anybody. */
export interface SubscriptionWrite {
  readonly subscription_id: string;
  readonly unsubscribe?: true;
  readonly custom_fields?: CustomFieldWrite[];
}

/** A change of one contact. */
export interface ContactWrite {
  readonly id: string;
  /** Values by the paths of the contact's fields, the opt-out and the address among them; the token is not. */
  readonly changes: Readonly<Record<string, unknown>>;
  /** Belongs into the contact's token field, in the same write as the changes. */
  readonly token: string;
  /** Stands for the contact in the state of a sync. */
  readonly key?: string | undefined;
  /** Whether the token knows of an opt-out, set by this write or seen before. */
  readonly knowsOptOut: boolean;
}

/**
 * An audit record of an opt-out or unsubscribe that the sync read or copied. Holds no address. Only the run that writes
 * it into the contact's token makes it.
 */
export interface ConsentRecord {
  /** The side on which the person opted out or unsubscribed. */
  readonly saidBy: Side;
  readonly subscriptionId: string;
  /** Null for a contact that is missing or to be created. */
  readonly contactId: string | null;
  /** The field that shows it: `status`, or the contact's opt-out. */
  readonly field: string;
  /** What was written where: the opt-out of the contact, its copy of the status, the subscription's, or null. */
  readonly written: { readonly side: Side; readonly field: string; readonly value: true | 'inactive' } | null;
}

/** The plan for one pair. */
export interface PairPlan {
  /** Those of other subscriptions that have an address of the contact as well: unsubscribes. */
  readonly subscriptionWrites: readonly SubscriptionWrite[];
  /** Null also where only the token would change and no later run needs it. */
  readonly contactWrite: ContactWrite | null;
  /** The new base of the pair; the contact write's token holds it. */
  readonly base: Base;
  readonly findings: readonly Finding[];
  readonly consent: readonly ConsentRecord[];
  readonly changes: readonly FieldChange[];
}

/** A change of the CRM. */
interface HandedOver {
  /** Whether the CRM refused it in an earlier run: such changes come last. */
  readonly wasRefused?: boolean | undefined;
}

/** A pair with changes. */
export interface PlannedPair extends HandedOver {
  /** The person's address. */
  readonly email: string;
  readonly subscriptionId: string;
  /** Unix seconds of the subscription; 0 where it no longer exists. */
  readonly created: number;
  /** The contact that is written; null without one, and for several. */
  readonly contactId: string | null;
  /** The changed fields of both sides, for a person. */
  readonly changes: readonly FieldChange[];
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
  readonly contactId: string;
  /** Stands for the person in the state, which remembers whom the newsletter was asked to subscribe. */
  readonly key: string;
  readonly request: {
    readonly email: string;
    readonly reactivate_existing: false;
    readonly double_opt_override?: 'on';
    readonly custom_fields?: CustomFieldWrite[];
  };
}

/** A contact to create for a subscription that has none. */
export interface ContactCreate extends HandedOver {
  readonly subscriptionId: string;
  readonly email: string;
  /** Unix seconds of the subscription. */
  readonly created: number;
  /** Values by the paths of the contact's fields, with address and token. */
  readonly changes: Readonly<Record<string, unknown>>;
  /** The unsubscribe that the contact is created with. */
  readonly consent: readonly ConsentRecord[];
}

/** Why a plan is held back. */
export interface Held {
  readonly reasons: readonly HeldReason[];
  /** What was found, for each reason. */
  readonly message: string;
  /** What to look at before the plan is accepted. */
  readonly remedy: string;
}

/** How often values of a field are replaced by others. */
export interface Overwrites {
  readonly side: Side;
  /** The path of the contact's field, or the newsletter's name of the field. */
  readonly field: string;
  readonly count: number;
}

/** Counts of a run: records read and changes planned. */
export interface SyncCounts {
  readonly contacts: number;
  readonly subscriptions: number;
  readonly pairs: number;
  readonly contactCreates: number;
  readonly contactUpdates: number;
  readonly subscriptionCreates: number;
  /** Creations that ask the person by mail to confirm. */
  readonly confirmations: number;
  readonly subscriptionUpdates: number;
  readonly unsubscribes: number;
  /** Pairs in which a field that had a value gets none. */
  readonly clears: number;
  readonly removals: number;
  /** Contacts that belong to another subscription than before: they were given its address. */
  readonly moved: number;
  /** Contacts whose opt-out is set. */
  readonly optOuts: number;
  /** Values that are replaced by others, by field and side; most first. */
  readonly overwrites: readonly Overwrites[];
  /** Values that were changed on both sides, where one side wins. */
  readonly conflicts: number;
  /** Contacts that wait for a later run, because a run writes at most so many. */
  readonly waiting: number;
  /** Subscriptions that have no contact and get none, by the reason. */
  readonly withoutContact: Readonly<Record<WithoutContact, number>>;
  /** Contacts without a subscription that are left alone. */
  readonly unknownContacts: number;
  /** The most contacts of one person that are written. */
  readonly contactsOfOne: number;
  /**
   * How many unsubscribes, cleared values, removals and moved contacts pass without a person, overwritten values of a
   * field, people asked to subscribe, and contacts of one person.
   */
  readonly limit: number;
  readonly findings: number;
  readonly newFindings: number;
}

/** The changes of a run. */
export interface PlannedWrites {
  readonly pairs: readonly PlannedPair[];
  readonly contactCreates: readonly ContactCreate[];
  readonly subscriptionCreates: readonly SubscriptionCreate[];
}

/** Changes and findings: of a whole run, or of a part of one. */
export interface PlannedPart extends PlannedWrites {
  readonly findings: readonly Finding[];
}

/** What a run would do about a part of the records. */
export interface PlannedBatch extends PlannedPart {
  /** Changes that wait for a later run. */
  readonly waiting: PlannedWrites;
  /** Opt-outs and unsubscribes: what {@link urgentOf} carries out of it where the plan is held back. */
  readonly urgent: readonly PlannedPair[];
}

/** What a run carries out, and everything that it would do. */
export interface SyncPlan extends PlannedPart {
  /** The whole plan, also where it is held back: {@link changesOf} lists it. */
  readonly whole: PlannedWrites;
  /** Not null: only opt-outs, and unsubscribes within the limit, are carried out until a person accepts all of it. */
  readonly held: Held | null;
  /** The mapping with which it was planned. */
  readonly mapping: ReadyMapping;
  /** What the whole plan would do, also where it is held back. */
  readonly counts: SyncCounts;
  /** The state to store once the plan was carried out. */
  readonly state: SyncState;
}
