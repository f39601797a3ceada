/** One poll of the trigger: scheduled, or by hand for a sample; and the conversion of its errors. */
import { pageLimit } from '@newsletter-kit/core/contract';
import { ApiError, type CallOptions, type Engine, ForbiddenError, type Item } from '@newsletter-kit/core/engine';
import {
  CapacityError,
  type SubscriptionEventType,
  type WatchResult,
  type WatchState,
  WatchStateError,
  watchSubscriptions,
} from '@newsletter-kit/core/watch';
import { type IDataObject, type INode, type IPollFunctions, NodeOperationError } from 'n8n-workflow';
import { readKinds } from '../parameters/customFields.ts';
import { openEngine } from '../transport/engine.ts';
import { type NodeFailure, toNodeFailure } from '../transport/failure.ts';
import { events, matches, type Reported, toItem } from './events.ts';
import { capacity, checkSize, requestsPerFirstScanPoll, timeBudget } from './limits.ts';
import { fieldNames } from './parameters.ts';
import type { Settings } from './settings.ts';
import { WatchStateStore } from './state.ts';

/**
 * A scheduled poll.
 *
 * @returns an item for each event; null where there is none and n8n need not save the state
 * @throws CapacityError, WatchStateError, and what the engine throws where not even one page could be read; the state
 *   then stays as it was
 */
export async function poll(context: IPollFunctions, settings: Settings): Promise<readonly IDataObject[] | null> {
  const { event, form, filter } = settings;
  const { engine, publicationId } = await openEngine(context, settings.publication);
  const store = new WatchStateStore(context);
  const loaded = store.load(publicationId, settings);
  const { state, from } = loaded;
  if (from === 'new') await checkSize(engine, event);
  const time = timeBudget(context, from === 'new');
  const call = { totalTimeoutMs: time.requestMs };
  await checkFieldNames(context, engine, settings, call);
  const watch = watchSubscriptions({
    engine,
    events: [event.type],
    customFields: settings.customFields,
    ...(event.reads === 'inactive' && { status: event.reads }),
    expand: settings.expand,
    state,
    pages: requestLimit(settings, state, from === 'new'),
    capacity,
    limit: pageLimit.max,
    hasTime: time.hasTime,
    call,
  });
  const found = await watch.poll();
  // Another poll started from the same state and finished first: it found the same events.
  if (store.wasOvertaken()) return null;
  logProgress(context, found);
  const items = found.events
    .filter((one): one is Exclude<typeof one, { readonly type: 'removed' }> => one.type !== 'removed')
    .filter((one) => isRequestedChange(one, settings) && matches(filter, one.subscription))
    .map((one) => toItem(one, event, form));
  // With "Always Output Data", n8n would turn an empty result into an item.
  const reports =
    items.length > 0 || (store.mustSave(loaded, found.state, event) && context.getNode().alwaysOutputData !== true);
  if (found.state !== state) store.save(found.state, loaded, reports);
  return reports ? items : null;
}

/**
 * Most requests of a poll. During the first scan more than the option allows: changes are found from the second reading
 * of a subscription on. During the activation, as many as there is time for.
 */
function requestLimit({ event, pages }: Settings, { scan }: WatchState, first: boolean): number {
  if (event.reads === 'newest') return pages;
  // One request reads what is new; the scan needs another.
  if (scan !== null && scan.pass > 0) return Math.max(pages, 2);
  return Math.max(pages, first ? Math.ceil(capacity / pageLimit.max) + 2 : requestsPerFirstScanPoll);
}

/**
 * Checks that the publication has the custom fields whose changes to report. After a field was renamed, the values
 * under its old name are gone from every subscription, which would be reported as a change of each.
 *
 * @throws NodeOperationError that names the missing fields and the existing ones
 */
