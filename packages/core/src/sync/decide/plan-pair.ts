/** Plans one subscription and its contact: consent, address and values, and the token that remembers them. Pure. */
import { hasLeft } from '../../facts/subscriber-status.ts';
import { hasToken, type SyncContact } from '../mapping/contact.ts';
import { isOptedOut } from '../mapping/opt-out.ts';
import type { Pair } from '../mapping/pair.ts';
import { isErased, type ReadyMapping, type SyncSubscription } from '../mapping/prepare-mapping.ts';
import { type Base, contactFingerprint, encodeToken } from '../mapping/token.ts';
import type { Member } from '../match/matching.ts';
import { PairFindings } from '../report/findings.ts';
import type {
  ContactWrite,
  CustomFieldWrite,
  PairPlan,
  PlannedPair,
  Situation,
  SubscriptionWrite,
} from '../report/plan.ts';
import { planAddress } from './plan-address.ts';
import { type ConsentOptions, planConsent, planFurther, withStatus } from './plan-consent.ts';
import { emptyFieldBase, planFields } from './plan-fields.ts';

/** How a pair was found, and which of its changes are planned. */
export interface PairOptions extends ConsentOptions {
  /** Default: `linked` with a base, otherwise `found_by_address`. */
  readonly situation?: Situation | undefined;
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
  const { situation = base ? 'linked' : 'found_by_address', consentAlone = false, isFurther = false, key } = options;
  const findings = new PairFindings(pair);
  if (base && isErased(subscription)) return erasedPlan({ ...pair, base }, mapping, findings, options);

  const consent = planConsent(pair, mapping, findings, options);
  const further = planFurther(pair, mapping, options);
  const saysNo = consent.records.length > 0 || further.writes.length > 0;
  const valuesWait = options.valuesWait === true || consentAlone || saysNo;
  const address = planAddress(pair, mapping, findings, { valuesWait, isFurther });
  const isMirrored = !options.valuesWait && hasLeft(subscription.status);
  const waits = (newsletter: string): boolean => valuesWait && !(isMirrored && newsletter === 'status');
  const values = planFields(pair, mapping, findings, ({ newsletter }) => waits(newsletter));
  const inCrm = [...consent.changes, ...address.changes].filter(({ side }) => side === 'crm');
  const changes = { ...Object.fromEntries(inCrm.map(({ field, to }) => [field, to])), ...values.changes };
  const unsubscribe = consent.changes.some(({ kind }) => kind === 'unsubscribe');
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
  const subscriptionWrite = subscriptionWriteOf(subscription.id, unsubscribe, values.custom);
  const isChanged = subscriptionWrite !== null || further.writes.length > 0 || Object.keys(changes).length > 0;
  if (consentAlone ? !saysNo : !isChanged && !isTokenWritten) return planOf(situation, next, findings);
  return {
    ...planOf(situation, next, findings),
    subscriptionWrite,
    furtherWrites: further.writes,
    contactWrite: contactWriteOf(contact, next, mapping, { situation, changes, key }),
    consent: [...consent.records.map((record) => withStatus(record, changes, mapping)), ...further.records],
    changes: [...consent.changes, ...further.changes, ...address.changes, ...values.fieldChanges],
  };
}

/** A plan that writes nothing. */
function planOf(situation: Situation, base: Base, { list: findings }: PairFindings): PairPlan {
  const nothing = { subscriptionWrite: null, furtherWrites: [], contactWrite: null };
  return { situation, ...nothing, base, findings, consent: [], changes: [] };
}

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

/** The write of a subscription; null where nothing changes. */
export function subscriptionWriteOf(
  subscription_id: string,
  unsubscribe: boolean,
  custom_fields: CustomFieldWrite[],
): SubscriptionWrite | null {
  if (!unsubscribe && custom_fields.length === 0) return null;
  return { subscription_id, ...(unsubscribe && { unsubscribe }), ...(custom_fields.length > 0 && { custom_fields }) };
}

/** The write of a contact, with the token that holds its new base. */
export function contactWriteOf(
  { id, token: replacedToken }: SyncContact,
  base: Base,
  mapping: ReadyMapping,
  { situation, changes, key }: Pick<ContactWrite, 'situation' | 'changes' | 'key'>,
): ContactWrite {
  const token = encodeToken(base, mapping);
  return { id, situation, changes, token, replacedToken, key, knowsOptOut: base.optOut === true };
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

/** Copies nothing of an erased person. The token keeps its base, so that the person is not subscribed again. */
function erasedPlan(
  { base, contact }: Pair & { readonly base: Base },
  mapping: ReadyMapping,
  findings: PairFindings,
  { key, consentAlone }: PairOptions,
): PairPlan {
  findings.add('erased');
  // Whoever signs up again with the address is somebody else: an opt-out of before must not look new to them.
  const optOut = isOptedOut(contact.optOut, mapping.optOut) ?? base.optOut;
  const next = { ...base, contact: contactFingerprint(contact.id), optOut, reported: findings.reported };
  const contactWrite = contactWriteOf(contact, next, mapping, { situation: 'erased', changes: {}, key });
  const isWritten = contactWrite.token !== contact.token && !consentAlone;
  return { ...planOf('erased', next, findings), contactWrite: isWritten ? contactWrite : null };
}
