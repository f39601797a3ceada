/**
 * The draft of a plan: collects the changes of a run, decides about contacts without subscription and subscriptions
 * without contact, and makes the requests that create what is missing. Pure.
 */
import { hasLeft, isUnknownStatus } from '../../facts/subscriber-status.ts';
import { yesOrNo } from '../../facts/yes-no.ts';
import { isAddress } from '../../signup/address.ts';
import { valueOf } from '../mapping/canonical-value.ts';
import type { SyncContact } from '../mapping/contact.ts';
import { isOptedOut } from '../mapping/opt-out.ts';
import { isErased, readContact, type ReadyMapping, type SyncSubscription } from '../mapping/prepare-mapping.ts';
import { maxEntries, type SyncState } from '../mapping/state.ts';
import type { Base } from '../mapping/token.ts';
import type { ContactIndex } from '../match/contact-index.ts';
import type { FieldChange, WithoutContact } from '../report/changes.ts';
import type {
  ContactCreate,
  CustomFieldWrite,
  PlannedPair,
  PlannedWrites,
  SubscriptionCreate,
} from '../report/plan.ts';
import type { RunContext } from '../report/run-context.ts';
import type { HandOver } from './hand-over.ts';
import { baseOfNobody, contactCreateOf, contactWriteOf } from './plan-pair.ts';

/** What the contact's status field shows for a subscription that no longer exists. */
const removedStatus = 'removed';

/** The changes of a run, and the decisions about everything that is no pair. */
export class DraftPlan {
  changed: PlannedPair[] = [];
  contactCreates: ContactCreate[] = [];
  subscriptionCreates: SubscriptionCreate[] = [];
  /** Fingerprints of addresses of erased persons. */
  readonly erased: Set<string>;
  /** Subscriptions that get no contact, by the reason. */
  readonly withoutContact: Record<WithoutContact, number> = { erased: 0, deleted: 0, ignored: 0, unknownStatus: 0 };
  /** Contacts without a subscription that are left alone. */
  unknownContacts = 0;
  readonly #run: RunContext;
  readonly #contacts: ContactIndex;
  readonly #handOver: HandOver;
  /** Fingerprints of what this run misses, and of what the run before missed. */
  readonly #missing = new Set<string>();
  readonly #missingBefore: ReadonlySet<string>;
  /** Fingerprints of addresses that were asked to subscribe, and have no linked contact. */
  readonly #asked = new Set<string>();
  readonly #askedBefore: ReadonlySet<string>;

  constructor(run: RunContext, contacts: ContactIndex, handOver: HandOver) {
    this.#run = run;
    this.#contacts = contacts;
    this.#handOver = handOver;
    const { state } = run;
    this.#askedBefore = new Set(state.asked);
    this.erased = new Set(state.erased);
    this.#missingBefore = new Set(state.missing);
  }

