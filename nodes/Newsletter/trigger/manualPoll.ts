/**
 * A poll by hand: returns the latest subscription that fits the event, to build a workflow on. Leaves the state as it
 * is.
 */
import type { Engine, Item } from '@newsletter-kit/core/engine';
import type { SubscriptionEventType } from '@newsletter-kit/core/watch';
import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { largestPage } from '../parameters/list.ts';
import { openEngine } from '../transport/engine.ts';
import { matches, type Reported, toItem } from './items.ts';
import type { Settings } from './settings.ts';

type Subscription = Item<'subscriptions.list'>;

export async function samplePoll(context: IPollFunctions, settings: Settings): Promise<readonly IDataObject[]> {
  const { event, form } = settings;
  const { engine } = await openEngine(context, settings.publication);
  const latest = await find(engine, settings);
  if (latest === undefined) return [];
  return [toItem(sampleEvent(event.type, latest, settings), event, form)];
}

/** Pages to search for a subscription that fits the filters. */
const maxPages = 5;

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
    if ((read += 1) >= maxPages * largestPage) return undefined;
  }
  return undefined;
}

/** The subscription as an event of this type; its previous status is unknown. */
function sampleEvent(
  type: SubscriptionEventType,
  subscription: Subscription,
  { changes }: Settings,
): Reported<Subscription> {
  if (type === 'updated')
    return { type, changed: changes.filter((change) => change === 'tier' || change === 'custom_fields'), subscription };
  if (type === 'created' || type === 'removed') return { type: 'created', subscription };
  return { type, from: null, to: subscription.status, subscription };
}
