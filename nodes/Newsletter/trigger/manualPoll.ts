/** A run by hand: the latest subscription that is as the event says, for building a workflow on. Touches no state. */
import type { Engine, Item } from '@newsletter-kit/core/engine';
import type { SubscriptionEventType } from '@newsletter-kit/core/watch';
import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { largestPage } from '../parameters/list.ts';
import { openEngine } from '../transport/engine.ts';
import { matches, type Reported, toItem } from './items.ts';
import type { Settings } from './settings.ts';

type Subscription = Item<'subscriptions.list'>;

export async function sample(context: IPollFunctions, settings: Settings): Promise<readonly IDataObject[]> {
  const { event, form } = settings;
  const { engine } = await openEngine(context, settings.publication);
  const latest = await find(engine, settings);
  if (latest === undefined) return [];
  return [toItem(as(event.type, latest, settings), event, form)];
}

/** Pages that are read in search of one that fits the filters. */
const pagesAtMost = 5;

async function find(engine: Engine, { event, expand, filter }: Settings): Promise<Subscription | undefined> {
  const narrow = Object.keys(filter).length > 0;
  let read = 0;
  const list = engine.list('subscriptions.list', {
    ...(event.status !== undefined && { status: event.status as 'active' | 'inactive' }),
    ...(expand && expand.length > 0 && { expand }),
    order_by: 'created',
    direction: 'desc',
    limit: narrow ? largestPage : 1,
  });
  for await (const subscription of list) {
    if (matches(filter, subscription)) return subscription;
    if ((read += 1) >= pagesAtMost * largestPage) return undefined;
  }
  return undefined;
}

/** The subscription in an event of this kind. What it was before nobody knows. */
function as(type: SubscriptionEventType, subscription: Subscription, { changes }: Settings): Reported<Subscription> {
  if (type === 'updated')
    return { type, changed: changes.filter((change) => change === 'tier' || change === 'custom_fields'), subscription };
  if (type === 'created' || type === 'removed') return { type: 'created', subscription };
  return { type, from: null, to: subscription.status, subscription };
}
