/** The circuit breaker: holds back a plan that changes too much until a person accepts it. Pure. */
import type { Held, SyncCounts } from './plan.ts';
import type { ReadyMapping } from './prepare-mapping.ts';
import { maxEntries } from './state.ts';

/**
 * Why a plan is held back; null where it passes.
 *
 * @param absent - mapped fields that no contact delivered
 * @param entries - of the largest list in the state for the next run
 */
export function holdBack(
  { breaker, vanished }: ReadyMapping,
  counts: SyncCounts,
  absent: readonly string[],
  entries: number,
): Held | null {
  const { contacts, pairs, unsubscribes, clears, removals, contactCreates } = counts;
  if (vanished.length + absent.length > 0)
    return {
      reason: 'field_missing',
      message: [
        ...vanished.map((field) => `The publication no longer has the custom field mapped to "${field}".`),
        ...absent.map((field) => `No contact has the mapped field "${field}".`),
      ].join(' '),
    };
  const limit = Math.max(breaker.atLeast, breaker.share * pairs);
  if (unsubscribes + clears + removals > limit)
    return {
      reason: 'too_many_changes',
      message: `The plan unsubscribes ${unsubscribes}, clears values of ${clears} and marks ${removals} as removed, of ${pairs} pairs; at most ${Math.floor(limit)} pass without a person who accepts them.`,
    };
  // A list of contacts that was cut short makes many creations. An empty CRM is filled without asking.
  if (contacts > 0 && contactCreates > Math.max(breaker.atLeast, contacts))
    return {
      reason: 'too_many_creations',
      message: `The plan creates ${contactCreates} contacts, and only ${contacts} came in. Check that these are all there are.`,
    };
  if (entries > maxEntries)
    return {
      reason: 'state_full',
      message: `More than ${maxEntries} contacts or subscriptions are missing at once. Check that both sides were read completely.`,
    };
  return null;
}
