/** Events of the trigger. The key is the value of the event in a workflow and must never change. */
import type { SubscriptionEventType } from '@newsletter-kit/core/watch';

/** One event. */
export interface EventDefinition {
  readonly name: string;
  /** As the list of nodes offers it. */
  readonly action: string;
  readonly description: string;
  /** The event of core's watch. */
  readonly type: SubscriptionEventType;
  /**
   * The part of the list that polls read:
   * - `newest` – the newest subscriptions, in one request where nothing is new
   * - `all` – the whole list, in parts
   * - `inactive` – the whole list of that status; only those subscriptions are kept
   */
  readonly reads: 'newest' | 'all' | 'inactive';
  /** The status of every reported subscription, where it is always the same. */
  readonly status?: string;
}

export const events: Readonly<Record<string, EventDefinition>> = {
  subscriptionBecameActive: {
    name: 'Subscriber Activated',
    action: 'On subscriber activated',
    description: 'When a subscriber confirms, or is active from the start or again',
    type: 'became_active',
    reads: 'all',
    status: 'active',
  },
  subscriptionCreated: {
    name: 'New Subscriber',
    action: 'On new subscriber',
    description: 'When an address is subscribed, wherever it was entered',
    type: 'created',
    reads: 'newest',
  },
  subscriptionStatusChanged: {
    name: 'Subscriber Status Changed',
    action: 'On subscriber status changed',
    description: 'When the status becomes another one',
    type: 'status_changed',
    reads: 'all',
  },
  subscriptionUnsubscribed: {
    name: 'Subscriber Unsubscribed',
    action: 'On subscriber unsubscribed',
    description: 'When a subscription becomes inactive, by whatever way',
    type: 'unsubscribed',
    reads: 'inactive',
    status: 'inactive',
  },
  subscriptionUpdated: {
    name: 'Subscriber Updated',
    action: 'On subscriber updated',
    description: 'When the tier or a custom field changes',
    type: 'updated',
    reads: 'all',
  },
};

/** Values of the events that fulfil a condition. */
export function eventsWhere(condition: (event: EventDefinition) => boolean): string[] {
  return Object.entries(events).flatMap(([value, event]) => (condition(event) ? [value] : []));
}
