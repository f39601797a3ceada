/**
 * The draft of a plan: collects the changes of a run, decides about contacts without subscription and subscriptions
 * without contact, and makes the requests that create what is missing. Pure.
 */
import { isAddress } from '../signup/address.ts';
import type { FieldChange, WithoutContact } from './changes.ts';
import { hasToken, type SyncContact } from './contact.ts';
import type { ContactIndex } from './contact-index.ts';
import type { FindingLog } from './findings.ts';
import type { ContactCreate, PlannedPair, PlannedWrites, SubscriptionCreate } from './plan.ts';
import { isErased } from './plan-address.ts';
import { type ConsentRecord, withStatus } from './plan-consent.ts';
import { type ContactWrite, contactValue, type CustomFieldWrite, customFieldWrite, readContact } from './plan-pair.ts';
import {
  addressFingerprint,
  type SyncSubscription,
  type ReadyMapping,
  readSubscription,
  valueFingerprint,
} from './prepare-mapping.ts';
import { maxEntries, type SyncState } from './state.ts';
import { encodeToken, type Base, type FieldBase } from './token.ts';
import { isOptedOut, yesNo } from './canonical-value.ts';
import { compareIds } from './whose-contact.ts';

/** A creation that did not come back is repeated until it was tried this often. */
const maxAttempts = 3;

/** What the contact's status field shows for a subscription that no longer exists. */
const removedStatus = 'removed';

/** A subscription that is listed within this many seconds of its creation may not be the last of its second. */
const listingDelay = 60;

/** The changes of a run, the state after them, and the decisions about everything that is no pair. */
export class DraftPlan {
  changed: PlannedPair[] = [];
  contactCreates: ContactCreate[] = [];
  subscriptionCreates: SubscriptionCreate[] = [];
  /** Fingerprints of addresses of erased persons. */
  readonly erased: Set<string>;
  /** Contacts that are marked as removed. */
  removals = 0;
  /** Subscriptions that get no contact, by the reason. */
  readonly withoutContact: Record<WithoutContact, number> = { erased: 0, deleted: 0, failed: 0, ignored: 0 };
  /** Contacts without a subscription that are left alone. */
  unknownContacts = 0;
  readonly #mapping: ReadyMapping;
  readonly #state: SyncState;
  readonly #contacts: ContactIndex;
  readonly #log: FindingLog;
  /** Fingerprints of what this run misses, and of what the run before missed. */
  readonly #missing = new Set<string>();
  readonly #missingBefore: ReadonlySet<string>;
  readonly #attempts: Record<string, number> = {};
  /** How often the changes that are handed over now were handed over: a contact that takes one gets another token. */
  readonly #updates: Record<string, number> = {};
  #updateCount = 0;
  /** Unix seconds: just before the oldest contact to create that was never handed over. */
  #waitsFrom = Number.POSITIVE_INFINITY;
  /** Unix seconds: creation of the oldest subscription that gets a contact. */
  #oldestCreate: number | null = null;

  constructor(mapping: ReadyMapping, state: SyncState, contacts: ContactIndex, log: FindingLog) {
    this.#mapping = mapping;
    this.#state = state;
    this.#contacts = contacts;
    this.#log = log;
    this.erased = new Set(state.erased);
    this.#missingBefore = new Set(state.missing);
  }

