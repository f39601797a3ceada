/** A poll by n8n's schedule: reports what happened since the last one, and moves the state on. */
import { type WatchResult, type WatchState, watchSubscriptions } from '@newsletter-kit/core/watch';
import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { largestPage } from '../parameters/list.ts';
import { openEngine } from '../transport/engine.ts';
import { matches, type Reported, toItem } from './items.ts';
import { capacity, checkSize, requestsALearningPoll, timeOf } from './limits.ts';
import type { Settings } from './settings.ts';
import { Memory } from './state.ts';

/**
 * @returns what happened; null where nothing did and n8n need not save anything
 * @throws CapacityError, WatchStateError, and what the engine throws where not even one page could be read; the state
 *   then stays as it was
 */
export async function poll(context: IPollFunctions, settings: Settings): Promise<readonly IDataObject[] | null> {
  const { event, form, filter } = settings;
  const { engine, publicationId } = await openEngine(context, settings.publication);
  const memory = new Memory(context);
  const begun = memory.resume(publicationId, settings);
  const { state, from } = begun;
  if (from === 'nowhere') await checkSize(engine, event);
  const time = timeOf(context, from === 'nowhere');
  const watch = watchSubscriptions({
    engine,
    events: [event.type],
    customFields: settings.customFields,
    ...(event.looks === 'inactive' && { status: event.looks }),
    expand: settings.expand,
    state,
    pages: pagesFor(settings, state, from === 'nowhere'),
    capacity,
    limit: largestPage,
    hasTime: time.has,
    call: { totalTimeoutMs: time.ofRequest },
  });
  const found = await watch.poll();
  // Another poll began with the same state and was faster: what it found is what this one found.
  if (memory.isOvertaken()) return null;
  tell(context, found);
  const items = found.events
    .filter((one): one is Exclude<typeof one, { readonly type: 'removed' }> => one.type !== 'removed')
    .filter((one) => counts(one, settings) && matches(filter, one.subscription))
    .map((one) => toItem(one, event, form));
  // With "Always Output Data", n8n would make an item of nothing.
  const reports =
    items.length > 0 || (memory.mustSave(begun, found.state, event) && context.getNode().alwaysOutputData !== true);
  if (found.state !== state) memory.keep(found.state, begun, reports);
  return reports ? items : null;
}

/**
 * The first time round, more than the person allows a poll: a change is found from the second look at a subscription
 * on. In the activation, as many as there is time for.
 */
function pagesFor({ event, pages }: Settings, { scan }: WatchState, first: boolean): number {
  if (event.looks === 'newest') return pages;
  // One request asks what is new; with no other, the scan would stand still.
  if (scan !== null && scan.pass > 0) return Math.max(pages, 2);
  return Math.max(pages, first ? Math.ceil(capacity / largestPage) + 2 : requestsALearningPoll);
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
