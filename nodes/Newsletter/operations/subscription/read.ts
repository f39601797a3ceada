/**
 * Subscription: Get and Get Many, and lookups by address or ID. The API only reads subscriptions as a list: an address
 * takes one request, an ID a scan of the list. All items of a run share the scan, so many IDs cost no more than reading
 * the list once.
 */
import { words, pageLimit } from '@newsletter-kit/core/contract';
import type { Arguments, Engine, Item } from '@newsletter-kit/core/engine';
import { addressKey } from '@newsletter-kit/core/signup';
import type { INodeProperties } from 'n8n-workflow';
import { byName, collection, describe, moment, premiumTiers, select } from '../../parameters/properties.ts';
import {
  email,
  noSubscription,
  readSubscriber,
  statuses,
  type Subscriber,
  subscriber,
  subscriptionInclude,
  tiers,
} from '../../parameters/subscription.ts';
import { subscription, toRecord } from '../../records.ts';
import { listSize } from '../../transport/engine.ts';
import { forEachGroup, groupBy } from '../concurrency.ts';
import type { Before, ItemOperation, OperationContext } from '../definition.ts';
import { getMany as manyOf, readOptions } from '../readOperations.ts';

const { parameters } = words['subscriptions.list'];
const allValues = { name: 'All', value: 'all' };

/** The service has only a filter for a day; see {@link createdSince}. */
const createdAfter = moment({
  displayName: 'Created After',
  name: 'created_after',
  description:
    'Only subscriptions created at this time or later, in the time zone of the workflow. The node reads the newest first, up to this time.',
});

/** Named as the query parameters of the list. */
const filters: readonly INodeProperties[] = [
  createdAfter,
  moment({
    displayName: 'Created On',
    name: 'creation_date',
    typeOptions: { dateOnly: true },
    description: describe(parameters.creation_date),
  }),
  { ...email, required: false, description: describe(parameters.email) },
  ...premiumTiers({
    byId: describe(parameters.premium_tier_ids),
    byName: describe(parameters.premium_tiers),
  }),
  select({
    displayName: 'Status',
    name: 'status',
    default: 'active',
    description: describe(parameters.status),
    options: byName([...statuses, allValues]),
  }),
  select({
    displayName: 'Tier',
    name: 'tier',
    default: 'free',
    description: describe(parameters.tier),
    options: byName([...tiers, allValues]),
  }),
];

/** Named as the query parameters of the list. `order_by` is left out: `created` is its default and only value. */
const options: readonly INodeProperties[] = [
  subscriptionInclude,
  select({
    displayName: 'Sort Direction',
    name: 'direction',
    default: 'asc',
    description: 'In which order of their creation the subscriptions are returned',
    options: [
      { name: 'Ascending', value: 'asc', description: 'Oldest first' },
      { name: 'Descending', value: 'desc', description: 'Newest first' },
    ],
  }),
];

export const getMany = manyOf('subscriptions.list', {
  record: subscription,
  filters,
  options,
  list(context, { [createdAfter.name]: since, ...query }) {
    return typeof since === 'number'
      ? createdSince(context, since, query)
      : context.engine.list('subscriptions.list', query, context.call);
  },
});

/**
 * The subscriptions created in this second or later, in the order of `direction`, as if the service had the filter. The
 * list is read newest first, and up to the first older one: with the oldest first, everything is read before the first
 * is returned. While it is read, `created` never changes; a list by page numbers may repeat a record.
 */
async function* createdSince(
  { engine, call }: OperationContext,
  since: number,
  { direction = 'asc', ...query }: Arguments<'subscriptions.list'>,
): AsyncGenerator<Subscription> {
  const isNewestFirst = direction === 'desc';
  const args = { ...query, direction: 'desc', ...(!isNewestFirst && { limit: pageLimit.max }) } as const;
  const known = new Set<string>();
  const found: Subscription[] = [];
  for await (const one of engine.list('subscriptions.list', args, { ...call, reader: 'watch' })) {
    if ((one.created ?? 0) < since) break;
    if (known.has(one.id)) continue;
    known.add(one.id);
    if (isNewestFirst) yield one;
    else found.push(one);
  }
  yield* found.toReversed();
}

const getOptions = [subscriptionInclude];

/** By address or by ID. */
export const get: ItemOperation = {
  name: 'Get',
  description: 'Get a subscription by its email address or ID. Finding it by ID may take several requests.',
  action: 'Get a subscription',
  record: subscription,
  properties: [subscriber, ...collection('options', 'Options', 'Add option', getOptions)],
  async execute(context) {
    const { expand }: { expand?: Expand } = readOptions(context, 'subscriptions.list', subscription, getOptions);
    return [toRecord(await findSubscription(context, readSubscriber(context), expand))];
  },
};

export type Subscription = Item<'subscriptions.list'>;
type Expand = Arguments<'subscriptions.list'>['expand'];

/** A scan of the list: the subscriptions read so far, and the rest. */
interface Scan {
  readonly known: Map<string, Subscription>;
  readonly rest: AsyncIterator<Subscription>;
}

/** By engine, which lives as long as one run of a node, and by `expand`. */
const scans = new WeakMap<Engine, Map<string, Scan>>();

/** @throws ParameterMismatch where there is none */
export async function findSubscription(
  context: OperationContext,
  named: Subscriber,
  expand?: Expand,
): Promise<Subscription> {
  const found =
    'email' in named ? await findByAddress(context, named.email, expand) : await byId(context, named.id, expand);
  if (found !== undefined) return found;
  throw noSubscription();
}

/** The subscription with this address, case-insensitive; undefined where there is none. */
export async function findByAddress(
  context: OperationContext,
  email: string,
  expand?: Expand,
): Promise<Subscription | undefined> {
  return (await searchAddress(context, email, expand)).found ?? undefined;
}

