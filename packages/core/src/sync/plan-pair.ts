/** Decides about one subscription and its contact: a three-way merge with what both last showed. Pure. */
import { isAddress } from '../signup/address.ts';
import type { SyncContact } from './contact.ts';
import { finding, type Finding, type FindingCode, type Side } from './findings.ts';
import {
  addressPrint,
  matchKey,
  readSubscription,
  valuePrint,
  type ReadyField,
  type ReadyMapping,
  type SyncSubscription,
} from './mapping.ts';
import { encodeToken, type AwaitedWrite, type Base, type ConsentState, type FieldBase } from './token.ts';
import { readValue, valueOf, type Reading } from './values.ts';

/** Why a pair is written; every write names it. */
export type Situation =
  | 'linked'
  | 'found_by_address'
  | 'ambiguous'
  | 'new_subscription'
  | 'contact_missing'
  | 'subscription_missing'
  | 'erased'
  | 'unknown_contact'
  | 'address_moved';

/** A value of a custom field to set, or to delete. */
export interface CustomFieldWrite {
  readonly name: string;
  readonly value?: string | number | boolean | readonly string[];
  readonly delete?: true;
}

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
}

/**
 * An opt-out or unsubscribe that the sync saw or carried; what an auditor asks for. Holds no address. It is made by the
 * run that writes it down in the contact's token, and by no later one.
 */
export interface ConsentRecord {
  /** Who said no. */
  readonly saidBy: Side;
  readonly subscriptionId: string;
  /** Null for a contact that is missing or to be created. */
  readonly contactId: string | null;
  /** The field that said it: `status`, or the contact's opt-out. */
  readonly field: string;
  /** What was written where: the opt-out of the contact, its copy of the status, the subscription's, or nothing. */
  readonly written: { readonly side: Side; readonly field: string; readonly value: true | 'inactive' } | null;
}

/** What is to be done about a pair. */
export interface PairPlan {
  readonly situation: Situation;
  readonly subscriptionWrite: SubscriptionWrite | null;
  /** Null also where only a token would be written that nothing depends on. */
  readonly contactWrite: ContactWrite | null;
  /** What to keep of the pair; it is in the contact write's token. */
  readonly base: Base;
  readonly findings: readonly Finding[];
  readonly consent: readonly ConsentRecord[];
  /** Whether a field that had a value gets none. */
  readonly clears: boolean;
}

/** How a pair came about, and what of it may be written. */
export interface PairOptions {
  /** Default: `linked` with a base, otherwise `found_by_address`. */
  readonly situation?: Situation | undefined;
  /** The pair's values wait: only consent is planned. */
  readonly valuesWait?: boolean | undefined;
  /** The opt-out is set in another contact of the same subscription: it counts here, too. */
  readonly optOutElsewhere?: boolean | undefined;
}

const nothingKept: FieldBase = {};

/** A value is written to a side at most this often while the side keeps showing another one. */
const mostWrites = 2;

/** Bits of the findings already reported: those about the pair have one each, those about a field share the others. */
const pairFindings: readonly FindingCode[] = [
  'active_while_opted_out',
  'address_changed_in_crm',
  'address_changed_in_newsletter',
  'address_changed_on_both_sides',
  'ambiguous',
  'erased',
  'move_refused',
  'move_waits',
  'opt_out_unreadable',
  'subscription_gone',
  'write_failed',
];
const fieldBits = 24 - pairFindings.length;

/** Collects the findings of a pair, and the bits of those it reports. */
class Findings {
  list: readonly Finding[] = none;
  reported = 0;
  private readonly base: Base | undefined;
  private readonly contact: SyncContact;
  private readonly subscription: SyncSubscription;

  constructor(base: Base | undefined, contact: SyncContact, subscription: SyncSubscription) {
    this.base = base;
    this.contact = contact;
    this.subscription = subscription;
  }

  add(code: FindingCode, field?: ReadyField, side?: Side): void {
    const own = pairFindings.indexOf(code);
    const bit = own >= 0 ? own : pairFindings.length + ((field?.index ?? 0) % fieldBits);
    this.reported |= 1 << bit;
    const isNew = ((this.base?.reported ?? 0) & (1 << bit)) === 0;
    const place = {
      row: this.contact.row,
      contactId: this.contact.id,
      subscriptionId: this.subscription.id,
      ...(field && { field: field.contact }),
      ...(side && { side }),
    };
    this.list = [...this.list, finding(code, isNew, place)];
  }
}

