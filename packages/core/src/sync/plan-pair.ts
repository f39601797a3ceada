/** Plans one subscription and its contact: a three-way merge of each field with the value both last agreed on. Pure. */
import { type SyncContact, hasToken } from './contact.ts';
import type { ChangeReason, FieldChange } from './changes.ts';
import { isEcho } from './echo.ts';
import { type Finding, PairFindings, type Side } from './findings.ts';
import type { Pair } from './pair.ts';
import { isErased, planAddress } from './plan-address.ts';
import { type ConsentOptions, type ConsentRecord, planConsent, planFurther, withStatus } from './plan-consent.ts';
import { readSubscription, type ReadyMapping, type ReadyField, valueFingerprint } from './prepare-mapping.ts';
import { encodeToken, type Base, type FieldBase, type AwaitedWrite } from './token.ts';
import { isOptedOut, type Reading, readValue, valueOf } from './canonical-value.ts';

/** Why a pair is written; every write names it. */
export type Situation =
  | 'linked'
  | 'found_by_address'
  | 'ambiguous'
  | 'twin'
  | 'new_subscription'
  | 'contact_missing'
  | 'subscription_missing'
  | 'erased'
  | 'unknown_contact';

/** A change of one subscription: an item of the API's bulk update. It never activates anybody. */
export interface SubscriptionWrite {
  readonly subscription_id: string;
  readonly unsubscribe?: true;
  readonly custom_fields?: readonly CustomFieldWrite[];
}

/** A change of one contact. */
export interface ContactWrite {
  readonly id: string;
  readonly situation: Situation;
  /** Values by the paths of the contact's fields, the opt-out and the address among them; the token is not. */
  readonly changes: Readonly<Record<string, unknown>>;
  /** Belongs into the contact's token field, in the same write as the changes. */
  readonly token: string;
  /** What the contact's token field shows now. */
  readonly replacedToken: unknown;
  /** Stands for the contact in the state of a sync. */
  readonly key?: string | undefined;
  /** Whether the token knows of an opt-out, set by this write or seen before. */
  readonly knowsOptOut: boolean;
  /** The opt-out or the leave of the write alone, for where all of it was refused. Its values follow later. */
  readonly alone?: Pick<ContactWrite, 'changes' | 'token'> | undefined;
}

/** The plan for one pair. */
export interface PairPlan {
  readonly situation: Situation;
  readonly subscriptionWrite: SubscriptionWrite | null;
  /** Unsubscribes of other subscriptions that have an address of the contact. */
  readonly furtherWrites: readonly SubscriptionWrite[];
  /** Null also where only the token would change and no later run needs it. */
  readonly contactWrite: ContactWrite | null;
  /** The new base of the pair; the contact write's token holds it. */
  readonly base: Base;
  readonly findings: readonly Finding[];
  readonly consent: readonly ConsentRecord[];
  readonly changes: readonly FieldChange[];
}

/** How a pair was found, and which of its changes are planned. */
export interface PairOptions extends ConsentOptions {
  /** Default: `linked` with a base, otherwise `found_by_address`. */
  readonly situation?: Situation | undefined;
  /** The pair's values wait: only consent is planned. */
  readonly valuesWait?: boolean | undefined;
  /** Only an opt-out or a leave is planned, with the status; values follow in a later run. */
  readonly consentAlone?: boolean | undefined;
  /** The key of the contact's write. */
  readonly key?: string | undefined;
  /** The token is written even where no later run needs it. */
  readonly needsToken?: boolean | undefined;
  /** The subscription has a further address of the contact, not its own. */
  readonly isFurther?: boolean | undefined;
  /** The base is from a token of another subscription. It is replaced only once an opt-out has to be remembered. */
  readonly hasTokenOfAnother?: boolean | undefined;
}

/**
 * Plans one pair.
 *
 * - A field goes where it was not changed: what both sides show is compared with what they last agreed on. Without a
 *   base, a side that has a value counts as changed. A field that a side did not deliver is left alone.
 * - Consent only falls. A newly set opt-out unsubscribes; leaving the newsletter sets the opt-out. Nothing here
 *   activates a subscription or clears an opt-out.
 */
