/** The events that a watch reports. */
import { getsMail, hasLeft } from '../facts/subscriber-status.ts';
import { type Watched, hash48 } from './fingerprint.ts';
import type { Dated } from './watermark.ts';

/** A subscription is new. */
export interface CreatedEvent<Item> {
  readonly type: 'created';
  readonly subscription: Item;
}

/** A subscription has another status than when it was last read. */
export interface StatusEvent<Item> {
  /**
   * `became_active` is a change to `active`; `unsubscribed` one to `inactive`, or to a word that the specification
   * lacks; `status_changed` is each change there is.
   */
  readonly type: 'status_changed' | 'became_active' | 'unsubscribed';
  /** Null where the subscription is new and had this status when it was first seen; never so for `status_changed`. */
  readonly from: string | null;
  readonly to: string;
  readonly subscription: Item;
}

/** A subscription has another tier, or other values in the watched custom fields. */
export interface UpdatedEvent<Item> {
  readonly type: 'updated';
  readonly changed: readonly ('tier' | 'custom_fields')[];
  readonly subscription: Item;
}

/**
 * A subscription was removed: two complete passes did not find it. The state does not hold its id; compare your own
 * subscriptions with {@link isRemoved}.
 */
export interface RemovedEvent {
  readonly type: 'removed';
  /** Unix seconds. */
  readonly created: number;
  /** The upper `bits` bits of 48 that stand for the id. */
  readonly hash: number;
  readonly bits: number;
}

export type SubscriptionEvent<Item = Watched> =
  | CreatedEvent<Item>
  | StatusEvent<Item>
  | UpdatedEvent<Item>
  | RemovedEvent;
export type SubscriptionEventType = SubscriptionEvent['type'];

/** All events. All but `created` need the scan of the whole list. */
export const subscriptionEventTypes = [
  'created',
  'became_active',
  'unsubscribed',
  'status_changed',
  'updated',
  'removed',
] as const satisfies readonly SubscriptionEventType[];

/** The events for a status. @param from - the status before; null for a new subscription */
export function statusEvents<Item extends Watched>(from: string | null, subscription: Item): StatusEvent<Item>[] {
  const to = subscription.status;
  const event = { from, to, subscription };
  return [
    ...(from === null ? [] : [{ ...event, type: 'status_changed' as const, from }]),
    ...(getsMail(to) ? [{ ...event, type: 'became_active' as const }] : []),
    // From one word for having left to another, nobody leaves.
    ...(hasLeft(to) && !hasLeft(from) ? [{ ...event, type: 'unsubscribed' as const }] : []),
  ];
}

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