const none: readonly never[] = [];

/**
 * Plans one pair.
 *
 * - A field goes where it was not changed: what both sides show is compared with what they last agreed on. Without a
 *   base, a side that has a value counts as changed. A field that a side did not deliver is left alone.
 * - Consent only falls. A newly set opt-out unsubscribes; leaving the newsletter sets the opt-out. Nothing here
 *   activates a subscription or clears an opt-out.
 *
 * @param base - what {@link decodeToken} read from the contact's token; undefined without one
 */
export function planPair(
  subscription: SyncSubscription,
  contact: SyncContact,
  base: Base | undefined,
  mapping: ReadyMapping,
  options: PairOptions = {},
): PairPlan {
  const situation = options.situation ?? (base ? 'linked' : 'found_by_address');
  const findings = new Findings(base, contact, subscription);
  if (base && isErased(subscription)) return erasedPlan(base, contact, mapping, findings);

  const changes: Record<string, unknown> = {};
  const consent = planConsent(subscription, contact, base, mapping, options.optOutElsewhere ?? false, findings);
  const { optOut } = mapping;
  if (optOut && consent.setOptOut) changes[optOut.contact] = true;
  const address = options.valuesWait
    ? { print: base?.address ?? addressPrint(mapping, subscription.email), write: false }
    : planAddress(subscription, contact, base, mapping, findings);
  if (address.write) changes[mapping.paths.email] = subscription.email;

  const custom: CustomFieldWrite[] = [];
  let clears = false;
  /** What is kept of each field in a token that is written in any case. */
  const settled: FieldBase[] = [];
  /** The same, as long as nothing but an echo has come: that is no reason to write a token. */
  const fields: FieldBase[] = [];
  for (const field of mapping.fields) {
    const before = base?.fields[field.index] ?? nothingKept;
    const planned = options.valuesWait
      ? { base: before }
      : planField(
          field,
          readSubscription(field, subscription),
          readContact(field, contact, mapping),
          before,
          mapping,
          findings,
        );
    const isEcho = planned.write === undefined && planned.base.agreed === before.agreed;
    settled.push(planned.base);
    fields.push(isEcho ? before : planned.base);
    if (planned.write === undefined) continue;
    const { side, text } = planned.write;
    clears ||= text === '';
    if (side === 'crm') changes[field.contact] = contactValue(field, text, mapping);
    else custom.push(customFieldWrite(field, text));
  }

  const subscriptionWrite =
    consent.unsubscribe || custom.length > 0
      ? {
          subscription_id: subscription.id,
          ...(consent.unsubscribe && { unsubscribe: true as const }),
          ...(custom.length > 0 && { custom_fields: custom }),
        }
      : null;
  const unchanged: Base = {
    subscriptionId: subscription.id,
    address: address.print,
    consent: consent.state,
    optOut: consent.optOut,
    fields,
    reported: findings.reported,
  };
  const isWritten =
    subscriptionWrite !== null ||
    Object.keys(changes).length > 0 ||
    (!isSameBase(base, unchanged) && isTokenNeeded(unchanged, contact, mapping, options.valuesWait ?? false));
  const next = isWritten ? { ...unchanged, fields: settled } : unchanged;
  return {
    situation,
    subscriptionWrite,
    contactWrite: isWritten ? { id: contact.id, situation, changes, token: encodeToken(next, mapping) } : null,
    base: next,
    findings: findings.list,
    consent: isWritten ? consent.records.map((record) => withStatus(record, changes, mapping)) : [],
    clears,
  };
}

/** A leave that was written nowhere else is told by the contact's copy of the status. */
export function withStatus(
  record: ConsentRecord,
  changes: ContactWrite['changes'],
  { fields }: ReadyMapping,
): ConsentRecord {
  const status = fields.find(({ newsletter, contact }) => newsletter === 'status' && changes[contact] === 'inactive');
  return status && record.written === null && record.saidBy === 'newsletter'
    ? { ...record, written: { side: 'crm', field: status.contact, value: 'inactive' } }
    : record;
}

