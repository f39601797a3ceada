/** Finds which of your subscriptions a "removed" event is about. Pure. */
import type { RemovedEvent } from './events.ts';
import type { Dated } from './frontier.ts';
import { hash48 } from './hash.ts';

/**
 * Whether this subscription is the one that is gone. Another of the same second passes for it once in 2^`bits` times,
 * and there are at least 26 bits.
 */
export function isRemoved({ created, hash, bits }: RemovedEvent, subscription: Dated): boolean {
  const unknown = 2 ** (48 - bits);
  return (
    subscription.created === created && Math.floor(hash48(subscription.id) / unknown) === Math.floor(hash / unknown)
  );
}
