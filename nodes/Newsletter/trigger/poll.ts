/** A scheduled poll: returns the events since the last poll, and advances the state. */
import { type WatchResult, type WatchState, watchSubscriptions } from '@newsletter-kit/core/watch';
import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { largestPage } from '../parameters/list.ts';
import { openEngine } from '../transport/engine.ts';
import { matches, type Reported, toItem } from './items.ts';
import { capacity, checkSize, requestsPerFirstScanPoll, timeBudget } from './limits.ts';
import type { Settings } from './settings.ts';
import { WatchStateStore } from './state.ts';

/**
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
  const watch = watchSubscriptions({
    engine,
    events: [event.type],
    customFields: settings.customFields,
    ...(event.reads === 'inactive' && { status: event.reads }),
    expand: settings.expand,
    state,
    pages: requestLimit(settings, state, from === 'new'),
    capacity,
    limit: largestPage,
    hasTime: time.hasTime,
    call: { totalTimeoutMs: time.requestMs },
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
  return Math.max(pages, first ? Math.ceil(capacity / largestPage) + 2 : requestsPerFirstScanPoll);
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
      'Newsletter Trigger: the poll was cut short; what it found is passed on, and the next poll goes on from there',
    );
  else if (!complete)
    logger.info('Newsletter Trigger: more is new than one poll may read; the next poll goes on from there');
  if (scan === null) return;
  if (scan.passes === 0)
    logger.info(
      `Newsletter Trigger: still learning what is there, ${scan.known} subscriptions so far; the next poll goes on`,
    );
  else logger.debug(`Newsletter Trigger: at ${Math.round(scan.share * 100)} % of ${scan.known} subscriptions`);
}