/** Whether nothing but an echo has come since the token was written. */
function isSameBase(before: Base | undefined, after: Base): boolean {
  return (
    before !== undefined &&
    before.address === after.address &&
    before.consent === after.consent &&
    before.optOut === after.optOut &&
    before.reported === after.reported &&
    after.fields.every((field, index) => field === (before.fields[index] ?? nothingKept))
  );
}

/** Whether a later run would decide otherwise without the token. */
function isTokenNeeded(next: Base, { token }: SyncContact, { fields }: ReadyMapping, valuesWait: boolean): boolean {
  if (hasToken(token)) return true;
  // One of several contacts of a subscription is not linked to it until it is the only one.
  if (valuesWait) return false;
  // A leave is recorded once.
  if (next.consent === 'left_newsletter') return true;
  return next.reported !== 0 || next.optOut === true || fields.some(({ direction }) => direction === 'both');
}

/** Whether something stands in the token field, whole or damaged. */
export function hasToken(token: unknown): boolean {
  return token !== undefined && token !== null && token !== '';
}

/** Whether the service has erased the person: the address is under `.invalid`, which never exists (RFC 2606). */
export function isErased({ email }: Pick<SyncSubscription, 'email'>): boolean {
  return /\.invalid$/i.test(email.trim());
}

/** Nothing of an erased person is copied. The token keeps what it knew, so that nobody is subscribed anew. */
function erasedPlan(base: Base, contact: SyncContact, mapping: ReadyMapping, findings: Findings): PairPlan {
  findings.add('erased');
  const next = { ...base, reported: findings.reported };
  const token = encodeToken(next, mapping);
  return {
    situation: 'erased',
    subscriptionWrite: null,
    contactWrite: token === contact.token ? null : { id: contact.id, situation: 'erased', changes: {}, token },
    base: next,
    findings: findings.list,
    consent: [],
    clears: false,
  };
}

interface ConsentPlan {
  readonly state: ConsentState;
  readonly optOut: boolean | undefined;
  readonly unsubscribe: boolean;
  readonly setOptOut: boolean;
  readonly records: readonly ConsentRecord[];
}

function planConsent(
  subscription: SyncSubscription,
  contact: SyncContact,
  base: Base | undefined,
  { optOut: field }: ReadyMapping,
  optOutElsewhere: boolean,
  findings: Findings,
): ConsentPlan {
  const hasLeft = subscription.status === 'inactive';
  const before = base?.consent ?? 'unknown';
  const saidNo = before === 'left_newsletter' || before === 'opted_out_in_crm';
  const state: ConsentState = hasLeft ? (saidNo ? before : 'left_newsletter') : 'subscribed';
  const nothing = { state, optOut: base?.optOut, unsubscribe: false, setOptOut: false, records: [] };
  const place = { subscriptionId: subscription.id, contactId: contact.id };
  const left = { ...place, saidBy: 'newsletter', field: 'status' } as const;
  if (!field) return { ...nothing, records: hasLeft && !saidNo ? [{ ...left, written: null }] : [] };

  const reading = readValue('boolean', contact.optOut);
  if (reading.state === 'invalid') findings.add('opt_out_unreadable');
  // An opt-out that was not delivered says nothing: a leave is carried as soon as it is delivered.
  if (reading.state !== 'value') return { ...nothing, state: hasLeft && !saidNo ? before : state };

  const isSet = reading.text === 'true';
  const isNewlySet = isSet && base?.optOut !== true;
  const status = { side: 'newsletter', field: 'status', value: 'inactive' } as const;
  const optOut = { side: 'crm', field: field.contact, value: true } as const;
  const vetoed = { ...place, saidBy: 'crm', field: field.contact } as const;
  if (hasLeft) {
    if (saidNo) {
      const spread = optOutElsewhere && !isSet;
      return {
        ...nothing,
        optOut: isSet || spread,
        setOptOut: spread,
        records: spread ? [{ ...vetoed, written: optOut }] : [],
      };
    }
    // Both say no for the first time: whoever said it first, nothing is left to do.
    if (isSet)
      return {
        ...nothing,
        state: isNewlySet ? 'opted_out_in_crm' : 'left_newsletter',
        optOut: true,
        records: [{ ...(isNewlySet ? vetoed : left), written: null }],
      };
    const isCarried = field.setOnUnsubscribe || optOutElsewhere;
    return {
      ...nothing,
      optOut: isCarried,
      setOptOut: isCarried,
      records: [{ ...left, written: isCarried ? optOut : null }],
    };
  }
  if (isNewlySet)
    return {
      ...nothing,
      state: 'opted_out_in_crm',
      optOut: true,
      unsubscribe: true,
      records: [{ ...vetoed, written: status }],
    };
  const spread = optOutElsewhere && !isSet;
  // Reported in every run until a person clears one side: a veto cleared and set again between two runs leaves no edge.
  if (isSet) findings.add('active_while_opted_out');
  return {
    ...nothing,
    optOut: isSet || spread,
    setOptOut: spread,
    records: spread ? [{ ...vetoed, written: optOut }] : [],
  };
}

