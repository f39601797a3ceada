/** Plans the consent of a pair: an opt-out unsubscribes, leaving the newsletter sets the opt-out. Pure. */
import { hasLeft, isUnsubscribed } from '../../facts/subscriber-status.ts';
import { isOptedOut } from '../mapping/opt-out.ts';
import type { Pair, ReadyMapping, SyncSubscription } from '../mapping/prepare-mapping.ts';
import type { ConsentState } from '../mapping/token.ts';
import type { ChangeReason, FieldChange } from '../report/changes.ts';
import type { PairFindings } from '../report/findings.ts';
import type { ConsentRecord } from '../report/plan.ts';

/** Notes the contact's copy of the status as written, where the unsubscribe was written nowhere else. */
export function withStatus(
  record: ConsentRecord,
  changes: Readonly<Record<string, unknown>>,
  { fields }: ReadyMapping,
): ConsentRecord {
  const status = fields.find(({ newsletter, contact }) => newsletter === 'status' && changes[contact] === 'inactive');
  return status && record.written === null && record.saidBy === 'newsletter'
    ? { ...record, written: { side: 'crm', field: status.contact, value: 'inactive' } }
    : record;
}

interface ConsentPlan {
  readonly state: ConsentState;
  readonly optOut: boolean | undefined;
  readonly records: readonly ConsentRecord[];
  /** The unsubscribe and the opt-out to write, for a person. */
  readonly changes: readonly FieldChange[];
}

/** What is known about the consent of a pair, beside the pair. */
export interface ConsentOptions {
  /** The opt-out is set in another contact of the same subscription: it counts here, too. */
  readonly optOutElsewhere?: boolean | undefined;
  /** A token that was handed over and is not shown knows of the contact's opt-out: it has acted. */
  readonly knowsOptOut?: boolean | undefined;
  /** Other subscriptions with an address of the contact: its opt-out counts for them as well. */
  readonly also?: readonly SyncSubscription[] | undefined;
}

export function planConsent(
  { subscription, contact, base }: Pair,
  { optOut: field }: ReadyMapping,
  findings: PairFindings,
  { optOutElsewhere = false, knowsOptOut = false }: ConsentOptions,
): ConsentPlan {
  const isAway = hasLeft(subscription.status);
  const before = base?.consent ?? 'unknown';
  const wasWithdrawn = before === 'left_newsletter' || before === 'opted_out_in_crm';
  const isLeaving = isAway && !wasWithdrawn;
  const state: ConsentState = isAway ? (wasWithdrawn ? before : 'left_newsletter') : 'subscribed';
  const unchanged = { state, optOut: base?.optOut, records: [], changes: [] };
  const left = {
    saidBy: 'newsletter',
    subscriptionId: subscription.id,
    contactId: contact.id,
    field: 'status',
  } as const;
  if (!field) return { ...unchanged, records: isLeaving ? [{ ...left, written: null }] : [] };

  const shown = isOptedOut(contact.optOut, field);
  // An unsubscribe is written where nobody delivers the opt-out, too.
  if (shown === undefined && !isLeaving) return unchanged;

  const isSet = shown === true;
  const isNewlySet = isSet && base?.optOut !== true && !knowsOptOut;
  const vetoed = { ...left, saidBy: 'crm', field: field.contact } as const;
  const optOut = { side: 'crm', field: field.contact, value: true } as const;
  const optingOut = (reason: ChangeReason): readonly FieldChange[] => [
    { kind: 'opt_out', side: 'crm', field: field.contact, from: contact.optOut, to: true, reason },
  ];
  if (isNewlySet && !isUnsubscribed(subscription.status)) {
    const changes = [unsubscribing(subscription)];
    return { state: 'opted_out_in_crm', optOut: true, records: [{ ...vetoed, written: inactive }], changes };
  }
  // Both sides show it for the first time: nothing has to be written.
  if (isLeaving && isNewlySet)
    return { ...unchanged, state: 'opted_out_in_crm', optOut: true, records: [{ ...vetoed, written: null }] };
  if (isLeaving && isSet) return { ...unchanged, optOut: true, records: [{ ...left, written: null }] };
  if (isLeaving) {
    const isCopied = field.setOnUnsubscribe || optOutElsewhere;
    const optOutAfter = isCopied || (shown === undefined ? base?.optOut : false);
    const records = [{ ...left, written: isCopied ? optOut : null }];
    return { ...unchanged, optOut: optOutAfter, records, changes: isCopied ? optingOut('left_newsletter') : [] };
  }
  // Reported in every run until a person clears one side: a veto cleared and set again between two runs leaves no edge.
  if (!isAway && isSet) findings.add('active_while_opted_out');
  if (isSet || !optOutElsewhere) return { ...unchanged, optOut: isSet };
  const records = [{ ...vetoed, written: optOut }];
  return { ...unchanged, optOut: true, records, changes: optingOut('opted_out_elsewhere') };
}

const inactive = { side: 'newsletter', field: 'status', value: 'inactive' } as const;

const unsubscribing = ({ status }: SyncSubscription): FieldChange => ({
  kind: 'unsubscribe',
  side: 'newsletter',
  field: 'status',
  from: status,
  to: 'inactive',
  reason: 'opted_out_in_crm',
});

/**
 * The unsubscribes of other subscriptions with an address of the contact: an opt-out counts for every one, and newly
 * set, it unsubscribes all of them.
 */
export function planFurther(
  { contact, base }: Pair,
  { optOut }: ReadyMapping,
  { also = [], knowsOptOut = false }: ConsentOptions,
): Pick<ConsentPlan, 'records' | 'changes'> {
  const isNewlySet = base?.optOut !== true && !knowsOptOut && isOptedOut(contact.optOut, optOut) === true;
  const active = optOut && isNewlySet ? also.filter(({ status }) => !isUnsubscribed(status)) : [];
  const said = { saidBy: 'crm', contactId: contact.id, field: optOut?.contact ?? '', written: inactive } as const;
  return {
    records: active.map(({ id }) => ({ ...said, subscriptionId: id })),
    changes: active.map((one) => ({ ...unsubscribing(one), person: { email: one.email, subscriptionId: one.id } })),
  };
}
