/** Which changes of a plan a run carries out, and which wait. Pure. */
import { isUrgent } from '../report/changes.ts';
import type { ContactCreate, PlannedPair, PlannedWrites, SyncCounts } from '../report/plan.ts';

/** A change of the CRM. */
type Change = PlannedPair | ContactCreate;

/**
 * The oldest changes that a run may hand over, and those that wait. Opt-outs and unsubscribes never wait; what the CRM
 * refused before comes last, so that it holds up nothing else.
 *
 * @param mostWrites - contacts to create and to change, beside those
 */
export function withinBudget(
  whole: PlannedWrites,
  mostWrites: number,
): { readonly now: PlannedWrites; readonly waiting: PlannedWrites; readonly used: number } {
  const queue = [
    ...whole.pairs.filter((pair) => !isUrgent(pair) && pair.contactWrites.length > 0),
    ...whole.contactCreates,
  ].toSorted(
    (a, b) =>
      refusedLast(a, b) || tokensLast(a, b) || a.created - b.created || (a.subscriptionId < b.subscriptionId ? -1 : 1),
  );
  const waits = new Set<Change>(queue.slice(Math.max(0, mostWrites)));
  const part = (isWaiting: boolean): PlannedWrites => ({
    pairs: whole.pairs.filter((pair) => waits.has(pair) === isWaiting).toSorted(refusedLast),
    contactCreates: whole.contactCreates.filter((create) => waits.has(create) === isWaiting).toSorted(refusedLast),
    subscriptionCreates: isWaiting ? [] : whole.subscriptionCreates,
  });
  return { now: part(false), waiting: part(true), used: queue.length - waits.size };
}

/** Tokens alone are in no hurry. */
const tokensLast = (a: Change, b: Change): number => Number(isTokenAlone(a)) - Number(isTokenAlone(b));

const isTokenAlone = ({ changes }: Change): boolean => Array.isArray(changes) && changes.length === 0;

const refusedLast = (a: Change, b: Change): number => Number(a.wasRefused ?? 0) - Number(b.wasRefused ?? 0);

/**
 * What is carried out of a plan that is held back: unsubscribes only where they are within the limit, and the contacts
 * of a person as well.
 */
export function urgentOf<Pair extends PlannedPair>(
  urgent: readonly Pair[],
  { unsubscribes, limit }: Pick<SyncCounts, 'unsubscribes' | 'limit'>,
): readonly Pair[] {
  return urgent.flatMap((pair) => {
    const { subscriptionWrites, contactWrites } = pair;
    if (unsubscribes > limit && subscriptionWrites.some(({ unsubscribe }) => unsubscribe)) return [];
    if (contactWrites.length <= Math.max(1, limit)) return [pair];
    return subscriptionWrites.length > 0 ? [{ ...pair, contactWrites: [], consent: [] }] : [];
  });
}