export function planPair(pair: Pair, mapping: ReadyMapping, options: PairOptions = {}): PairPlan {
  const { subscription, contact, base } = pair;
  const { situation = base ? 'linked' : 'found_by_address', consentAlone = false, isFurther = false } = options;
  const isValueHeld = options.valuesWait === true || base?.waits === true;
  const valuesWait = isValueHeld || consentAlone;
  const findings = new PairFindings(pair);
  if (base && isErased(subscription)) return erasedPlan({ ...pair, base }, mapping, findings, options);

  const consent = planConsent(pair, mapping, findings, options);
  const further = planFurther(pair, mapping, options);
  const saysNo = consent.records.length > 0 || further.unsubscribed.length > 0;
  const address = planAddress(pair, mapping, findings, { valuesWait, isFurther });
  const isMirrored = consentAlone && !isValueHeld && subscription.status === 'inactive';
  const values = planFields(pair, mapping, findings, ({ newsletter }) =>
    isMirrored ? newsletter !== 'status' : valuesWait,
  );
  const { optOut } = mapping;
  const changes: Record<string, unknown> = {};
  if (optOut && consent.setOptOut) changes[optOut.contact] = true;
  for (const { field, to } of address.changes) changes[field] = to;
  Object.assign(changes, values.changes);
  const subscriptionWrite =
    consent.unsubscribe || values.custom.length > 0
      ? {
          subscription_id: subscription.id,
          ...(consent.unsubscribe && { unsubscribe: true as const }),
          ...(values.custom.length > 0 && { custom_fields: values.custom }),
        }
      : null;
  const unchanged: Base = {
    subscriptionId: subscription.id,
    address: address.fingerprint,
    consent: consent.state,
    optOut: consent.optOut,
    ...(base?.waits && { waits: true }),
    fields: values.fields,
    // The run's state remembers the findings of a token that waits.
    reported: base?.waits ? 0 : findings.reported,
  };
  const isTokenWritten = options.hasTokenOfAnother
    ? base?.optOut !== unchanged.optOut
    : !isSameBase(base, unchanged) &&
      (options.needsToken === true || isTokenNeeded(unchanged, contact, mapping, valuesWait));
  const isWritten = consentAlone
    ? saysNo
    : subscriptionWrite !== null ||
      further.unsubscribed.length > 0 ||
      Object.keys(changes).length > 0 ||
      isTokenWritten;
  const next = isWritten ? { ...unchanged, fields: values.settled } : unchanged;
  const hasValues = values.fieldChanges.length > 0 || address.changes.length > 0;
  const alone =
    !consentAlone && saysNo && hasValues
      ? planPair(pair, mapping, { ...options, consentAlone: true }).contactWrite
      : null;
  return {
    situation,
    subscriptionWrite: isWritten ? subscriptionWrite : null,
    furtherWrites: further.unsubscribed.map(({ id }) => ({ subscription_id: id, unsubscribe: true })),
    contactWrite: isWritten
      ? {
          id: contact.id,
          situation,
          changes,
          token: encodeToken(next, mapping),
          replacedToken: contact.token,
          key: options.key,
          knowsOptOut: next.optOut === true,
          ...(alone && { alone: { changes: alone.changes, token: alone.token } }),
        }
      : null,
    base: next,
    findings: findings.list,
    consent: isWritten
      ? [...consent.records.map((record) => withStatus(record, changes, mapping)), ...further.records]
      : [],
    changes: isWritten ? [...consent.changes, ...further.changes, ...address.changes, ...values.fieldChanges] : [],
  };
}

/** Whether at most echoes arrived since the token was written. */
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
  const next = { ...base, optOut: isOptedOut(contact.optOut) ?? base.optOut, reported: findings.reported };
  const token = encodeToken(next, mapping);
  return {
    situation: 'erased',
    subscriptionWrite: null,
    furtherWrites: [],
    contactWrite:
      token === contact.token || consentAlone
        ? null
        : {
            id: contact.id,
            situation: 'erased',
            changes: {},
            token,
            replacedToken: contact.token,
            key,
            knowsOptOut: next.optOut === true,
          },
    base: next,
    findings: findings.list,
    consent: [],
    changes: [],
  };
}

const emptyFieldBase: FieldBase = {};

/** A value is written to a side at most this often while the side keeps showing another one. */
const maxWrites = 2;
/** A yes or no has no other form: what a side shows is somebody's choice, who may change his mind in every run. */
const maxToggles = 62;

/** A value of a custom field to set, or to delete. */
export interface CustomFieldWrite {
  readonly name: string;
  readonly value?: string | number | boolean | readonly string[];
  readonly delete?: true;
}

/** Reads the contact's value of a field. */
export function readContact({ kind, contact: path, separator }: ReadyField, { values }: SyncContact): Reading {
  return readValue(kind, values[path], separator);
}

/**
 * The canonical text that the contact shows of a field; undefined where it was not delivered or is invalid. CRMs leave
 * out boxes that are not ticked: a missing one equals what the newsletter has unless that is true.
 *
 * @param here - the newsletter's text
 */
