/** A poll by n8n's schedule: reports what happened since the last one, and moves the state on. */
import { watchSubscriptions, type WatchResult, type WatchState } from '@newsletter-kit/core/watch';
import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { largestPage } from '../parameters/list.ts';
import { openEngine } from '../transport/engine.ts';
import { matches } from './filter.ts';
import { toItem, type Reported } from './item.ts';
import { capacity, timeOf } from './limits.ts';
import type { Settings } from './settings.ts';
import { keep, kept, resume } from './state.ts';

/**
 * @throws CapacityError, WatchStateError, and what the engine throws where not even one page could be read; the state
 *   then stays as it was
 */
export async function poll(context: IPollFunctions, settings: Settings): Promise<readonly IDataObject[]> {
  const { event, form, filter } = settings;
  const { engine, publicationId } = await openEngine(context, settings.publication);
  const staticData = context.getWorkflowStaticData('node');
  const before = kept(staticData);
  const state = resume(before, publicationId, settings);
  const time = timeOf(context);
  const watch = watchSubscriptions({
    engine,
    events: [event.type],
    customFields: settings.customFields,
    ...(event.looks === 'inactive' && { status: event.looks }),
    expand: settings.expand,
    state,
    pages: pagesFor(settings, state),
    capacity,
    limit: largestPage,
    hasTime: time.has,
    call: { totalTimeoutMs: time.ofRequest },
  });
  const found = await watch.poll();
  // Another poll began with the same state and was faster: what it found is what this one found.
  if (kept(staticData) !== before) return [];
  if (found.state !== state) keep(staticData, found.state);
  tell(context, found);
  return found.events
    .filter((one): one is Exclude<typeof one, { readonly type: 'removed' }> => one.type !== 'removed')
    .filter((one) => counts(one, settings) && matches(filter, one.subscription))
    .map((one) => toItem(one, event, form));
}

/**
 * The first time round, as many as there is time for: only what n8n saves outlives it, and a poll that reports nothing
 * is saved for certain only where it is the first, in the activation of the workflow.
 */
function pagesFor({ event, pages }: Settings, { scan }: WatchState): number {
  const learns = event.looks !== 'newest' && (scan === null || scan.pass === 0);
  return learns ? Math.max(pages, Math.ceil(capacity / largestPage) + 2) : pages;
}

/** Of an update, at least one change that was asked for. */
function counts(event: Reported<unknown>, { changes }: Settings): boolean {
  return event.type !== 'updated' || event.changed.some((change) => changes.includes(change));
}

function tell(
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
