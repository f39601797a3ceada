/** The plan of a sync: everything a run would do. */
import { isUrgent, type FieldChange, type WithoutContact } from './changes.ts';
import type { Finding, Side } from './findings.ts';
import type { Member } from './matching.ts';
import type { CustomFieldWrite } from './plan-fields.ts';
import { subscriptionWriteOf, type PairPlan, type Situation } from './plan-pair.ts';
import type { SubscriptionWrite, ContactWrite } from './plan-pair.ts';
import type { SyncSubscription } from './prepare-mapping.ts';
import type { SyncState } from './state.ts';
import type { ConsentRecord } from './plan-consent.ts';

/** A subscription with its contacts, and the plan for each contact. */
export interface PairPlans {
  readonly subscription: SyncSubscription;
  readonly members: readonly Member[];
  readonly plans: readonly PairPlan[];
}

/** Joins the plans for all contacts of one subscription. Only one of them has values; each may unsubscribe. */
export function joinPlans(
  { id, email, created }: SyncSubscription,
  plans: readonly PairPlan[],
  wasRefused = false,
): PlannedPair {
  const writes = plans.flatMap(({ subscriptionWrite }) => subscriptionWrite ?? []);
  const own = subscriptionWriteOf(
    id,
    writes.some(({ unsubscribe }) => unsubscribe),
    writes.flatMap(({ custom_fields }) => custom_fields ?? []),
  );
  const contactWrites = plans.flatMap(({ contactWrite }) => contactWrite ?? []);
  return {
    situation: plans[0]?.situation ?? 'linked',
    ...(wasRefused && { wasRefused }),
    email,
    created,
    subscriptionId: id,
    contactId: (contactWrites.length === 1 && contactWrites[0]?.id) || null,
    changes: plans.flatMap(({ changes }) => changes),
    subscriptionWrites: [...(own ? [own] : []), ...plans.flatMap(({ furtherWrites }) => furtherWrites)],
    contactWrites,
    consent: plans.flatMap(({ consent }) => consent),
  };
}

/** A change of the CRM. */
interface HandedOver {
  /** Whether the CRM refused it in an earlier run: such changes come last. */
  readonly wasRefused?: boolean | undefined;
}

/** A pair with changes. */
export interface PlannedPair extends HandedOver {
  readonly situation: Situation;
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
  readonly situation: 'unknown_contact';
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
  readonly situation: 'new_subscription' | 'contact_missing';
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
}

export type HeldReason =
  | 'too_many_changes'
  | 'too_many_overwrites'
  | 'too_many_creations'
  | 'too_many_contacts'
  | 'contacts_missing'
  | 'field_missing'
  | 'opt_out_unclear'
  | 'status_unknown'
  | 'state_full';

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
   * How many unsubscribes, cleared values and removals pass without a person, overwritten values of a field, people
   * asked to subscribe, and contacts of one person.
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
  /** What the whole plan would do, also where it is held back. */
  readonly counts: SyncCounts;
  /** The state to store once the plan was carried out. */
  readonly state: SyncState;
}

/**
 * The oldest changes that a run may hand over, and those that wait. Opt-outs and unsubscribes never wait; what the CRM
 * refused before comes last, so that it holds up nothing else.
 *
 * @param mostWrites - contacts to create and to change, beside those
 */
export function withinBudget(
  whole: PlannedWrites,
  mostWrites: number,
): { readonly now: PlannedWrites; readonly waiting: PlannedWrites; readonly used: number } {
  const queue = [
    ...whole.pairs.filter((pair) => !isUrgent(pair) && pair.contactWrites.length > 0),
    ...whole.contactCreates,
  ].toSorted((a, b) => refusedLast(a, b) || a.created - b.created || (a.subscriptionId < b.subscriptionId ? -1 : 1));
  const waits = new Set<PlannedPair | ContactCreate>(queue.slice(Math.max(0, mostWrites)));
  const part = (isWaiting: boolean): PlannedWrites => ({
    pairs: whole.pairs.filter((pair) => waits.has(pair) === isWaiting).toSorted(refusedLast),
    contactCreates: whole.contactCreates.filter((create) => waits.has(create) === isWaiting).toSorted(refusedLast),
    subscriptionCreates: isWaiting ? [] : whole.subscriptionCreates,
  });
  return { now: part(false), waiting: part(true), used: queue.length - waits.size };
}

const refusedLast = (a: HandedOver, b: HandedOver): number => Number(a.wasRefused ?? 0) - Number(b.wasRefused ?? 0);

/**
 * What is carried out of a plan that is held back: unsubscribes only where they are within the limit, and the contacts
 * of a person as well.
 */
export function urgentOf<Pair extends PlannedPair>(
  urgent: readonly Pair[],
  { unsubscribes, limit }: Pick<SyncCounts, 'unsubscribes' | 'limit'>,
): readonly Pair[] {
  return urgent.flatMap((pair) => {
    const { subscriptionWrites, contactWrites } = pair;
    if (unsubscribes > limit && subscriptionWrites.some(({ unsubscribe }) => unsubscribe)) return [];
    if (contactWrites.length <= Math.max(1, limit)) return [pair];
    return subscriptionWrites.length > 0 ? [{ ...pair, contactWrites: [], consent: [] }] : [];
  });
}
