/** Plans the values of a pair: a three-way merge of each field with the value both sides last agreed on. Pure. */
import { type FieldValue, valueOf } from '../mapping/canonical-value.ts';
import { readContact, readSubscription, valueFingerprint } from '../mapping/prepare-mapping.ts';
import type { Pair, ReadyField, ReadyMapping } from '../mapping/prepare-mapping.ts';
import type { FieldBase, Side } from '../mapping/token.ts';
import type { FieldChange } from '../report/changes.ts';
import type { PairFindings } from '../report/findings.ts';

export const emptyFieldBase: FieldBase = {};

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
  if (reading === undefined && field.direction === 'to_contact')
    return field.kind === 'boolean' && here !== 'true' ? here : '';
  return reading ?? undefined;
}

/** @returns the values of a pair to write, and the bases of its fields: those of before where nothing has changed */
export function planFields(
  pair: Pair,
  mapping: ReadyMapping,
  findings: PairFindings,
  waits: (field: ReadyField) => boolean,
): Readonly<{ changes: FieldChange[]; fields: FieldBase[] }> {
  const plans: ReturnType<typeof planFields> = { changes: [], fields: [] };
  for (const field of mapping.fields) {
    const before = pair.base?.fields[field.index] ?? emptyFieldBase;
    const reportedBefore = findings.list.length;
    const { base, change }: FieldPlan = waits(field)
      ? { base: before }
      : planField(field, before, pair, mapping, findings);
    const isReported = waits(field) ? before.reported : findings.list.length > reportedBefore || undefined;
    const { reported: _, ...unreported } = base;
    plans.fields.push(base.reported === isReported ? base : isReported ? { ...base, reported: true } : unreported);
    if (change) plans.changes.push(change);
  }
  return plans;
}

interface FieldPlan {
  readonly base: FieldBase;
  readonly change?: FieldChange;
}

/** What both sides show of a field: canonical texts. */
type Shown = Readonly<Record<Side, string>>;

const otherThan = { newsletter: 'crm', crm: 'newsletter' } as const;

function planField(
  field: ReadyField,
  before: FieldBase,
  pair: Pair,
  mapping: ReadyMapping,
  findings: PairFindings,
): FieldPlan {
  const a = readSubscription(field, pair.subscription);
  const b = readContact(field, pair.contact);
  if (a === null) findings.add('wrong_kind', field, 'newsletter');
  if (b === null) findings.add('wrong_kind', field, 'crm');
  const there = typeof a === 'string' ? shownByContact(field, a, before, pair) : undefined;
  if (typeof a !== 'string' || there === undefined) return { base: before };
  const print = (text: string): number => valueFingerprint(mapping, text);
  // Written once where nobody can see it.
  if (b === undefined && before.agreed === print(a)) return { base: before };
  const shown = { newsletter: a, crm: there };
  const { base, write, unlike } =
    field.direction === 'both' ? planBothWays(field, before, shown, print) : planOneWay(field, before, shown, print);
  if (unlike) findings.add('not_accepted', field, unlike);
  else if (!write && a !== there) findings.add('conflict', field);
  if (!write) return { base };
  const path = write.side === 'crm' ? field.contact : (field.customField ?? '');
  const [from, to] = [write.side, otherThan[write.side]].map((side) => valueOf(field.kind, shown[side]));
  return { base, change: { kind: 'update', field: path, from, to: to ?? null, ...write } };
}

/** What is done about a field whose values are known. */
interface FieldDecision {
  readonly base: FieldBase;
  readonly write?: Pick<FieldChange, 'side' | 'reason'>;
  /** A side that shows another value than was written to it. */
  readonly unlike?: Side | undefined;
}

/**
 * A value is written twice at most while the other side keeps showing another one. Where the link of the contact has
 * moved, its value may be that of another person, and stays in the CRM until it changes.
 */
function planOneWay(
  { direction }: ReadyField,
  before: FieldBase,
  shown: Shown,
  print: (text: string) => number,
): FieldDecision {
  if (shown.newsletter === shown.crm) return { base: before.again ? emptyFieldBase : before };
  const side = direction === 'to_contact' ? 'crm' : 'newsletter';
  const source = otherThan[side];
  const agreed = print(shown[source]);
  if (before.awaits === source) return { base: { shows: { side: source, fingerprint: agreed } }, unlike: source };
  if (before.shows?.fingerprint === agreed) return { base: before, unlike: source };
  const isWritten = before.agreed === agreed;
  if (isWritten && before.again) return { base: before, unlike: side };
  const reason = side === 'crm' ? 'from_newsletter' : 'from_crm';
  return { base: { agreed, ...(isWritten && { again: true }) }, write: { side, reason } };
}

/**
 * A field goes where it was not changed. What a side shows first in place of a written value is the form in which it
 * stores it, or an edit of the same time: it is written nowhere until a side changes.
 */
function planBothWays(
  { conflict }: ReadyField,
  before: FieldBase,
  shown: Shown,
  print: (text: string) => number,
): FieldDecision {
  const { agreed, awaits, shows } = before;
  if (shown.newsletter === shown.crm) {
    const settled = print(shown.crm);
    return { base: settled === agreed && !awaits && !shows ? before : { agreed: settled } };
  }
  const isChanged = (side: Side): boolean => {
    const known = shows?.side === side ? shows.fingerprint : agreed;
    return known === undefined ? shown[side] !== '' : print(shown[side]) !== known;
  };
  const changed = (['newsletter', 'crm'] as const).filter((side) => side !== awaits && isChanged(side));
  const [winner = shows?.side ?? 'crm'] = changed;
  if (changed.length === 0 && awaits)
    return { base: { agreed, shows: { side: awaits, fingerprint: print(shown[awaits]) } }, unlike: awaits };
  if (changed.length === 0) return { base: before, unlike: winner };
  const isBoth = changed.length === 2;
  if (isBoth && conflict === 'review') return { base: before };
  const from = isBoth && conflict === 'crm' ? 'crm' : winner;
  const side = otherThan[from];
  const isFilled = shown[side] !== '';
  const reasons = {
    newsletter: isBoth ? 'newsletter_wins' : isFilled ? 'changed_in_newsletter' : 'only_in_newsletter',
    crm: isBoth ? 'crm_wins' : isFilled ? 'changed_in_crm' : 'only_in_crm',
  } as const;
  // What is overwritten may be an edit that was made right after the last write: nobody is left to think it was kept.
  const unlike = side === awaits && isChanged(side) ? side : undefined;
  return { base: { agreed: print(shown[from]), awaits: side }, write: { side, reason: reasons[from] }, unlike };
}

/** A value as the contact's field takes it. */
export function contactValue(path: string, value: FieldValue, { fields, emptyValue }: ReadyMapping): unknown {
  if (!Array.isArray(value)) return value ?? emptyValue;
  const { separator } =
    fields.find(({ contact, direction }) => contact === path && direction !== 'to_subscription') ?? {};
  return separator === undefined ? value : value.join(separator);
}
