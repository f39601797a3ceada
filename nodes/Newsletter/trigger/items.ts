/** Decides which events the trigger reports, and builds an item for each. Pure. */
import type { SubscriptionEvent } from '@newsletter-kit/core/watch';
import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../isRecord.ts';
import { type OutputForm, present, toRecord } from '../records/present.ts';
import { subscription as shape } from '../records/shapes.ts';
import type { EventDefinition } from './events.ts';

/** Accepted values by field of a subscription; other fields may have any value. */
export type Filter = Readonly<Record<string, readonly string[]>>;

/** Builds the filter from a collection whose parameters are named like the fields. */
export function toFilter(entered: Readonly<Record<string, unknown>>): Filter {
  const lists = Object.entries(entered).map(([name, value]): [string, string[]] => [
    name,
    Array.isArray(value) ? value.map(comparable) : [],
  ]);
  return Object.fromEntries(lists.filter(([, values]) => values.length > 0).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

export function matches(filter: Filter, subscription: unknown): boolean {
  if (!isRecord(subscription)) return false;
  return Object.entries(filter).every(([name, values]) => values.includes(comparable(subscription[name])));
}

function comparable(value: unknown): string {
  return String(value ?? '')
    .trim()
    .toLowerCase();
}

/** Events of an existing subscription. */
export type Reported<Subscription> = Exclude<SubscriptionEvent<Subscription>, { readonly type: 'removed' }>;

export function toItem(event: Reported<object>, { reads }: EventDefinition, form: OutputForm): IDataObject {
  return { ...present(toRecord(event.subscription), shape, form), ...facts(event, reads) };
}

/** Fields of the event. The previous status is unknown where only one status is read. */
function facts(event: Reported<object>, reads: EventDefinition['reads']): IDataObject {
  if (event.type === 'updated') return { changed: [...event.changed] };
  return event.type === 'created' || reads === 'inactive' ? {} : { previous_status: event.from };
}
