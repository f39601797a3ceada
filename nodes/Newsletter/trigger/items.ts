/** Decides which events the trigger reports, and builds an item for each. Pure. */
import type { SubscriptionEvent } from '@newsletter-kit/core/watch';
import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../isRecord.ts';
import { type Form, present, toRecord } from '../records/present.ts';
import { subscription as shape } from '../records/shapes.ts';
import type { EventDefinition } from './events.ts';

/** The values that count, by the field of a subscription; a field that is not named here may hold anything. */
export type Filter = Readonly<Record<string, readonly string[]>>;

/** The filter that a collection of parameters makes, which are named as the fields. */
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
