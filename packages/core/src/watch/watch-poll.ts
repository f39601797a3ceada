/** One poll of a watch: what is new, then a slice of the scan, in one budget of requests. */
import { BadRequestError } from '../engine/errors.ts';
import { signature, type FieldChoice, type Watched } from './condition.ts';
import type { CreatedPage } from './created.ts';
import { statusEvents, type SubscriptionEvent, type SubscriptionEventType } from './events.ts';
import { pollCreated } from './poll.ts';
import {
  glance,
  progressOf,
  scan,
  startScan,
  withoutPlace,
  type Place,
  type ScanPage,
  type ScanProgress,
  type ScanState,
  type ScanStep,
  type ScanView,
} from './scan.ts';
import { CapacityError, type WatchState } from './state.ts';
import { sizeOf } from './table.ts';

/** How the list is read. The scan's pages come oldest first, those for "created" newest first. */
export interface Readers<Item extends Watched> {
  readonly newest: (cursor: string | null) => Promise<CreatedPage<Item>>;
  readonly oldest: (place: Place) => Promise<ScanPage<Item>>;
}

/** What a poll needs. */
export interface WatchPoll<Item extends Watched> {
  readonly state: WatchState;
  readonly read: Readers<Item>;
  /** What to report. `created` alone costs one request where nothing is new; any other needs the scan. */
  readonly events: readonly SubscriptionEventType[];
  /**
   * Custom fields whose change is an `updated`. Default `none`; the pages read must carry them
   * (`expand: ['custom_fields']`).
   */
  readonly customFields?: FieldChoice;
  /**
   * `all` (default), or the status whose list the readers read. Then every subscription that comes into the list has
   * taken that status, "created" is not asked, and only `became_active` and `unsubscribed` are told.
   */
  readonly list?: string;
  /** Most pages to read; at least 1. Default 10. What is left is read by the next polls. */
  readonly pages?: number;
  /** Most subscriptions to keep. Default: no bound. */
  readonly capacity?: number;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /** Asked before every further page: whether there is time for one. */
  readonly hasTime?: () => boolean;
}

/** What a poll found. */
export interface WatchResult<Item extends Watched> {
  /** What is new, oldest first; then what changed, in the order it was met. */
  readonly events: readonly SubscriptionEvent<Item>[];
  /** To be kept together with the events, or not at all. The same object where nothing moved. */
  readonly state: WatchState;
  /** Whether everything new was seen; otherwise the next poll goes on where this one stopped. */
  readonly complete: boolean;
  /** How far the scan is; null where none is needed. */
  readonly scan: ScanProgress | null;
  /** What ended the poll early, after pages that count; undefined where nothing did. */
  readonly interruption?: unknown;
}

/** A poll under way. */
interface Found<Item extends Watched> {
  readonly state: WatchState;
  readonly events: readonly SubscriptionEvent<Item>[];
  readonly complete: boolean;
  /** Pages that were read. */
  readonly pages: number;
  readonly interruption?: unknown;
}

/**
 * Polls once. Keep `state` only together with the events: whoever crashes between the two gets the events again. Where
 * two polls began with the same state, keep one of them: its `revision` tells that the other came too late.
 *
 * The first poll notes where the list stands and reports nothing; a change is found from the second look at a
 * subscription on.
 *
 * @throws CapacityError where more subscriptions would have to be kept than `capacity`; whatever a reader throws before
 *   any page counts
 */
export async function pollWatch<Item extends Watched>(poll: WatchPoll<Item>): Promise<WatchResult<Item>> {
  const { pages = 10, capacity = Number.POSITIVE_INFINITY, list = 'all', now } = poll;
  const scans = list !== 'all' || poll.events.some((type) => type !== 'created');
  const prepared = prepare(poll.state, scans, poll.customFields ?? 'none', list);
  // A burst of new subscriptions does not bring the scan to a halt.
  const kept = scans ? Math.floor(pages / 4) : 0;
  const first: Found<Item> =
    list !== 'all'
      ? { state: prepared, events: [], complete: true, pages: 0 }
      : await findNew(poll, prepared, Math.max(1, pages - kept));
  const found = await findChanges(poll, first, Math.max(pages, 1) - first.pages);

  const wanted = new Set<string>(poll.events);
  const scanState = found.state.scan;
  if (scanState !== null && sizeOf(scanState.table) > capacity) throw new CapacityError(capacity);
  return {
    events: found.events.filter(({ type }) => wanted.has(type)),
    state: found.state === poll.state ? poll.state : { ...found.state, revision: poll.state.revision + 1 },
    complete: found.complete,
    scan: scanState === null ? null : progressOf(scanState, { now, seen: found.state.created.seen }),
    ...(found.interruption !== undefined && { interruption: found.interruption }),
  };
}

