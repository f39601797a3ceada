/** A scheduled poll of the trigger, and the conversion of its errors. */
import { pageLimit } from '@newsletter-kit/core/contract';
import { ApiError, type CallOptions, type Engine, ForbiddenError } from '@newsletter-kit/core/engine';
import {
  CapacityError,
  startWatch,
  type SubscriptionPoll,
  type WatchState,
  WatchStateError,
  watchSubscriptions,
} from '@newsletter-kit/core/watch';
import { type IDataObject, type INode, type IPollFunctions, NodeOperationError } from 'n8n-workflow';
import { readKinds } from '../parameters/customFields.ts';
import { quoted } from '../parameters/properties.ts';
import { listSize, openEngine } from '../transport/engine.ts';
import { isOutage, type NodeFailure, toNodeFailure } from '../transport/failure.ts';
import { events, matches, toItem } from './events.ts';
import { forgetCount, leaversStatus } from './leavers.ts';
import { capacity, requestsPerFirstScanPoll, timeBudget } from './limits.ts';
import { endOutage, noteOutage, pauseOf, triggerKey } from './outage.ts';
import { fieldNames } from './parameters.ts';
import type { Settings } from './settings.ts';
import { type LoadedState, StaticDataError, WatchStateStore } from './state.ts';

/** Seconds before the activation from which on a subscription is new, where the service did not tell its own time. */
const clockOverlap = 5 * 60;

/**
 * A scheduled poll. An outage of the service ends it without a report; {@link noteOutage} tells of one that lasts.
 *
 * @returns an item for each event; null where there is none and n8n need not save the state
 * @throws CapacityError, WatchStateError, and what the engine throws for a refusal; the state then stays as it was
 */
export async function poll(context: IPollFunctions, settings: Settings): Promise<readonly IDataObject[] | null> {
  const { engine, publicationId } = await openEngine(context, settings.publication);
  const store = new WatchStateStore(context);
  const loaded = store.load(publicationId, settings);
  const isFirst = loaded.stored === null;
  const pause = isFirst ? undefined : pauseOf(context);
  const finding = pause ? Promise.reject(pause) : find(context, engine, settings, loaded);
  const found = await finding.catch((error: unknown) => {
    forgetCount(triggerKey(context));
    if (!isOutage(error, !isFirst)) throw error;
    noteOutage(context, error);
    return null;
  });
  if (found === null && !isFirst) return null;
  // It found the same events.
  if (store.wasOvertaken(loaded)) return null;
  const state = found?.state ?? stateWithoutService(publicationId, settings);
  const items = found === null ? [] : itemsOf(found, settings);
  // With "Always Output Data", n8n would turn an empty result into an item.
  const mayBeEmpty = context.getNode().alwaysOutputData !== true;
  if (store.lacksCopy(loaded) && items.length > 0 && mayBeEmpty) {
    // The next poll finds the same again, and can report it safely.
    store.save(loaded.state, loaded, settings, true);
    return [];
  }
  const reports = items.length > 0 || (mayBeEmpty && store.mustSave(loaded, state, settings));
  if (state !== loaded.state || loaded.isRecovered || store.lacksCopy(loaded))
    store.save(state, loaded, settings, reports);
  return reports ? items : null;
}

async function find(
  context: IPollFunctions,
  engine: Engine,
  settings: Settings,
  { state, stored }: LoadedState,
): Promise<SubscriptionPoll> {
  const isFirst = stored === null;
  const time = timeBudget(context, isFirst);
  const call = { totalTimeoutMs: time.requestMs };
  // Before the scan reads any.
  const size = isFirst && settings.scans ? await listSize(engine, call) : null;
  if (size !== null && size > capacity) throw new CapacityError(capacity, size);
  await checkFieldNames(context, engine, settings, call);
  const found = await watchSubscriptions({
    engine,
    status: settings.onlyLeavers ? await leaversStatus(triggerKey(context), engine, state, call) : undefined,
    events: settings.events.map((name) => events[name].type),
    customFields: settings.customFields,
    expand: settings.expand,
    state,
    pages: requestLimit(settings, state, isFirst),
    capacity,
    limit: pageLimit.max,
    hasTime: time.hasTime,
    call,
  }).poll();
  if (found.interruption === undefined) endOutage(context);
  else noteOutage(context, found.interruption);
  logProgress(context, found);
  return found;
}