async function checkFieldNames(
  context: IPollFunctions,
  engine: Engine,
  { customFields: names }: Settings,
  call?: CallOptions,
): Promise<void> {
  if (typeof names === 'string') return;
  const kinds = await readKinds(engine, call).catch((error: unknown) =>
    // The access may not include the list of custom fields.
    error instanceof ForbiddenError ? null : Promise.reject(error),
  );
  const missing = names.filter((name) => kinds !== null && !kinds.has(name));
  if (missing.length === 0) return;
  const quoted = (list: Iterable<string>): string => [...list].map((name) => `"${name}"`).join(', ');
  throw new NodeOperationError(
    context.getNode(),
    `"${fieldNames.displayName}" names ${quoted(missing)}, but the publication has no such custom field`,
    {
      description: `If a field was renamed, enter its new name. The custom fields are ${quoted(kinds?.keys() ?? [])}. Under other names, the trigger reports the changes from then on.`,
      failure: { cause: 'configuration-invalid' },
    },
  );
}

/** Whether an update has at least one of the requested changes. */
function isRequestedChange(event: Reported<unknown>, { changes }: Settings): boolean {
  return event.type !== 'updated' || event.changed.some((change) => changes.includes(change));
}

function logProgress(
  { logger }: IPollFunctions,
  { scan, complete, interruption }: Pick<WatchResult<never>, 'scan' | 'complete' | 'interruption'>,
): void {
  if (interruption !== undefined)
    logger.warn(
      'Newsletter Trigger: the poll was interrupted; it returns the events found so far, and the next poll continues from there',
    );
  else if (!complete)
    logger.info('Newsletter Trigger: more is new than one poll may read; the next poll continues from there');
  if (scan === null) return;
  if (scan.passes === 0)
    logger.info(`Newsletter Trigger: the first scan has read ${scan.known} subscriptions; the next poll continues`);
  else logger.debug(`Newsletter Trigger: at ${Math.round(scan.share * 100)} % of ${scan.known} subscriptions`);
}

type Subscription = Item<'subscriptions.list'>;

/**
 * A poll by hand: returns the newest subscription that fits the event, to build a workflow on. Leaves the state
 * unchanged.
 */
export async function samplePoll(context: IPollFunctions, settings: Settings): Promise<readonly IDataObject[]> {
  const { event, form } = settings;
  const { engine } = await openEngine(context, settings.publication);
  await checkFieldNames(context, engine, settings);
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
    status: event.status as 'active' | 'inactive' | undefined,
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

/** The subscription as an event of this type; its previous status is unknown. */
function sampleEvent(
  type: SubscriptionEventType,
  subscription: Subscription,
  { changes }: Settings,
): Reported<Subscription> {
  if (type === 'updated')
    return { type, changed: changes.filter((change) => change === 'tier' || change === 'custom_fields'), subscription };
  if (type === 'created' || type === 'removed') return { type: 'created', subscription };
  return { type, from: null, to: String(subscription.status), subscription };
}

const round = (count: number): string => count.toLocaleString('en');

/** Converts an error of a poll to n8n's error, with a remedy. */
export function toTriggerFailure(node: INode, error: unknown): NodeFailure {
  if (error instanceof CapacityError) {
    return new NodeOperationError(
      node,
      `This event can watch ${round(error.capacity)} subscriptions at most, and there are ${error.size === null ? 'more' : round(error.size)}`,
      {
        description: `n8n stores the state of a trigger with the workflow, and loads it at every execution. Choose the Event "${events['subscriptionCreated']?.name}", which stores almost nothing, or "${events['subscriptionUnsubscribed']?.name}", which stores the inactive subscriptions only; for all changes, run the command "newsletter watch" and send its output to a Webhook node.`,
        failure: { cause: 'configuration-invalid' },
      },
    );
  }
  if (error instanceof WatchStateError) {
    return new NodeOperationError(
      node,
      'The stored state of this trigger was written by a later version of the package, or is damaged',
      {
        description:
          'Update the package to continue with it. To start over instead, delete this node and add it again under another name: n8n stores the state by name and ID.',
        failure: { cause: 'configuration-invalid' },
      },
    );
  }
  const failure = toNodeFailure(node, error);
  // A revoked key or a deleted publication leaves the state as it is.
  if (error instanceof ApiError && [401, 403, 404].includes(error.status))
    failure.description = `${failure.description ?? ''} After the correction, the trigger reports what has happened since its last poll.`;
  return failure;
}
