/** What a watch reports. */
import type { Watched } from './condition.ts';

/** A subscription is new. */
export interface CreatedEvent<Item> {
  readonly type: 'created';
  readonly subscription: Item;
}

/** A subscription has another status than when it was last looked at. */
export interface StatusEvent<Item> {
  /**
   * `became_active` is a change to `active`, `unsubscribed` one to `inactive`; `status_changed` is each change there
   * is.
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
 * A subscription is gone: two complete looks at the list did not meet it. What is kept of it does not hold its id; find
 * yours with {@link isRemoved}.
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

/** Every event there is. All but `created` need looks at the whole list. */
export const subscriptionEventTypes = [
  'created',
  'became_active',
  'unsubscribed',
  'status_changed',
  'updated',
  'removed',
] as const satisfies readonly SubscriptionEventType[];

/** A status that has an event of its own. */
const arrivals: Readonly<Record<string, StatusEvent<never>['type']>> = {
  active: 'became_active',
  inactive: 'unsubscribed',
};

/** What a status means that was seen after `from`; null where it is a new subscription's first. */
export function statusEvents<Item extends Watched>(from: string | null, subscription: Item): StatusEvent<Item>[] {
  const to = subscription.status;
  const arrival = arrivals[to];
  return [
    ...(from === null ? [] : [{ type: 'status_changed' as const, from, to, subscription }]),
    ...(arrival === undefined ? [] : [{ type: arrival, from, to, subscription }]),
  ];
}