function planAddress(
  subscription: SyncSubscription,
  contact: SyncContact,
  base: Base | undefined,
  mapping: ReadyMapping,
  findings: Findings,
): { readonly print: number; readonly write: boolean } {
  const ofSubscription = addressPrint(mapping, subscription.email);
  if (!base || matchKey(contact.email) === matchKey(subscription.email)) return { print: ofSubscription, write: false };
  // Reported where the contact came in.
  if (!isAddress(contact.email.trim())) return { print: base.address, write: false };
  const changedHere = ofSubscription !== base.address;
  const changedThere = addressPrint(mapping, contact.email) !== base.address;
  if (changedHere && !changedThere && mapping.situations.addressChangedInNewsletter === 'write')
    return { print: ofSubscription, write: true };
  findings.add(
    changedHere
      ? changedThere
        ? 'address_changed_on_both_sides'
        : 'address_changed_in_newsletter'
      : 'address_changed_in_crm',
  );
  return { print: base.address, write: false };
}

/** What the contact shows in the field. */
export function readContact(field: ReadyField, contact: SyncContact, mapping: ReadyMapping): Reading {
  const value = contact.values[field.contact];
  return readValue(field.kind, value === undefined && mapping.missingIsEmpty ? null : value, field.separator);
}

interface FieldPlan {
  readonly base: FieldBase;
  readonly write?: { readonly side: Side; readonly text: string };
}

function planField(
  field: ReadyField,
  a: Reading,
  b: Reading,
  before: FieldBase,
  mapping: ReadyMapping,
  findings: Findings,
): FieldPlan {
  if (a.state === 'invalid') findings.add('wrong_kind', field, 'newsletter');
  if (b.state === 'invalid') findings.add('wrong_kind', field, 'crm');
  if (a.state !== 'value' || b.state !== 'value') return { base: before };
  const isTwoWay = field.direction === 'both';
  if (a.text === b.text) {
    if (!isTwoWay) return { base: nothingKept };
    return { base: { agreed: valuePrint(mapping, a.text) } };
  }
  const winner = winnerOf(field, a.text, b.text, before, mapping);
  if (winner === 'review') {
    findings.add('conflict', field);
    return { base: before };
  }
  const [target, text] = winner === 'newsletter' ? (['crm', a.text] as const) : (['newsletter', b.text] as const);
  const awaits = target === 'crm' ? 'toContact' : 'toSubscription';
  const print = valuePrint(mapping, text);
  const last: AwaitedWrite | undefined = before[awaits];
  const count = last?.print === print ? last.count + 1 : 1;
  if (count > 1) findings.add('not_accepted', field, target);
  if (count > mostWrites) return { base: before };
  return {
    base: { ...before, ...(isTwoWay && { agreed: print }), [awaits]: { print, count } },
    write: { side: target, text },
  };
}

/** Whose value goes to the other side. */
function winnerOf(
  { direction, conflict }: ReadyField,
  a: string,
  b: string,
  { agreed }: FieldBase,
  mapping: ReadyMapping,
): ReadyField['conflict'] {
  if (direction !== 'both') return direction === 'to_contact' ? 'newsletter' : 'crm';
  const isChanged = (text: string): boolean =>
    agreed === undefined ? text !== '' : valuePrint(mapping, text) !== agreed;
  const [aChanged, bChanged] = [isChanged(a), isChanged(b)];
  if (aChanged !== bChanged) return aChanged ? 'newsletter' : 'crm';
  return conflict;
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
