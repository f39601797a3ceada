/** The events the trigger watches for. The key is the event's value in a workflow and must never change. */
import type { SubscriptionEventType } from '@newsletter-kit/core/watch';

/** One event. */
export interface EventDefinition {
  readonly name: string;
  /** As the list of nodes offers it. */
  readonly action: string;
  readonly description: string;
  /** What core's watch calls it. */
  readonly type: SubscriptionEventType;
  /**
   * Where it is looked for:
   * - `newest` – at the top of the list, in one request where nothing is new
   * - `all` – in the whole list, part after part
   * - `inactive` – in the whole list of that status, which is all that is read and kept
   */
  readonly looks: 'newest' | 'all' | 'inactive';
  /** The status of whatever it reports, where that is always the same. */
  readonly status?: string;
}

export const events: Readonly<Record<string, EventDefinition>> = {
  subscriptionBecameActive: {
    name: 'Subscriber Activated',
    action: 'On subscriber activated',
    description: 'When a subscriber confirms, or is active from the start or again',
    type: 'became_active',
    looks: 'all',
    status: 'active',
  },
  subscriptionCreated: {
    name: 'New Subscriber',
    action: 'On new subscriber',
    description: 'When an address is subscribed, wherever it was entered',
    type: 'created',
    looks: 'newest',
  },
  subscriptionStatusChanged: {
    name: 'Subscriber Status Changed',
    action: 'On subscriber status changed',
    description: 'When the status becomes another one',
    type: 'status_changed',
    looks: 'all',
  },
  subscriptionUnsubscribed: {
    name: 'Subscriber Unsubscribed',
    action: 'On subscriber unsubscribed',
    description: 'When a subscription becomes inactive, by whatever way',
    type: 'unsubscribed',
    looks: 'inactive',
    status: 'inactive',
  },
  subscriptionUpdated: {
    name: 'Subscriber Updated',
    action: 'On subscriber updated',
    description: 'When the tier or a custom field changes',
    type: 'updated',
    looks: 'all',
  },
};

/** The events that are looked for in one of these ways. */
export function eventsThat(looks: (event: EventDefinition) => boolean): string[] {
  return Object.entries(events).flatMap(([value, event]) => (looks(event) ? [value] : []));
}