  /** Notes that the person of a contact was erased, and is never subscribed again. */
  addErased({ email }: SyncContact): void {
    this.erased.add(this.#run.log.fingerprint(email));
  }

  /** Plans a contact whose subscription did not come in, or that never had one. */
  planContact(row: number): void {
    const { contact, base } = this.#contacts.at(row);
    if (base) return this.#planMissingSubscription(contact, base);
    const before = this.subscriptionCreates.length;
    // Remembered also while nobody would be asked.
    this.isAsked(contact);
    this.#planUnknownContact(row, contact);
    if (this.subscriptionCreates.length === before) this.unknownContacts += 1;
  }

  #planUnknownContact(row: number, contact: SyncContact): void {
    const { subscribe } = this.#run.mapping;
    if (subscribe === 'never' || !isAddress(contact.email)) return;
    // A damaged token shows that there was a subscription once, and another newsletter's has no room for this one: a
    // person decides.
    if (this.#contacts.tokenState(row) !== 'none') return;
    const own = this.#contacts.withAddress(contact.email);
    if (this.#contacts.oldestOf(own) !== row) return;
    if (subscribe === 'on_consent' && yesOrNo(contact.consent) !== true) return;
    const key = this.#run.log.fingerprint(contact.email);
    // A token that was handed over and is not shown says that there was a subscription once.
    if (this.erased.has(key) || this.#handOver.of(contact)) return;
    // Nobody is subscribed where one of the contacts with this address is opted out, or delivers no opt-out.
    const rows = [...own, ...this.#contacts.withFurther(contact.email)];
    const { optOut } = this.#run.mapping;
    if (optOut && rows.some((row) => isOptedOut(this.#contacts.contactAt(row).optOut, optOut) !== false)) {
      if (optOut.ordinary === null) this.#run.unclear.add(this.#contacts.unusualOptOuts(rows));
      return;
    }
    if (this.isAsked(contact))
      return this.#run.log.report('subscription_creation_failed', { row: contact.row, contactId: contact.id });
    // Nobody is asked twice: beyond what the state keeps, they wait for the next run.
    if (this.#asked.size >= maxEntries) return;
    this.#asked.add(key);
    this.subscriptionCreates.push(toSubscriptionCreate(contact, key, this.#run.mapping));
  }

  /** Whether an earlier run asked the person of a contact to subscribe: remembered until the contact is linked. */
  isAsked({ email }: Pick<SyncContact, 'email'>): boolean {
    if (this.#askedBefore.size === 0) return false;
    const key = this.#run.log.fingerprint(email);
    if (this.#askedBefore.has(key)) this.#asked.add(key);
    return this.#askedBefore.has(key);
  }

  /** A tombstone: the second complete run without the subscription marks the contact as removed. */
  #planMissingSubscription(contact: SyncContact, base: Base): void {
    const { row, id, email } = contact;
    const { subscriptionId } = base;
    const changes: FieldChange[] = [];
    const key = this.#run.log.fingerprint(subscriptionId);
    this.#missing.add(key);
    if (this.#missingBefore.has(key)) {
      if (isAddress(email)) this.addErased(contact);
      this.#run.log.report('subscription_gone', { row, contactId: id, subscriptionId });
      changes.push(...this.#removalOf(contact));
    }
    const next = baseOfNobody(base, contact, this.#run.mapping);
    if ((changes.length === 0 && next.optOut === base.optOut) || this.#handOver.of(contact)?.isLate) return;
    const write = { changes, key: this.#handOver.keyOf(contact) };
    const contactWrites = [contactWriteOf(contact, next, this.#run.mapping, write)];
    const person = { email, subscriptionId, contactId: id, created: 0 };
    this.changed.push({ ...person, changes, subscriptionWrites: [], contactWrites, consent: [] });
  }

  /** The status that shows a contact as removed, where it does not yet. */
  #removalOf(contact: SyncContact): readonly FieldChange[] {
    const reason = 'subscription_missing';
    return this.#run.mapping.fields.flatMap((field): FieldChange[] => {
      const shown = field.newsletter === 'status' ? readContact(field, contact) : undefined;
      if (typeof shown !== 'string' || shown === removedStatus) return [];
      return [{ kind: 'remove', side: 'crm', field: field.contact, from: shown, to: removedStatus, reason }];
    });
  }

  /** Plans a subscription without contact: one that is new, or whose contact is missing. */
  planSubscription(subscription: SyncSubscription): void {
    if (isErased(subscription)) return void (this.withoutContact.erased += 1);
    const isNew = this.#handOver.isNew(subscription);
    // The person gets a contact once the status is one that is known.
    if (isUnknownStatus(subscription.status)) {
      if (isNew) this.#handOver.keep(subscription.id);
      return void (this.withoutContact.unknownStatus += 1);
    }
    if (!isNew) return this.leaveWithoutContact(subscription);
    if (this.#run.mapping.situations.newSubscription === 'leave') return void (this.withoutContact.ignored += 1);
    const wasRefused = this.#handOver.addCreate(subscription);
    this.contactCreates.push({ ...contactCreateOf(subscription, this.#run.mapping), wasRefused });
  }

  /** Reports a subscription whose contact is gone, or belongs to somebody else by now. */
  leaveWithoutContact(subscription: SyncSubscription): void {
    if (isErased(subscription)) return void (this.withoutContact.erased += 1);
    this.withoutContact.deleted += 1;
    if (this.#run.mapping.situations.newSubscription === 'leave' || hasLeft(subscription.status)) return;
    this.#run.log.report('contact_missing', { subscriptionId: subscription.id });
  }

  /** The changes since they were last taken. */
  take(): PlannedWrites {
    const { changed: pairs, contactCreates, subscriptionCreates } = this;
    this.#handOver.report(pairs);
    [this.changed, this.contactCreates, this.subscriptionCreates] = [[], [], []];
    return { pairs, contactCreates, subscriptionCreates };
  }

  /** Entries of the largest list in the state for the next run. */
  get entries(): number {
    return Math.max(this.#missing.size, this.erased.size, this.#handOver.kept.size);
  }

  /** What the next run has to know after a complete one. */
  next(): Pick<SyncState, 'missing' | 'erased' | 'asked'> {
    return { missing: [...this.#missing], erased: [...this.erased], asked: [...this.#asked] };
  }
}

/** The request that creates a subscription for a contact. */
export function toSubscriptionCreate(contact: SyncContact, key: string, mapping: ReadyMapping): SubscriptionCreate {
  const fields = mapping.fields.flatMap((field): CustomFieldWrite[] => {
    const { direction, customField: name = '', kind } = field;
    const value = valueOf(kind, readContact(field, contact) ?? '');
    return direction !== 'to_contact' && name !== '' && value !== null ? [{ name, value }] : [];
  });
  return {
    contactId: contact.id,
    key,
    request: {
      email: contact.email,
      reactivate_existing: false,
      ...(mapping.subscribe === 'with_confirmation' && { double_opt_override: 'on' as const }),
      ...(fields.length > 0 && { custom_fields: fields }),
    },
  };
}