function shownByContact(field: ReadyField, here: string, before: FieldBase, { contact }: Pair): string | undefined {
  const reading = readContact(field, contact);
  if (field.kind === 'boolean' && contact.lacks?.includes(field.contact))
    return here !== 'true' ? here : before.agreed === undefined ? '' : 'false';
  // What only the sync writes is written where nobody delivers it, too.
  if (reading.state === 'absent' && field.direction === 'to_contact')
    return field.kind === 'boolean' && here !== 'true' ? here : '';
  return reading.state === 'value' ? reading.text : undefined;
}

/** The values of a pair that are written, and the bases of its fields. */
interface FieldPlans {
  readonly changes: Record<string, unknown>;
  readonly custom: CustomFieldWrite[];
  readonly fieldChanges: FieldChange[];
  /** The base of each field for a token that is written in any case. */
  readonly settled: FieldBase[];
  /** The same for a pair without writes: unchanged where only an echo arrived, which is no reason to write a token. */
  readonly fields: FieldBase[];
}

function planFields(
  pair: Pair,
  mapping: ReadyMapping,
  findings: PairFindings,
  waits: (field: ReadyField) => boolean,
): FieldPlans {
  const plans: FieldPlans = { changes: {}, custom: [], fieldChanges: [], settled: [], fields: [] };
  for (const field of mapping.fields) {
    const before = pair.base?.fields[field.index] ?? emptyFieldBase;
    const reportedBefore = findings.list.length;
    const isWaiting = waits(field);
    const plan: FieldPlan = isWaiting ? { base: before } : planField(field, before, pair, mapping, findings);
    const { write } = plan;
    const base = isWaiting ? before : withReported(plan.base, findings.list.length > reportedBefore);
    plans.settled.push(base);
    plans.fields.push(isArrival(before, base) ? before : base);
    if (write === undefined) continue;
    plans.fieldChanges.push(fieldChange(field, write));
    if (write.side === 'crm') plans.changes[field.contact] = contactValue(field, write.text, mapping);
    else plans.custom.push(customFieldWrite(field, write.text));
  }
  return plans;
}

function withReported({ reported: _, ...base }: FieldBase, isReported: boolean): FieldBase {
  return isReported ? { ...base, reported: true } : base;
}

/**
 * Whether a field remembers the same, or only forgets writes whose echo arrived. A value that was written more than
 * once is forgotten by a new token: otherwise its next write would count as one more that is not accepted.
 */
function isArrival(before: FieldBase, after: FieldBase): boolean {
  const isArrived = (wrote: AwaitedWrite | undefined, awaited: AwaitedWrite | undefined): boolean =>
    awaited ? awaited === wrote : wrote === undefined || wrote.count === 1;
  return (
    before.agreed === after.agreed &&
    before.reported === after.reported &&
    isArrived(before.toSubscription, after.toSubscription) &&
    isArrived(before.toContact, after.toContact)
  );
}

interface FieldPlan {
  readonly base: FieldBase;
  readonly write?: FieldWrite;
}

/** A canonical text to write, and the one that it replaces. */
interface FieldWrite {
  readonly side: Side;
  readonly text: string;
  readonly replaced: string;
  readonly reason: ChangeReason;
}

function fieldChange(
  { kind, contact, customField }: ReadyField,
  { side, text, replaced, reason }: FieldWrite,
): FieldChange {
  const field = side === 'crm' ? contact : (customField ?? '');
  return { kind: 'update', side, field, from: valueOf(kind, replaced), to: valueOf(kind, text), reason };
}

/** What both sides show of a field: canonical texts. */
type Shown = Readonly<Record<Side, string>>;

const awaitedBy = { newsletter: 'toSubscription', crm: 'toContact' } as const;
const otherThan = { newsletter: 'crm', crm: 'newsletter' } as const;
const changedBy = { newsletter: 'changed_by_newsletter', crm: 'changed_by_crm' } as const;

