/** What a plan changes, as a person reads it: a line for each changed field, and one sentence for all of it. Pure. */
import { bulkUpdateLimit } from '../../contract/values.ts';
import { changeKinds, changeReasons, withoutContactTexts } from './changes.ts';
import type { ChangeKind, ChangeReason, FieldChange, WithoutContact } from './changes.ts';
import type { PlannedWrites, SyncPlan } from './plan.ts';

/** A change with its person. It holds an address and values: for whoever runs the sync, never for logs. */
export interface PlannedChange extends Omit<FieldChange, 'person'> {
  readonly email: string;
  readonly contactId: string | null;
  readonly subscriptionId: string | null;
}

/**
 * Every change of a plan, unsubscribes and opt-outs first, then as {@link changeKinds} has them. The `whole` of a plan
 * has them all, also where it is held back.
 */
export function* changesOf(writes: PlannedWrites): Generator<PlannedChange, void, undefined> {
  for (const kind of Object.keys(changeKinds) as ChangeKind[]) {
    for (const { email, subscriptionId, contactId, changes } of writes.pairs)
      for (const { person, ...change } of changes)
        if (change.kind === kind) yield { ...change, email, subscriptionId, contactId, ...person };
    if (kind === 'create_subscription')
      for (const { contactId, request } of writes.subscriptionCreates)
        yield {
          kind,
          side: 'newsletter',
          ...created(request.email, 'unknown_contact'),
          contactId,
          subscriptionId: null,
        };
    if (kind === 'create_contact')
      for (const { subscriptionId, email } of writes.contactCreates)
        yield { kind, side: 'crm', ...created(email, 'new_subscription'), contactId: null, subscriptionId };
  }
}

/** The address of a record that is created. */
const created = (email: string, reason: ChangeReason) => ({ field: 'email', from: null, to: email, reason, email });

/**
 * The plan in a few words, what cannot be taken back first.
 *
 * @param applied - the result of the run; undefined for a preview
 * @example `Would unsubscribe 25 people (limit 20). Would create 0 contacts, change 27. … Nothing was written.`
 */
export function summaryOf(
  { counts, held }: Pick<SyncPlan, 'counts' | 'held'>,
  applied?: { readonly failed: number },
): string {
  const { unsubscribes, limit, contactCreates, contactUpdates, subscriptionCreates, subscriptionUpdates } = counts;
  const isDone = applied !== undefined && held === null;
  const has = (done: string, planned: string): string => (isDone ? done : `Would ${planned}`);
  const others = subscriptionUpdates - unsubscribes;
  const [writes, requests] = [contactCreates + contactUpdates, requestsOf(counts)];
  const left = Object.entries(counts.withoutContact).filter(([, people]) => people > 0);
  const sentences = [
    (unsubscribes > 0 || held) &&
      `${has('Unsubscribed', 'unsubscribe')} ${amount(unsubscribes, 'person', 'people')} (limit ${grouped.format(limit)})`,
    ...counts.overwrites
      .filter(({ count }) => count > limit)
      .map(
        ({ field, side, count }) =>
          `${has('Overwrote', 'overwrite')} ${amount(count, 'value')} of "${field}" in the ${side === 'crm' ? 'CRM' : 'newsletter'}`,
      ),
    `${has('Handed over to the CRM:', 'create')} ${amount(contactCreates, 'contact')}${isDone ? ' to create' : ''}, ${isDone ? '' : 'change '}${grouped.format(contactUpdates)}${isDone ? ' to change' : ''}${counts.optOuts > 0 ? ` (${grouped.format(counts.optOuts)} opted out)` : ''}`,
    others > 0 && `${has('Changed', 'change')} ${amount(others, 'subscription')}`,
    subscriptionCreates > 0 &&
      `${has('Subscribed', 'subscribe')} ${amount(subscriptionCreates, 'contact')}${counts.confirmations > 0 ? `, ${grouped.format(counts.confirmations)} of them by a mail that asks to confirm` : ''}`,
    applied && applied.failed > 0 && `The newsletter refused ${amount(applied.failed, 'change')}`,
    counts.waiting > 0 && `${amount(counts.waiting, 'contact waits', 'contacts wait')} for the next run`,
    left.length > 0 &&
      `${amount(sum(left.map(([, people]) => people)), 'subscription gets', 'subscriptions get')} no contact: ${left.map(([reason, people]) => `${grouped.format(people)} ${withoutContactTexts[reason as WithoutContact]}`).join(', ')}`,
    counts.unknownContacts > 0 && `${amount(counts.unknownContacts, 'contact')} without a subscription left alone`,
    counts.conflicts > 0 && `${amount(counts.conflicts, 'value differs', 'values differ')} on both sides`,
    counts.findings > 0 && `${amount(counts.findings, 'finding')}, ${grouped.format(counts.newFindings)} new`,
    held && `Held back: ${held.message.replace(/\.$/, '')}`,
    !applied && requests > 0
      ? `It would take ${amount(writes, 'write')} in the CRM, and ${amount(requests, 'request')} to the newsletter`
      : !applied && writes > 0 && `It would take ${amount(writes, 'write')} in the CRM`,
    applied ? held && 'Only opt-outs, and unsubscribes within the limit, were carried out' : 'Nothing was written',
  ];
  return sentences.flatMap((sentence) => (sentence ? [`${sentence}.`] : [])).join(' ');
}

/** A change in the words of a list. */
export interface ChangeLine {
  readonly what: string;
  readonly person: string;
  /** The field, and what it shows before and after; empty where a record is created. */
  readonly change: string;
  readonly why: string;
}

/**
 * A change as one line of a list.
 *
 * @param isShort - whether of the address only the first letter and the domain are shown: `a…@example.com`
 */
export function lineOf({ kind, email, field, from, to, reason }: PlannedChange, isShort = false): ChangeLine {
  return {
    what: changeKinds[kind],
    person: isShort ? email.replace(/^([^@])[^@]*/u, '$1…') : email,
    change: kind.startsWith('create') ? '' : `${field}: ${shownValue(from)} → ${shownValue(to)}`,
    why: changeReasons[reason],
  };
}

/** Longest value in a line. */
const longestValue = 24;

function shownValue(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const shown = value ?? '';
  const text = Array.isArray(shown) ? shown.join(', ') : typeof shown === 'string' ? shown : JSON.stringify(shown);
  if (text === '') return '(empty)';
  // A value of somebody else's must not move the cursor or start a line.
  const line = text.replaceAll(/[\p{Cc}\p{Cf}]/gu, ' ');
  return line.length > longestValue ? `${line.slice(0, longestValue - 1)}…` : line;
}

/** Requests that write to the newsletter; each bulk update is looked at at least once more. */
function requestsOf({ subscriptionUpdates, subscriptionCreates }: SyncPlan['counts']): number {
  return 2 * Math.ceil(subscriptionUpdates / bulkUpdateLimit) + Math.ceil(subscriptionCreates / bulkUpdateLimit);
}

const grouped = new Intl.NumberFormat('en');
const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
const amount = (count: number, one: string, many = `${one}s`): string =>
  `${grouped.format(count)} ${count === 1 ? one : many}`;
