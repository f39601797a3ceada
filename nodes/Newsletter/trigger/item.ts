/** What the trigger gives for an event: the subscription, and what the event says of it. Pure. */
import type { SubscriptionEvent } from '@newsletter-kit/core/watch';
import type { IDataObject } from 'n8n-workflow';
import { present, type Form } from '../records/present.ts';
import { toRecord } from '../records/record.ts';
import { subscription as shape } from '../records/records.ts';
import type { EventDefinition } from './events.ts';

/** The events that are about a subscription that is there. */
export type Reported<Subscription> = Exclude<SubscriptionEvent<Subscription>, { readonly type: 'removed' }>;

export function toItem(event: Reported<object>, { looks }: EventDefinition, form: Form): IDataObject {
  return { ...present(toRecord(event.subscription), shape, form), ...facts(event, looks) };
}

/** Where one status alone is looked at, the one before is never known. */
function facts(event: Reported<object>, looks: EventDefinition['looks']): IDataObject {
  if (event.type === 'updated') return { changed: [...event.changed] };
  return event.type === 'created' || looks === 'inactive' ? {} : { previous_status: event.from };
}
