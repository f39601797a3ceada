/** The circuit breaker: holds back a plan that changes too much until a person accepts it. Pure. */
import { nearMiss } from '../../engine/near-miss.ts';
import type { ReadyMapping } from '../mapping/prepare-mapping.ts';
import { maxEntries } from '../mapping/state.ts';
import { heldRemedies, type HeldReason } from '../report/findings.ts';
import type { Held, SyncCounts } from '../report/plan.ts';
import type { UnclearWords } from '../report/unclear-words.ts';

/** What the breaker looks at, beside the counts. */
export interface BreakerFacts {
  /** Paths of the mapping that a side no longer has; those accepted before left out. */
  readonly missing: readonly string[];
  /** Paths that contacts have. */
  readonly fieldNames: readonly string[];
  readonly unclear: UnclearWords;
  /** Contacts that the last complete run read; null before the first. */
  readonly contactsBefore: number | null;
  /** Entries of the largest list in the state for the next run. */
  readonly entries: number;
}

/** How many people a plan may unsubscribe, or change the same way, without a person who accepts it. */
export function limitOf({ breaker }: Pick<ReadyMapping, 'breaker'>, pairs: number): number {
  return Math.floor(Math.max(breaker.atLeast, breaker.share * pairs));
}

/** Why a plan is held back; null where it passes. */
export function holdBack(mapping: ReadyMapping, counts: SyncCounts, facts: BreakerFacts): Held | null {
  const { contacts, pairs, unsubscribes, clears, removals, moved, subscriptionCreates, contactsOfOne, limit } = counts;
  const { missing, fieldNames, contactsBefore, entries, unclear } = facts;
  const problems: [HeldReason, string][] = [];
  const bound = (reason: HeldReason, count: number, text: string, most = limit): void => {
    if (count > most)
      problems.push([reason, `The plan ${text}; at most ${limit} pass without a person who accepts them.`]);
  };
  bound(
    'too_many_changes',
    unsubscribes + clears + removals + moved,
    `unsubscribes ${unsubscribes}, clears values of ${clears}, marks ${removals} as removed and gives ${moved} contacts to other subscriptions, of ${pairs} pairs`,
  );
  for (const { field, side, count } of counts.overwrites)
    bound(
      'too_many_overwrites',
      count,
      `overwrites ${count} values of "${field}" in the ${side === 'crm' ? 'CRM' : 'newsletter'}`,
    );
  bound('too_many_creations', subscriptionCreates, `asks ${subscriptionCreates} people to subscribe`);
  bound('too_many_contacts', contactsOfOne, `writes ${contactsOfOne} contacts of one person`, Math.max(1, limit));
  const absent = missing.filter((field) => !mapping.vanished.includes(field));
  for (const field of missing.filter((each) => mapping.vanished.includes(each)))
    problems.push(['field_missing', `The publication no longer has the custom field mapped to "${field}".`]);
  for (const field of absent) {
    const near = nearMiss(field, fieldNames);
    problems.push(['field_missing', `No contact has the field "${field}"${near ? `; near to it is "${near}"` : ''}.`]);
  }
  if (absent.length > 0) problems.push(['field_missing', `The contacts have: ${fieldNames.join(', ')}.`]);
  problems.push(...unclear.problems(mapping, limit));
  // The first run has nothing to compare with: few contacts and many subscriptions are a usual start.
  if (contactsBefore !== null && contactsBefore > mapping.breaker.atLeast && contacts < contactsBefore / 2)
    problems.push([
      'contacts_missing',
      `${contacts} contacts came in, and ${contactsBefore} in the last run. Check that these are all there are.`,
    ]);
  if (entries > maxEntries)
    problems.push([
      'state_full',
      `More than ${maxEntries} contacts or subscriptions are missing at once. Check that both sides were read completely.`,
    ]);
  const reasons = [...new Set(problems.map(([reason]) => reason))];
  if (reasons.length === 0) return null;
  const message = problems.map(([, text]) => text).join(' ');
  return { reasons, message, remedy: [...new Set(reasons.map((reason) => heldRemedies[reason]))].join(' ') };
}