  /** Notes that the person of a contact was erased, and is never subscribed again. */
  addErased({ email }: SyncContact): void {
    this.erased.add(this.#log.fingerprint(email));
  }

  /** Plans a contact whose subscription did not come in, or that never had one. */
  planContact(row: number): void {
    const { contact, base } = this.#contacts.at(row);
    if (base) return this.#planMissingSubscription(contact, base);
    const before = this.subscriptionCreates.length;
    this.#planUnknownContact(row, contact);
    if (this.subscriptionCreates.length === before) this.unknownContacts += 1;
  }

  #planUnknownContact(row: number, contact: SyncContact): void {
    const { subscribe } = this.#mapping;
    if (subscribe === 'never' || !isAddress(contact.email)) return;
    // A damaged token shows that there was a subscription once, and another newsletter's has no room for this one: a
    // person decides.
    if (this.#contacts.hasUnusableToken(row)) return;
    const isOlder = (other: number): boolean => compareIds(this.#contacts.contactAt(other).id, contact.id) < 0;
    if (this.#contacts.withAddress(contact.email).some(isOlder)) return;
    if (subscribe === 'on_consent' && yesNo(contact.consent) !== true) return;
    this.#createSubscription(contact);
  }

  #createSubscription(contact: SyncContact): void {
    const key = this.#log.fingerprint(contact.email);
    if (this.erased.has(key)) return;
    // Nobody is subscribed where one of the contacts with this address is opted out, or delivers no opt-out.
    const rows = [...this.#contacts.withAddress(contact.email), ...this.#contacts.withFurther(contact.email)];
    if (this.#mapping.optOut && rows.some((row) => isOptedOut(this.#contacts.contactAt(row).optOut) !== false)) return;
    if (!this.#mayRetry(key, this.#state.attempts[key] ?? 0))
      return this.#log.report('subscription_creation_failed', { row: contact.row, contactId: contact.id });
    this.#attempts[key] ??= 1;
    this.subscriptionCreates.push(toSubscriptionCreate(contact, this.#mapping));
  }

  /** Counts a creation that did not come back after it was tried this often. @returns whether it is tried once more */
  #mayRetry(key: string, tried: number): boolean {
    if (tried > 0) this.#attempts[key] = Math.min(tried + 1, maxAttempts + 1);
    return tried < maxAttempts;
  }

  /** Notes what this run misses. @returns whether the run before missed it, too */
  #isMissingAgain(key: string): boolean {
    this.#missing.add(key);
    return this.#missingBefore.has(key);
  }

  /** A tombstone: the second complete run without the subscription marks the contact as removed. */
  #planMissingSubscription(contact: SyncContact, base: Base): void {
    const { row, id, email, optOut: shown } = contact;
    const { subscriptionId } = base;
    const situation = 'subscription_missing';
    const changes: FieldChange[] = [];
    if (this.#isMissingAgain(this.#log.fingerprint(subscriptionId))) {
      if (isAddress(email)) this.addErased(contact);
      this.#log.report('subscription_gone', { row, contactId: id, subscriptionId });
      changes.push(...this.#removalOf(contact));
    }
    // Whoever signs up again with the address is somebody else: an opt-out of before must not look new to them.
    const optOut = isOptedOut(shown) ?? base.optOut;
    if (changes.length === 0 && optOut === base.optOut) return;
    this.removals += changes.length;
    const written = Object.fromEntries(changes.map(({ field, to }) => [field, to]));
    const token = encodeToken({ ...base, optOut }, this.#mapping);
    this.changed.push({
      situation,
      email,
      subscriptionId,
      contactId: id,
      created: 0,
      changes,
      subscriptionWrites: [],
      contactWrites: [{ id, situation, changes: written, token, replacedToken: contact.token }],
      consent: [],
    });
  }

  /** The status that shows a contact as removed, where it does not yet. */
  #removalOf(contact: SyncContact): readonly FieldChange[] {
    const status = this.#mapping.fields.find(({ newsletter }) => newsletter === 'status');
    if (this.#mapping.situations.subscriptionMissing !== 'mark_removed' || !status) return [];
    const shown = readContact(status, contact);
    if (shown.state !== 'value' || shown.text === removedStatus) return [];
    const field = status.contact;
    return [
      { kind: 'remove', side: 'crm', field, from: shown.text, to: removedStatus, reason: 'subscription_missing' },
    ];
  }

  /** Plans a subscription without contact: one that is new, or whose contact is missing. */
  planSubscription(subscription: SyncSubscription): void {
    if (isErased(subscription)) return void (this.withoutContact.erased += 1);
    const { id, created } = subscription;
    const { watermark, seenUntil, attempts } = this.#state;
    const key = this.#log.fingerprint(id);
    const isNew = created > (watermark ?? -Infinity);
    if (!isNew && attempts[key] === undefined) return this.#planMissingContact(subscription, key);
    if (this.#mapping.situations.newSubscription === 'leave') return void (this.withoutContact.ignored += 1);
    const isRepeated = created <= (seenUntil ?? -Infinity);
    if (!this.#mayRetry(key, attempts[key] ?? (isRepeated ? 1 : 0))) {
      this.withoutContact.failed += 1;
      return this.#log.report('contact_creation_failed', { subscriptionId: id });
    }
    if (isNew) this.#oldestCreate = Math.min(this.#oldestCreate ?? created, created);
    else this.#attempts[key] ??= 1;
    this.contactCreates.push(toContactCreate(subscription, 'new_subscription', this.#mapping));
  }

  /** Reports a subscription whose contact is gone, or belongs to somebody else by now. */
  leaveWithoutContact(subscription: SyncSubscription): void {
    if (isErased(subscription)) return void (this.withoutContact.erased += 1);
    this.withoutContact.deleted += 1;
    if (this.#mapping.situations.newSubscription === 'leave' || subscription.status === 'inactive') return;
    this.#log.report('contact_missing', { subscriptionId: subscription.id });
  }

  /** Notes that a subscription waits for a contact of its own: it gets one as soon as the one it has is gone. */
  keepForCreation({ id }: SyncSubscription): void {
    this.#attempts[this.#log.fingerprint(id)] = 0;
  }

  #planMissingContact(subscription: SyncSubscription, key: string): void {
    const { id, email, created, status } = subscription;
    const action = this.#mapping.situations.contactMissing;
    if (action === 'leave') return this.leaveWithoutContact(subscription);
    if (action !== 'create_contact') this.withoutContact.deleted += 1;
    if (!this.#isMissingAgain(key)) return;
    if (action === 'create_contact') {
      this.contactCreates.push(toContactCreate(subscription, 'contact_missing', this.#mapping));
    } else if (status !== 'inactive') {
      const subscriptionWrites = [{ subscription_id: id, unsubscribe: true as const }];
      const record: ConsentRecord = {
        saidBy: 'crm',
        subscriptionId: id,
        contactId: null,
        field: 'contact_missing',
        written: { side: 'newsletter', field: 'status', value: 'inactive' },
      };
      const situation = 'contact_missing';
      const change: FieldChange = {
        kind: 'unsubscribe',
        side: 'newsletter',
        field: 'status',
        from: status,
        to: 'inactive',
        reason: situation,
      };
      const person = { situation, email, created, subscriptionId: id, contactId: null } as const;
      this.changed.push({ ...person, changes: [change], subscriptionWrites, contactWrites: [], consent: [record] });
    }
  }

  /** The changes since they were last taken. Reports those that were handed over several times and never came. */
  take(): PlannedWrites {
    const { changed: pairs, contactCreates, subscriptionCreates } = this;
    for (const { contactWrites } of pairs)
      for (const write of contactWrites)
        if ((this.#state.updates[this.#updateKey(write)] ?? 0) >= maxAttempts)
          this.#log.report('contact_update_failed', { contactId: write.id });
    [this.changed, this.contactCreates, this.subscriptionCreates] = [[], [], []];
    return { pairs, contactCreates, subscriptionCreates };
  }

  /** Counts what is handed over as tried once more; what waits was not tried. */
  settle({ pairs }: PlannedWrites, waiting: PlannedWrites): void {
    for (const write of pairs.flatMap(({ contactWrites }) => contactWrites)) {
      if ((this.#updateCount += 1) > maxEntries) break;
      const key = this.#updateKey(write);
      this.#updates[key] = Math.min((this.#state.updates[key] ?? 0) + 1, maxAttempts);
    }
    for (const { subscriptionId, created } of waiting.contactCreates) {
      const key = this.#log.fingerprint(subscriptionId);
      const tried = this.#state.attempts[key];
      if (tried === undefined) delete this.#attempts[key];
      else this.#attempts[key] = tried;
      if (created > (this.#state.seenUntil ?? -Infinity)) this.#waitsFrom = Math.min(this.#waitsFrom, created - 1);
    }
  }

  #updateKey({ id, replacedToken }: ContactWrite): string {
    return this.#log.fingerprint(`${id} ${hasToken(replacedToken) ? String(replacedToken) : ''}`);
  }

  /** Entries of the largest list in the state for the next run. */
  get entries(): number {
    return Math.max(this.#missing.size, this.erased.size, Object.keys(this.#attempts).length);
  }

  /**
   * The state after a complete run, with the new watermark: the creation time up to which every subscription has a
   * contact.
   *
   * @param newest - Unix seconds of the newest subscription; null without one
   * @param now - milliseconds since the Unix epoch at which the run began to read
   * @param contacts - how many were read
   */
  nextState(newest: number | null, now: number, contacts: number): SyncState {
    const { seenUntil: before, reported, seen, accepted } = this.#state;
    const last = newest === null ? null : Math.min(newest, this.#waitsFrom);
    const seenUntil = last === null ? before : Math.max(last, before ?? last);
    const settled = Math.min(seenUntil ?? 0, Math.floor(now / 1000) - listingDelay);
    return {
      version: 2,
      watermark: this.#oldestCreate === null ? settled : Math.min(settled, this.#oldestCreate - 1),
      seenUntil,
      missing: [...this.#missing],
      erased: [...this.erased],
      attempts: this.#attempts,
      updates: this.#updates,
      contacts,
      seen,
      accepted,
      reported,
    };
  }
}

/** The request that creates a subscription for a contact. */
export function toSubscriptionCreate(contact: SyncContact, mapping: ReadyMapping): SubscriptionCreate {
  const fields = mapping.fields.flatMap((field): CustomFieldWrite[] => {
    const shown = readContact(field, contact);
    const isSent =
      field.direction !== 'to_contact' && field.customField !== '' && shown.state === 'value' && shown.text !== '';
    return isSent ? [customFieldWrite(field, shown.text)] : [];
  });
  return {
    situation: 'unknown_contact',
    contactId: contact.id,
    request: {
      email: contact.email,
      reactivate_existing: false,
      ...(mapping.subscribe === 'with_confirmation' && { double_opt_override: 'on' as const }),
      ...(fields.length > 0 && { custom_fields: fields }),
    },
  };
}

/** The contact to create for a subscription, with its sync token. */
export function toContactCreate(
  subscription: SyncSubscription,
  situation: ContactCreate['situation'],
  mapping: ReadyMapping,
): ContactCreate {
  const { paths, optOut } = mapping;
  const hasLeft = subscription.status === 'inactive';
  const isOptedOut = hasLeft && optOut?.setOnUnsubscribe;
  const changes: Record<string, unknown> = { [paths.email]: subscription.email };
  if (optOut && isOptedOut) changes[optOut.contact] = true;
  const fields = mapping.fields.map((field): FieldBase => {
    const shown = readSubscription(field, subscription);
    if (field.direction === 'to_subscription' || shown.state !== 'value') return {};
    const fingerprint = valueFingerprint(mapping, shown.text);
    const agreed = field.direction === 'both' && { agreed: fingerprint };
    if (shown.text === '') return { ...agreed };
    changes[field.contact] = contactValue(field, shown.text, mapping);
    return { ...agreed, toContact: { fingerprint, count: 1 } };
  });
  const base: Base = {
    subscriptionId: subscription.id,
    address: addressFingerprint(mapping, subscription.email),
    consent: hasLeft ? 'left_newsletter' : 'subscribed',
    optOut: optOut && isOptedOut,
    fields,
    reported: 0,
  };
  changes[paths.token] = encodeToken(base, mapping);
  const left = { subscriptionId: subscription.id, contactId: null, saidBy: 'newsletter', field: 'status' } as const;
  const written = optOut && isOptedOut ? ({ side: 'crm', field: optOut.contact, value: true } as const) : null;
  const consent = hasLeft ? [withStatus({ ...left, written }, changes, mapping)] : [];
  const { id: subscriptionId, email, created } = subscription;
  return { situation, subscriptionId, email, created, changes, consent };
}