/** Searches for the subscription with this address, case-insensitive. */
export async function searchAddress(
  { engine, call }: OperationContext,
  email: string,
  expand?: Expand,
): Promise<Before> {
  const query = { email, limit: 1, ...(expand && { expand }) };
  const { data, headers } = await engine.list('subscriptions.list', query, call).withResponse();
  return { found: data.items[0] ?? null, at: Date.parse(headers['date'] ?? '') };
}

/** A subscription that has to be found by its address, and the item that names it. */
export interface NamedByAddress {
  readonly context: OperationContext;
  readonly email: string;
}

/** By address key: the subscription, or the error of the lookup; no entry where there is none. */
type Found = Map<string, Subscription | { readonly error: unknown }>;
export type FoundByAddress = ReadonlyMap<string, Subscription | { readonly error: unknown }>;

/** Fewer addresses than this are looked up one by one, without reading the length of the list first. */
const minForList = 10;

/**
 * Finds the subscriptions with these addresses in the fewest requests: one for each address, or the whole list where
 * that has fewer pages.
 */
export async function findAll(
  named: readonly NamedByAddress[],
  expand?: Expand,
): Promise<ReadonlyMap<Engine, FoundByAddress>> {
  const all = new Map<Engine, Found>();
  for (const ofOne of groupBy(named, ({ context }) => context.engine)) {
    const context = ofOne[0]?.context;
    if (context === undefined) continue;
    const found: Found = new Map();
    all.set(context.engine, found);
    const emails = new Map(ofOne.map(({ email }) => [addressKey(email), email]));
    const findEach = (): Promise<void> =>
      forEachGroup(
        [...emails].map((one) => [one]),
        async ([key, email]) => {
          try {
            const subscription = await findByAddress(context, email, expand);
            if (subscription) found.set(key, subscription);
          } catch (error) {
            found.set(key, { error });
          }
          return true;
        },
      );
    try {
      const size = emails.size < minForList ? null : await listSize(context.engine, context.call);
      if (size === null || size > (emails.size - 1) * pageLimit.max) await findEach();
      else await findInList(context, new Set(emails.keys()), found, expand);
    } catch (error) {
      for (const key of emails.keys()) if (!found.has(key)) found.set(key, { error });
    }
  }
  return all;
}

/** A subscription that was changed, and its address, where it is known or likely. */
export interface Changed {
  readonly context: OperationContext;
  readonly id: string;
  readonly email: string | undefined;
}

/** Ends the notice about a change. */
export const notReadAgain =
  ', but not all subscriptions could be read afterwards: the service finds one by its ID only by reading its list. Choose the subscription by its email to get it.';

/**
 * Reads subscriptions again, in the fewest requests; those without a known address among the newest thousand.
 *
 * @returns by ID; no entry where one was not found or could not be read
 */
export async function readAgain(changed: readonly Changed[]): Promise<ReadonlyMap<string, Subscription>> {
  const expand = ['custom_fields'] as const;
  for (const { context } of changed) scans.delete(context.engine);
  const named = changed.flatMap(({ context, email }) => (email === undefined ? [] : [{ context, email }]));
  const byAddress = await findAll(named, [...expand]);
  const records = new Map<string, Subscription>();
  for (const { context, id, email } of changed) {
    const found = email === undefined ? undefined : byAddress.get(context.engine)?.get(addressKey(email));
    const isIt = found !== undefined && !('error' in found) && found.id === id;
    const record = isIt ? found : await recentById(context, id, [...expand]).catch(() => undefined);
    if (record !== undefined) records.set(id, record);
  }
  return records;
}

async function findInList(
  { engine, call }: OperationContext,
  wanted: Set<string>,
  found: Found,
  expand?: Expand,
): Promise<void> {
  const query = { limit: pageLimit.max, ...(expand && { expand }) };
  for await (const subscription of engine.list('subscriptions.list', query, call)) {
    const { email } = subscription;
    const key = typeof email === 'string' ? addressKey(email) : '';
    if (wanted.delete(key)) found.set(key, subscription);
    if (wanted.size === 0) return;
  }
}

/** The subscription with this ID as it was when it was read, if it is among the newest thousand. */
export function recentById(context: OperationContext, id: string, expand?: Expand): Promise<Subscription | undefined> {
  return byId(context, id, expand, 1000);
}

/** @param max - how many subscriptions are read at most */
async function byId(
  context: OperationContext,
  id: string,
  expand: Expand,
  max = Number.POSITIVE_INFINITY,
): Promise<Subscription | undefined> {
  const { known, rest } = scanOf(context, expand);
  while (!known.has(id) && known.size < max) {
    const step: IteratorResult<Subscription, undefined> = await rest.next().catch((error: unknown) => {
      // A failed iterator reports its end: the next item starts another scan.
      scans.get(context.engine)?.clear();
      throw error;
    });
    if (step.done === true) return undefined;
    known.set(step.value.id, step.value);
  }
  return known.get(id);
}

function scanOf({ engine, call }: OperationContext, expand: Expand): Scan {
  const ofEngine = scans.get(engine) ?? new Map<string, Scan>();
  scans.set(engine, ofEngine);
  const key = JSON.stringify(expand ?? []);
  const begun = ofEngine.get(key) ?? startScan();
  ofEngine.set(key, begun);
  return begun;

  function startScan(): Scan {
    // Newest first: workflows mostly ask for subscriptions that were just created.
    const query = { direction: 'desc', limit: pageLimit.max, ...(expand && { expand }) } as const;
    const subscriptions = engine.list('subscriptions.list', query, call);
    return { known: new Map<string, Subscription>(), rest: subscriptions[Symbol.asyncIterator]() };
  }
}
