/** A poll by hand: samples to build a workflow on. */
import { pageLimit } from '@newsletter-kit/core/contract';
import type { Engine, Item } from '@newsletter-kit/core/engine';
import { type IDataObject, type IPollFunctions, NodeOperationError } from 'n8n-workflow';
import { openEngine } from '../transport/engine.ts';
import { type EventName, events, matches, type Reported, toItem } from './events.ts';
import { checkFieldNames } from './poll.ts';
import type { Settings } from './settings.ts';

type Subscription = Item<'subscriptions.list'>;

/**
 * For each event, the newest subscription that fits it and the filters. Leaves the state unchanged.
 *
 * @throws NodeOperationError where there is none
 */
export async function samplePoll(context: IPollFunctions, settings: Settings): Promise<readonly IDataObject[]> {
  const { engine } = await openEngine(context, settings.publication);
  await checkFieldNames(context, engine, settings);
  const newest = new Map<string | undefined, Subscription | undefined>();
  const items: IDataObject[] = [];
  for (const name of settings.events) {
    const { status } = { status: undefined, ...events[name] };
    if (!newest.has(status)) newest.set(status, await find(engine, settings, status));
    const found = newest.get(status);
    if (found !== undefined) items.push(toItem(name, sampleEvent(name, found, settings), settings.form));
  }
  if (items.length === 0)
    throw new NodeOperationError(context.getNode(), 'There is no subscription yet that fits', {
      description:
        'A test event is the newest subscription that fits Events and Filters. Subscribe somebody, or change the Filters, and fetch it again. The published workflow needs no test event.',
    });
  return items;
}

/** Pages to search for a subscription that fits the filters. */
const maxPages = 5;

async function find(
  engine: Engine,
  { expand, filter }: Settings,
  status: 'active' | 'inactive' | undefined,
): Promise<Subscription | undefined> {
  const narrow = Object.keys(filter).length > 0;
  let read = 0;
  const list = engine.list('subscriptions.list', {
    status,
    expand,
    order_by: 'created',
    direction: 'desc',
    limit: narrow ? pageLimit.max : 1,
  });
  for await (const subscription of list) {
    if (matches(filter, subscription)) return subscription;
    if ((read += 1) >= maxPages * pageLimit.max) return undefined;
  }
  return undefined;
}

/** The subscription as this event; its previous status is unknown. */
function sampleEvent(name: EventName, subscription: Subscription, { changes }: Settings): Reported<Subscription> {
  const { type } = events[name];
  if (type === 'created') return { type, subscription };
  if (type === 'updated')
    return { type, changed: changes.filter((change) => change === 'tier' || change === 'custom_fields'), subscription };
  return { type, from: null, to: String(subscription.status), subscription };
}