function planField(
  field: ReadyField,
  before: FieldBase,
  pair: Pair,
  mapping: ReadyMapping,
  findings: PairFindings,
): FieldPlan {
  const a = readSubscription(field, pair.subscription);
  const b = readContact(field, pair.contact);
  if (a.state === 'invalid') findings.add('wrong_kind', field, 'newsletter');
  if (b.state === 'invalid') findings.add('wrong_kind', field, 'crm');
  const there = a.state === 'value' ? shownByContact(field, a.text, before, pair) : undefined;
  if (a.state !== 'value' || there === undefined) return { base: before };
  const isTwoWay = field.direction === 'both';
  const shown = { newsletter: a.text, crm: there };
  // Written once where nobody can see it.
  if (b.state === 'absent' && before.toContact?.fingerprint === valueFingerprint(mapping, a.text))
    return { base: before };
  if (a.text === there) return { base: isTwoWay ? { agreed: valueFingerprint(mapping, a.text) } : emptyFieldBase };

  const echo = planEcho(field, before, shown, mapping);
  if (echo) {
    findings.add(changedBy[echo.side], field, echo.side);
    return { base: echo.base };
  }
  const { winner, reason } = winnerOf(field, before, shown, mapping);
  if (winner === 'review') {
    findings.add('conflict', field);
    return { base: before };
  }
  const side = otherThan[winner];
  const text = shown[winner];
  const fingerprint = valueFingerprint(mapping, text);
  const last = before[awaitedBy[side]];
  const count = last?.fingerprint === fingerprint ? last.count + 1 : 1;
  if (count > (field.kind === 'boolean' ? maxToggles : maxWrites)) {
    findings.add('not_accepted', field, side);
    return { base: before };
  }
  const other = before[awaitedBy[winner]];
  return {
    base: {
      ...(isTwoWay && { agreed: fingerprint }),
      [awaitedBy[side]]: { fingerprint, count },
      // Another form that the winner showed before belongs to the value before.
      ...(other && other.count > 0 && { [awaitedBy[winner]]: other }),
    },
    write: { side, text, replaced: shown[side], reason },
  };
}

/** The side that shows what was last written to it in another form, while the other side still has that value. */
function planEcho(
  field: ReadyField,
  before: FieldBase,
  shown: Shown,
  mapping: ReadyMapping,
): { readonly side: Side; readonly base: FieldBase } | undefined {
  for (const side of ['crm', 'newsletter'] as const) {
    const wrote = before[awaitedBy[side]];
    if (!wrote) continue;
    const other = shown[otherThan[side]];
    const written = before.agreed ?? wrote.fingerprint;
    if (valueFingerprint(mapping, other) !== written) continue;
    const form = { fingerprint: valueFingerprint(mapping, shown[side]), count: 0 };
    // Seen before: the side goes on showing this form.
    if (wrote.count === 0 && wrote.fingerprint === form.fingerprint) return { side, base: before };
    if (wrote.count === 0 || wrote.fingerprint !== written || !isEcho(field, other, shown[side])) continue;
    // The value of a field that goes one way is written whenever it changes, whatever the other side shows.
    return { side, base: field.direction === 'both' ? { agreed: written, [awaitedBy[side]]: form } : before };
  }
  return undefined;
}

/** Whose value goes to the other side, and why. */
function winnerOf(
  { direction, conflict }: ReadyField,
  before: FieldBase,
  shown: Shown,
  mapping: ReadyMapping,
): { readonly winner: ReadyField['conflict']; readonly reason: ChangeReason } {
  if (direction === 'to_contact') return { winner: 'newsletter', reason: 'from_newsletter' };
  if (direction === 'to_subscription') return { winner: 'crm', reason: 'from_crm' };
  const isChanged = (side: Side): boolean => {
    const form = before[awaitedBy[side]];
    const known = form?.count === 0 ? form.fingerprint : before.agreed;
    return known === undefined ? shown[side] !== '' : valueFingerprint(mapping, shown[side]) !== known;
  };
  const [aChanged, bChanged] = [isChanged('newsletter'), isChanged('crm')];
  if (aChanged && !bChanged)
    return { winner: 'newsletter', reason: shown.crm === '' ? 'only_in_newsletter' : 'changed_in_newsletter' };
  if (bChanged && !aChanged)
    return { winner: 'crm', reason: shown.newsletter === '' ? 'only_in_crm' : 'changed_in_crm' };
  return { winner: conflict, reason: conflict === 'newsletter' ? 'newsletter_wins' : 'crm_wins' };
}

/** A canonical text as the newsletter's custom field takes it. */
export function customFieldWrite({ customField = '', kind }: ReadyField, text: string): CustomFieldWrite {
  const value = valueOf(kind, text);
  return value === null ? { name: customField, delete: true } : { name: customField, value };
}

/** A canonical text as the contact's field takes it. */
export function contactValue({ kind, separator }: ReadyField, text: string, { emptyValue }: ReadyMapping): unknown {
  const value = valueOf(kind, text);
  if (value === null) return emptyValue;
  return Array.isArray(value) && separator !== undefined ? value.join(separator) : value;
}