/**
 * The scan begins when first it is needed, anew where it looked at something else, and ends where it is needed no more.
 */
function prepare(state: WatchState, scans: boolean, fields: FieldChoice, list: string): WatchState {
  if (!scans) return state.scan === null ? state : { ...state, scan: null };
  return state.scan?.fields === signature(fields) && state.scan.list === list
    ? state
    : { ...state, scan: startScan(fields, list) };
}

/** What is new, and what the pages on the way showed of subscriptions that are not. */
async function findNew<Item extends Watched>(
  poll: WatchPoll<Item>,
  before: WatchState,
  pages: number,
): Promise<Found<Item>> {
  const { read, hasTime, customFields: fields = 'none' } = poll;
  const met = new Map<string, Item>();
  let count = 0;
  const result = await pollCreated({
    state: before.created,
    pages,
    now: poll.now,
    ...(hasTime && { hasTime }),
    read: async (cursor) => {
      const page = await read.newest(cursor);
      count++;
      for (const item of page.items) met.set(item.id, item);
      return page;
    },
  });
  const { events: fresh, complete, interruption } = result;
  const events: SubscriptionEvent<Item>[] = fresh.map((subscription) => ({ type: 'created', subscription }));
  let { scan: scanState } = before;
  if (scanState !== null) {
    for (const { id } of fresh) met.delete(id);
    const added = glance(scanState, fresh, fields, true);
    const passed = glance(added.state, [...met.values()].toReversed(), fields, false);
    // A new subscription's first status counts as one it has come to: it came to it since watching began.
    events.push(
      ...fresh.flatMap((subscription) => statusEvents(null, subscription)),
      ...added.events,
      ...passed.events,
    );
    scanState = passed.state;
  }
  const moved = result.state !== before.created || scanState !== before.scan;
  return {
    state: moved ? { ...before, created: result.state, scan: scanState } : before,
    events,
    complete,
    pages: count,
    ...(interruption !== undefined && { interruption }),
  };
}

/** A slice of the scan, of so many pages; at most to the end of a pass. */
async function findChanges<Item extends Watched>(
  poll: WatchPoll<Item>,
  first: Found<Item>,
  pages: number,
): Promise<Found<Item>> {
  const { read, hasTime = () => true, customFields: fields = 'none', now } = poll;
  const { created, scan: begun } = first.state;
  // Without "created" at hand, nobody would have reported what the scan must leave to it.
  if (begun === null || (begun.list === 'all' && created.seen === null) || first.interruption !== undefined)
    return first;
  let state: ScanState = begun;
  const view: ScanView = {
    fields,
    now,
    seen: state.list === 'all' ? created.seen : null,
    underWay: (created.walk?.tail ?? null) !== null,
  };
  const events: SubscriptionEvent<Item>[] = [];
  let next: Place | null = state.place;
  let resumed = next.cursor !== null;
  let count = 0;
  const found = (interruption?: unknown): Found<Item> => ({
    ...first,
    state: count === 0 ? first.state : { ...first.state, scan: state },
    events: [...first.events, ...events],
    pages: first.pages + count,
    ...(interruption !== undefined && { interruption }),
  });

  while (next !== null && count < pages && (first.pages + count === 0 || hasTime())) {
    let page: ScanPage<Item>;
    try {
      page = await read.oldest(next);
    } catch (error) {
      if (resumed && error instanceof BadRequestError) {
        // The service no longer knows the place of the last poll: find it again by the day it had come to.
        resumed = false;
        state = withoutPlace(state);
        next = state.place;
        continue;
      }
      if (first.pages + count === 0) throw error;
      return found(error);
    }
    resumed = false;
    count++;
    const step: ScanStep<Item> = scan(state, page, view);
    events.push(...step.events);
    ({ state, next } = step);
  }
  return found();
}
