/** Plans one subscription and its contact: consent, address and values, and the token that remembers them. Pure. */
import { hasLeft } from '../../facts/subscriber-status.ts';
import { hasToken, type SyncContact } from '../mapping/contact.ts';
import { isOptedOut } from '../mapping/opt-out.ts';
import {
  addressFingerprint,
  isErased,
  type Pair,
  readSubscription,
  type ReadyField,
  type ReadyMapping,
  type SyncSubscription,
} from '../mapping/prepare-mapping.ts';
import { type Base, contactFingerprint, encodeToken } from '../mapping/token.ts';
import type { FieldChange } from '../report/changes.ts';
import { PairFindings } from '../report/findings.ts';
import type {
  ContactCreate,
  ContactWrite,
  CustomFieldWrite,
  PairPlan,
  PlannedPair,
  SubscriptionWrite,
} from '../report/plan.ts';
import { planAddress } from './plan-address.ts';
import { type ConsentOptions, planConsent, planFurther, withStatus } from './plan-consent.ts';
import { contactValue, emptyFieldBase, planFields } from './plan-fields.ts';

/** How a pair was found, and which of its changes are planned. */
export interface PairOptions extends ConsentOptions {
  /** The pair's values wait: only consent is planned. */
  readonly valuesWait?: boolean | undefined;
  /** Nothing is planned but an opt-out or a leave, and its status. */
  readonly consentAlone?: boolean | undefined;
  /** The key of the contact's write. */
  readonly key?: string | undefined;
  /** The token is written even where no later run needs it. */
  readonly needsToken?: boolean | undefined;
  /** The subscription has a further address of the contact, not its own. */
  readonly isFurther?: boolean | undefined;
  /** A token that was written before the contact had an id gets it, where nothing else is written as well. */
  readonly addsContactId?: boolean | undefined;
}

/**
 * Plans one pair.
 *
 * - A field goes where it was not changed: what both sides show is compared with what they last agreed on. Without a
 *   base, a side that has a value counts as changed. A field that a side did not deliver is left alone.
 * - Consent only falls. A newly set opt-out unsubscribes; leaving the newsletter sets the opt-out. Nothing here
 *   activates a subscription or clears an opt-out. A no travels alone, so that no refused value holds it up: values
 *   follow in the next run.
 */
export function planPair(pair: Pair, mapping: ReadyMapping, options: PairOptions = {}): PairPlan {
  const { subscription, contact, base } = pair;
  const { consentAlone = false, isFurther = false, key } = options;
  const findings = new PairFindings(pair);
  if (base && isErased(subscription)) return erasedPlan({ ...pair, base }, mapping, findings, options);

  const consent = planConsent(pair, mapping, findings, options);
  const further = planFurther(pair, mapping, options);
  const saysNo = consent.records.length > 0 || further.changes.length > 0;
  const valuesWait = options.valuesWait === true || consentAlone || saysNo;
  const address = planAddress(pair, mapping, findings, { valuesWait, isFurther });
  const isMirrored = !options.valuesWait && hasLeft(subscription.status);
  const waits = (newsletter: string): boolean => valuesWait && !(isMirrored && newsletter === 'status');
  const values = planFields(pair, mapping, findings, ({ newsletter }) => waits(newsletter));
  const changes = [...consent.changes, ...further.changes, ...address.changes, ...values.changes];
  const next: Base = {
    subscriptionId: subscription.id,
    address: address.fingerprint,
    contact: contactFingerprint(contact.id),
    consent: consent.state,
    optOut: consent.optOut,
    fields: values.fields,
    reported: findings.reported,
  };
  const isIdAdded =
    base?.contact !== next.contact && !valuesWait && (base?.contact !== undefined || options.addsContactId);
  const isTokenWritten =
    (isIdAdded || !isSameBase(base, next)) &&
    (options.needsToken === true || isTokenNeeded(next, contact, mapping, options.valuesWait === true));
  if (consentAlone ? !saysNo : changes.length === 0 && !isTokenWritten) return planOf(next, findings);
  const contactWrite = contactWriteOf(contact, next, mapping, { changes, key });
  const records = consent.records.map((record) => withStatus(record, contactWrite.changes, mapping));
  return {
    ...planOf(next, findings),
    subscriptionWrites: subscriptionWritesOf(subscription, changes),
    contactWrite,
    consent: [...records, ...further.records],
    changes,
  };
}

/** A plan that writes nothing. */
function planOf(base: Base, { list: findings }: PairFindings): PairPlan {
  return { subscriptionWrites: [], contactWrite: null, base, findings, consent: [], changes: [] };
}

/** Joins the plans for all contacts of one subscription. Only one of them has values; each may unsubscribe. */
export function joinPlans(subscription: SyncSubscription, plans: readonly PairPlan[], wasRefused = false): PlannedPair {
  const { id, email, created } = subscription;
  const changes = plans.flatMap((plan) => plan.changes);
  const contactWrites = plans.flatMap(({ contactWrite }) => contactWrite ?? []);
  return {
    ...(wasRefused && { wasRefused }),
    email,
    created,
    subscriptionId: id,
    contactId: (contactWrites.length === 1 && contactWrites[0]?.id) || null,
    changes,
    subscriptionWrites: subscriptionWritesOf(subscription, changes),
    contactWrites,
    consent: plans.flatMap(({ consent }) => consent),
  };
}

