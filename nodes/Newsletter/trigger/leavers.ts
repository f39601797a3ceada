/**
 * The list that names everybody who unsubscribed: the small one of the inactive, while every other subscription is in
 * the list of its status. A service may have more words for it, whose subscriptions are in the whole list alone.
 */
import { subscriptionStatuses } from '@newsletter-kit/core/contract';
import type { CallOptions, Engine } from '@newsletter-kit/core/engine';
import { isUnknownStatus } from '@newsletter-kit/core/facts';
import type { WatchState } from '@newsletter-kit/core/watch';
import { listSize } from '../transport/engine.ts';

/** Milliseconds from one count to the next. */
const recountMs = 60 * 60_000;

/** By trigger: the subscriptions in no list of a status, and when to count them again, on a clock that runs on. */
const counts = new Map<string, { readonly unlisted: number; readonly until: number }>();

/** Makes the next poll count again: this one did not read the list that it chose. */
export const forgetCount = (key: string): boolean => counts.delete(key);

/**
 * The status whose list the next poll reads; undefined for the list of all. That is read first, as long as it has a
 * word that the specification lacks, and once when more subscriptions than before are in no list of a status.
 *
 * @param key - the trigger's name in the memory of this process
 */
export async function leaversStatus(
  key: string,
  engine: Pick<Engine, 'list'>,
  { scan }: WatchState,
  call: CallOptions,
): Promise<'inactive' | undefined> {
  if (scan?.conditions.some(([status]) => isUnknownStatus(status))) return undefined;
  const now = performance.now();
  const before = counts.get(key);
  const isDue = before === undefined || now >= before.until;
  const unlisted = isDue ? await countUnlisted(engine, call) : before.unlisted;
  if (isDue) counts.set(key, { unlisted, until: now + recountMs });
  const isUnread = scan === null || (scan.list === 'all' && scan.pass === 0);
  const isMore = isDue && unlisted > (before?.unlisted ?? 0);
  return isUnread || isMore || unlisted === Number.POSITIVE_INFINITY ? undefined : 'inactive';
}

/** Infinitely many where the service does not tell the size of its list. */
async function countUnlisted(engine: Pick<Engine, 'list'>, call: CallOptions): Promise<number> {
  let unlisted = (await listSize(engine, call)) ?? Number.POSITIVE_INFINITY;
  // The two frequent ones come first in the alphabet, so that the others are mostly not asked for.
  for (const status of subscriptionStatuses.toSorted())
    if (unlisted > 0 && Number.isFinite(unlisted)) unlisted -= (await listSize(engine, call, status)) ?? 0;
  return unlisted;
}
