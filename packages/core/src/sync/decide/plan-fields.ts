/** Plans the values of a pair: a three-way merge of each field with the value both sides last agreed on. Pure. */
import { valueOf } from '../mapping/canonical-value.ts';
import type { Pair } from '../mapping/pair.ts';
import { readContact, readSubscription, valueFingerprint } from '../mapping/prepare-mapping.ts';
import type { ReadyField, ReadyMapping } from '../mapping/prepare-mapping.ts';
import { type FieldBase, type ShownForm, unseenForm } from '../mapping/token.ts';
import type { ChangeReason, FieldChange } from '../report/changes.ts';
import type { PairFindings, Side } from '../report/findings.ts';
import type { CustomFieldWrite } from '../report/plan.ts';
import { isEcho } from './echo.ts';

export const emptyFieldBase: FieldBase = {};

/** A value is written to a side at most this often while the side keeps showing another one. */
const maxWrites = 2;
/** A yes or no has no other form: what a side shows is somebody's choice, who may change his mind in every run. */
const maxToggles = 62;

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

export function planFields(
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
    const { base: next, write }: FieldPlan = isWaiting
      ? { base: before }
      : planField(field, before, pair, mapping, findings);
    const base = isWaiting ? before : withReported(next, findings.list.length > reportedBefore);
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
  const isArrived = (wrote: FieldBase['toContact'], awaited: FieldBase['toContact']): boolean =>
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
  given: FieldBase,
  pair: Pair,
  mapping: ReadyMapping,
  findings: PairFindings,
): FieldPlan {
  const a = readSubscription(field, pair.subscription);
  const b = readContact(field, pair.contact);
  if (a.state === 'invalid') findings.add('wrong_kind', field, 'newsletter');
  if (b.state === 'invalid') findings.add('wrong_kind', field, 'crm');
  const there = a.state === 'value' ? shownByContact(field, a.text, given, pair) : undefined;
  if (a.state !== 'value' || there === undefined) return { base: given };
  const isUnseen = given.toContact?.isForm && given.toContact.fingerprint === unseenForm;
  const before = isUnseen ? { ...given, toContact: formOf(mapping, there) } : given;
  const isTwoWay = field.direction === 'both';
  const shown = { newsletter: a.text, crm: there };
  // Written once where nobody can see it.
  if (b.state === 'absent' && before.toContact?.fingerprint === valueFingerprint(mapping, a.text))
    return { base: before };
  if (a.text === there) return { base: isTwoWay ? { agreed: valueFingerprint(mapping, a.text) } : emptyFieldBase };

  // The link of the contact has moved: the value may be that of another person until it changes.
  if (!isTwoWay && before.toContact?.isForm && before.toContact.fingerprint === formOf(mapping, there).fingerprint) {
    findings.add(changedBy.crm, field, 'crm');
    return { base: before };
  }
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
  const count = last?.fingerprint === fingerprint ? (last.count ?? 0) + 1 : 1;
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
      ...(other && !other.isForm && { [awaitedBy[winner]]: other }),
    },
    write: { side, text, replaced: shown[side], reason },
  };
}

const formOf = (mapping: ReadyMapping, text: string): ShownForm => ({
  fingerprint: valueFingerprint(mapping, text),
  isForm: true,
});

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
    const form = formOf(mapping, shown[side]);
    // Seen before: the side goes on showing this form.
    if (wrote.isForm && wrote.fingerprint === form.fingerprint) return { side, base: before };
    if (wrote.isForm || wrote.fingerprint !== written || !isEcho(field, other, shown[side])) continue;
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
    const known = form?.isForm ? form.fingerprint : before.agreed;
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