/** The writes of the newsletter, one for each subscription, the pair's first. */
function subscriptionWritesOf({ id }: SyncSubscription, changes: readonly FieldChange[]): readonly SubscriptionWrite[] {
  const inNewsletter = changes.filter(({ side }) => side === 'newsletter');
  const ids = new Set(inNewsletter.map(({ person }) => person?.subscriptionId ?? id));
  return [...ids]
    .toSorted((one, other) => Number(other === id) - Number(one === id))
    .map((subscription_id) => {
      const own = inNewsletter.filter(({ person }) => (person?.subscriptionId ?? id) === subscription_id);
      const values = own.flatMap(({ kind, field: name, to: value }): CustomFieldWrite[] =>
        kind === 'unsubscribe' ? [] : [value === null ? { name, delete: true } : { name, value }],
      );
      const unsubscribe = values.length < own.length;
      return {
        subscription_id,
        ...(unsubscribe && { unsubscribe }),
        ...(values.length > 0 && { custom_fields: values }),
      };
    });
}

/** The write of a contact, with the token that holds its new base. */
export function contactWriteOf(
  { id }: SyncContact,
  base: Base,
  mapping: ReadyMapping,
  { changes, key }: Pick<PairPlan, 'changes'> & Pick<ContactWrite, 'key'>,
): ContactWrite {
  const inCrm = changes.filter(({ side }) => side === 'crm');
  const values = Object.fromEntries(inCrm.map(({ field, to }) => [field, contactValue(field, to, mapping)]));
  const token = encodeToken(base, mapping);
  return { id, changes: values, token, key, knowsOptOut: base.optOut === true };
}

/** The contact to create for a subscription: an empty one that is given what it lacks, and the consent, at once. */
export function contactCreateOf(subscription: SyncSubscription, mapping: ReadyMapping): ContactCreate {
  const { id: subscriptionId, email, created } = subscription;
  const empty = Object.fromEntries(mapping.fields.map(({ contact }) => [contact, null]));
  const contact: SyncContact = { id: '', email, optOut: null, values: empty, row: 0 };
  const pair: Pair = { subscription, contact, base: undefined };
  const findings = new PairFindings(pair);
  const consent = planConsent(pair, mapping, findings, {});
  // What cannot be read is reported once the contact is there.
  const waits = (field: ReadyField): boolean =>
    field.direction === 'to_subscription' || typeof readSubscription(field, subscription) !== 'string';
  const { fields, changes } = planFields(pair, mapping, findings, waits);
  const base: Base = {
    subscriptionId,
    address: addressFingerprint(mapping, email),
    contact: undefined,
    consent: consent.state,
    optOut: consent.optOut,
    fields,
    reported: 0,
  };
  const write = contactWriteOf(contact, base, mapping, { changes: [...consent.changes, ...changes] });
  const values = { [mapping.paths.email]: email, ...write.changes, [mapping.paths.token]: write.token };
  const records = consent.records.map((record) => ({ ...withStatus(record, values, mapping), contactId: null }));
  return { subscriptionId, email, created, changes: values, consent: records };
}

/** Whether a token would say the same as before. */
function isSameBase(before: Base | undefined, after: Base): boolean {
  return (
    before !== undefined &&
    before.address === after.address &&
    before.consent === after.consent &&
    before.optOut === after.optOut &&
    before.reported === after.reported &&
    after.fields.every((field, index) => field === (before.fields[index] ?? emptyFieldBase))
  );
}

/** Whether a later run would decide otherwise without the token. */
function isTokenNeeded(next: Base, { token }: SyncContact, { fields }: ReadyMapping, valuesWait: boolean): boolean {
  if (hasToken(token)) return true;
  // One of several contacts of a subscription is not linked to it until it is the only one.
  if (valuesWait) return false;
  // An unsubscribe is recorded once.
  if (next.consent === 'left_newsletter') return true;
  const isReported = next.reported !== 0 || next.fields.some((field) => field?.reported);
  return isReported || next.optOut === true || fields.some(({ direction }) => direction === 'both');
}

/**
 * The base of a contact whose person is gone. Whoever signs up again with the address is somebody else: an opt-out of
 * before must not look new to them.
 */
export function baseOfNobody(base: Base, { id, optOut }: SyncContact, mapping: ReadyMapping): Base {
  return { ...base, contact: contactFingerprint(id), optOut: isOptedOut(optOut, mapping.optOut) ?? base.optOut };
}

/** Copies nothing of an erased person. The token keeps its base, so that the person is not subscribed again. */
function erasedPlan(
  { base, contact }: Pair & { readonly base: Base },
  mapping: ReadyMapping,
  findings: PairFindings,
  { key, consentAlone }: PairOptions,
): PairPlan {
  findings.add('erased');
  const next = { ...baseOfNobody(base, contact, mapping), reported: findings.reported };
  const contactWrite = contactWriteOf(contact, next, mapping, { changes: [], key });
  const isWritten = contactWrite.token !== contact.token && !consentAlone;
  return { ...planOf(next, findings), contactWrite: isWritten ? contactWrite : null };
}