/** The state of an activation while the service does not answer: what is created from now on is new. */
function stateWithoutService(publicationId: string, { since }: Settings): WatchState {
  return { ...startWatch(publicationId, since ?? Math.floor(Date.now() / 1000) - clockOverlap), revision: 1 };
}

function itemsOf(
  { events: found }: SubscriptionPoll,
  { events: chosen, changes, filter, form }: Settings,
): IDataObject[] {
  const items: IDataObject[] = [];
  for (const event of found) {
    if (event.type === 'removed' || !matches(filter, event.subscription)) continue;
    if (event.type === 'updated' && !event.changed.some((change) => changes.includes(change))) continue;
    for (const name of chosen) if (events[name].type === event.type) items.push(toItem(name, event, form));
  }
  return items;
}

/**
 * Most requests of a poll. During the first scan more than the option allows: changes are found from the second reading
 * of a subscription on. During the activation, as many as there is time for.
 */
function requestLimit({ scans, pages }: Settings, { scan }: WatchState, isFirst: boolean): number {
  if (!scans) return pages;
  // One request reads what is new; the scan needs another.
  if (scan !== null && scan.pass > 0) return Math.max(pages, 2);
  return Math.max(pages, isFirst ? Math.ceil(capacity / pageLimit.max) + 2 : requestsPerFirstScanPoll);
}

/**
 * Checks that the publication has the custom fields whose changes to report. After a field was renamed, the values
 * under its old name are gone from every subscription, which would be reported as a change of each.
 *
 * @throws NodeOperationError that names the missing fields and the existing ones
 */
export async function checkFieldNames(
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
  throw new NodeOperationError(
    context.getNode(),
    `"${fieldNames.displayName}" names ${quoted(missing, 'and')}, but the publication has no such custom field`,
    {
      description: `If a field was renamed, enter its new name. The custom fields are ${quoted(kinds?.keys() ?? [], 'and')}. Under other names, the trigger reports the changes from then on.`,
      failure: { cause: 'configuration-invalid' },
    },
  );
}

function logProgress({ logger }: IPollFunctions, { scan, complete, interruption }: SubscriptionPoll): void {
  if (interruption === undefined && !complete)
    logger.info('Newsletter Trigger: more is new than one poll may read; the next poll continues from there');
  if (scan === null) return;
  if (scan.passes === 0)
    logger.info(`Newsletter Trigger: the first scan has read ${scan.known} subscriptions; the next poll continues`);
  else logger.debug(`Newsletter Trigger: at ${Math.round(scan.share * 100)} % of ${scan.known} subscriptions`);
}

const round = (count: number): string => count.toLocaleString('en');

/** Converts an error of a poll to n8n's error, with a remedy. */
export function toTriggerFailure(node: INode, error: unknown): NodeFailure {
  const own = ownFailure(error);
  if (own) {
    const { message, description } = own;
    return new NodeOperationError(node, message, { description, failure: { cause: 'configuration-invalid' } });
  }
  const failure = toNodeFailure(node, error);
  // A revoked key or a deleted publication leaves the state as it is.
  if (error instanceof ApiError && [401, 403, 404].includes(error.status))
    failure.description = `${failure.description ?? ''} After the correction, the trigger reports what has happened since its last poll.`;
  return failure;
}

/** What is said of an error about the state; undefined for errors of requests. */
function ownFailure(error: unknown): { readonly message: string; readonly description: string } | undefined {
  if (error instanceof CapacityError)
    return {
      message: `This trigger can watch ${round(error.capacity)} subscriptions at most, and there are ${error.size === null ? 'more' : round(error.size)}`,
      description: `n8n stores the state of a trigger with the workflow, and loads it at every execution. Choose "${events.subscriptionCreated.name}" alone in Events, which stores almost nothing; for changes, run the command "newsletter watch" and send its output to a Webhook node.`,
    };
  if (error instanceof WatchStateError)
    return {
      message: 'The stored state of this trigger was written by a later version of the package, or is damaged',
      description:
        'Update the package to continue with it. To start over instead, delete this node and add it again under another name: n8n stores the state by name and ID.',
    };
  if (error instanceof StaticDataError)
    return {
      message: 'n8n does not let this trigger keep its state',
      description:
        'The static data of the workflow cannot be changed, so every poll would report the same again; none is reported. Update n8n, or copy the workflow into a new one and publish that.',
    };
  return undefined;
}
