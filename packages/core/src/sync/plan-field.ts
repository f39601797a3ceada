/** Plans one mapped field of a pair: a three-way merge of both values with the value last agreed on. Pure. */
import type { SyncContact } from './contact.ts';
import type { PairFindings, Side } from './findings.ts';
import { type ReadyField, type ReadyMapping, valueFingerprint } from './prepare-mapping.ts';
import type { FieldBase, AwaitedWrite } from './token.ts';
import { type Reading, readValue, valueOf } from './values.ts';

export const emptyFieldBase: FieldBase = {};

/** A value is written to a side at most this often while the side keeps showing another one. */
const mostWrites = 2;

/** A value of a custom field to set, or to delete. */
export interface CustomFieldWrite {
  readonly name: string;
  readonly value?: string | number | boolean | readonly string[];
  readonly delete?: true;
}

/** Reads the contact's value of a field. */
export function readContact(field: ReadyField, contact: SyncContact, mapping: ReadyMapping): Reading {
  const value = contact.values[field.contact];
  return readValue(field.kind, value === undefined && mapping.missingIsEmpty ? null : value, field.separator);
}

interface FieldPlan {
  readonly base: FieldBase;
  readonly write?: { readonly side: Side; readonly text: string };
}

export function planField(
  field: ReadyField,
  a: Reading,
  b: Reading,
  before: FieldBase,
  mapping: ReadyMapping,
  findings: PairFindings,
): FieldPlan {
  if (a.state === 'invalid') findings.add('wrong_kind', field, 'newsletter');
  if (b.state === 'invalid') findings.add('wrong_kind', field, 'crm');
  if (a.state !== 'value' || b.state !== 'value') return { base: before };
  const isTwoWay = field.direction === 'both';
  if (a.text === b.text) {
    if (!isTwoWay) return { base: emptyFieldBase };
    return { base: { agreed: valueFingerprint(mapping, a.text) } };
  }
  const winner = winnerOf(field, a.text, b.text, before, mapping);
  if (winner === 'review') {
    findings.add('conflict', field);
    return { base: before };
  }
  const [target, text] = winner === 'newsletter' ? (['crm', a.text] as const) : (['newsletter', b.text] as const);
  const awaits = target === 'crm' ? 'toContact' : 'toSubscription';
  const fingerprint = valueFingerprint(mapping, text);
  const last: AwaitedWrite | undefined = before[awaits];
  const count = last?.fingerprint === fingerprint ? last.count + 1 : 1;
  if (count > 1) findings.add('not_accepted', field, target);
  if (count > mostWrites) return { base: before };
  return {
    base: { ...before, ...(isTwoWay && { agreed: fingerprint }), [awaits]: { fingerprint, count } },
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
    agreed === undefined ? text !== '' : valueFingerprint(mapping, text) !== agreed;
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
