/** Events of the trigger: their definitions, the filter, and the item of an event. */
import type { SubscriptionEvent, SubscriptionEventType } from '@newsletter-kit/core/watch';
import type { IDataObject } from 'n8n-workflow';
import { type OutputForm, present, subscription as subscriptionShape, toRecord } from '../records.ts';

/** One event. */
interface EventDefinition {
  readonly name: string;
  /** Its name in the list of nodes. */
  readonly action: string;
  readonly description: string;
  /** The event of core's watch. */
  readonly type: Exclude<SubscriptionEventType, 'removed'>;
  /** The status of every reported subscription, where it is always the same. */
  readonly status?: 'active' | 'inactive';
}

/** By the value in the parameter Events, which is also in the items. */
export const events = {
  subscriptionBecameActive: {
    name: 'Subscriber Activated',
    action: 'On subscriber activated',
    description: 'When a subscriber confirms, or is active from the start or again',
    type: 'became_active',
    status: 'active',
  },
  subscriptionCreated: {
    name: 'New Subscriber',
    action: 'On new subscriber',
    description: 'When an address is subscribed, by any channel',
    type: 'created',
  },
  subscriptionStatusChanged: {
    name: 'Subscriber Status Changed',
    action: 'On subscriber status changed',
    description: 'When the status changes',
    type: 'status_changed',
  },
  subscriptionUnsubscribed: {
    name: 'Subscriber Unsubscribed',
    action: 'On subscriber unsubscribed',
    description:
      'When a subscription becomes inactive, for any reason, or takes a status that the specification does not have',
    type: 'unsubscribed',
    status: 'inactive',
  },
  subscriptionUpdated: {
    name: 'Subscriber Updated',
    action: 'On subscriber updated',
    description: 'When the tier or a custom field changes',
    type: 'updated',
  },
} as const satisfies Readonly<Record<string, EventDefinition>>;

export type EventName = keyof typeof events;

/** A list of accepted values by field of a subscription; other fields may have any value. */
export type Filter = Readonly<Record<string, unknown>>;

export function matches(filter: Filter, subscription: object): boolean {
  const record: IDataObject = toRecord(subscription);
  return Object.entries(filter).every(([name, accepted]) =>
    [accepted].flat().map(comparable).includes(comparable(record[name])),
  );
}

function comparable(value: unknown): string {
  return String(value ?? '')
    .trim()
    .toLowerCase();
}

/** Events of an existing subscription. */
export type Reported<Subscription> = Exclude<SubscriptionEvent<Subscription>, { readonly type: 'removed' }>;

/** The item of an event: which event it is, the subscription, and what the event knows beyond that. */
export function toItem(name: EventName, event: Reported<object>, form: OutputForm): IDataObject {
  return { event: name, ...present(toRecord(event.subscription), subscriptionShape, form), ...facts(event) };
}

/** The previous status is unknown where only the list of one status is read. */
function facts(event: Reported<object>): IDataObject {
  if (event.type === 'updated') return { changed: [...event.changed] };
  return event.type === 'created' ? {} : { previous_status: event.from };
}
