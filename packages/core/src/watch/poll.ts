/** One poll of a watch: reads new subscriptions, then a slice of the scan, within one budget of requests. */
import { BadRequestError } from '../engine/errors.ts';
import type { FieldChoice, Watched } from './fingerprint.ts';
import { type CreatedPage, pollCreated, startCreated } from './created.ts';
import { statusEvents, type SubscriptionEvent, type SubscriptionEventType } from './events.ts';
import {
  recordSeen,
  scan,
  startScan,
  restartFromDay,
  withFields,
  withList,
  type ListPosition,
  type ScanPage,
  type ScanState,
  type ScanStep,
  type ScanView,
} from './scan.ts';
import { CapacityError, type WatchState } from './state.ts';
import { oldestReadAge } from './stretches.ts';
import { sizeOf } from './table.ts';
import type { Watermark } from './watermark.ts';

/** Reads pages of the list: newest first for "created", oldest first for the scan. */
export interface Readers<Item extends Watched> {
  readonly newest: (cursor: string | null) => Promise<CreatedPage<Item>>;
  readonly oldest: (place: ListPosition) => Promise<ScanPage<Item>>;
}

/** Options of {@link pollWatch}. */
export interface WatchPoll<Item extends Watched> {
  readonly state: WatchState;
  readonly read: Readers<Item>;
  /** Events to report. `created` alone costs one request where nothing is new; any other event needs the scan. */
  readonly events: readonly SubscriptionEventType[];
  /**
   * Custom fields whose change is an `updated`. Default `none`; the pages read must carry them
   * (`expand: ['custom_fields']`).
   */
  readonly customFields?: FieldChoice | undefined;
  /**
   * `all` (default), or the status whose list the readers read. Then every subscription that enters the list has
   * taken that status, "created" is not polled, and only `became_active` and `unsubscribed` are reported.
   */
  readonly list?: string | undefined;
  /** Most pages to read; at least 1. Default 10. The next polls read the rest. */
  readonly pages?: number | undefined;
  /** Most subscriptions in the state. Default: no limit. */
  readonly capacity?: number | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /** Asked before every further page: whether there is time for one. */
  readonly hasTime?: (() => boolean) | undefined;
}

/** The result of {@link pollWatch}. */
export interface WatchResult<Item extends Watched> {
  /** New subscriptions, oldest first; then changes, in the order they were read. */
  readonly events: readonly SubscriptionEvent<Item>[];
  /** Store it together with the events, in one transaction. The same object where nothing changed. */
  readonly state: WatchState;
  /** Whether everything new was read; otherwise the next poll continues here. */
  readonly complete: boolean;
  /** Progress of the scan; null where none is needed. */
  readonly scan: ScanProgress | null;
  /** The error that ended the poll after its first page; undefined without one. */
  readonly interruption?: unknown;
}

/** Progress of a scan. */
export interface ScanProgress {
  /** Share of the list that this pass has read, 0 to 1; in the first pass estimated by creation time. */
  readonly share: number;
  /** Complete passes. After the first, every change is found. */
  readonly passes: number;
  /** Milliseconds since the part of the list that was read longest ago; null before the end of the first pass. */
  readonly stalenessMs: number | null;
  /** Subscriptions in the table. */
  readonly known: number;
}

/** A poll in progress. */
interface PollProgress<Item extends Watched> {
  readonly state: WatchState;
  readonly events: readonly SubscriptionEvent<Item>[];
  readonly complete: boolean;
  /** Pages of new subscriptions that were read. */
  readonly pages: number;
  readonly interruption?: unknown;
}

/**
 * Polls once. Store `state` together with the events: after a crash between the two, the events are reported again.
 * Where two polls began with the same state, store one of them: its `revision` shows that the other is too late.
 *
 * The first poll sets the watermark and reports nothing; changes of a subscription are found from the second read on.
 *
 * @throws CapacityError where more subscriptions would have to be kept than `capacity`; whatever a reader throws before
 *   any page counts
 */
export async function pollWatch<Item extends Watched>(poll: WatchPoll<Item>): Promise<WatchResult<Item>> {
  const { pages = 10, capacity = Number.POSITIVE_INFINITY, list = 'all', customFields: fields = 'none', now } = poll;
  const scans = list !== 'all' || poll.events.some((type) => type !== 'created');
  const prepared = prepareScan(poll.state, scans, fields, list);
  // Reserves pages for the scan, so that a burst of new subscriptions does not stop it.
  const reservedPages = scans ? Math.floor(pages / 4) : 0;
  const first: PollProgress<Item> =
    list !== 'all'
      ? { state: prepared, events: [], complete: true, pages: 0 }
      : await pollNewSubscriptions(poll, prepared, fields, Math.max(1, pages - reservedPages));
  const found = await scanSlice(poll, first, fields, Math.max(pages, 1) - first.pages);

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

export function progressOf(state: ScanState, { now, seen }: Pick<ScanView, 'now' | 'seen'>): ScanProgress {
  return {
    share: Math.min(1, state.size === null ? shareByTime(state, seen) : state.size === 0 ? 0 : state.met / state.size),
    passes: state.pass,
    stalenessMs: state.pass === 0 ? null : oldestReadAge(state.stretches, now),
    known: sizeOf(state.table),
  };
}

function shareByTime({ reached, oldest }: ScanState, seen: Watermark | null): number {
  if (reached === null || oldest === null || seen === null || seen.created <= oldest) return 0;
  return (reached - oldest) / (seen.created - oldest);
}

/**
 * Starts the scan when it is first needed, and drops it when not needed. With another list or other fields it goes on
 * with what both need.
 */
function prepareScan(state: WatchState, scans: boolean, fields: FieldChoice, list: string): WatchState {
  const { scan: before } = state;
  if (!scans) return before === null ? state : { ...state, scan: null };
  if (before === null) return { ...state, scan: startScan(fields, list) };
  const ready = withList(withFields(before, fields), list);
  if (ready === before) return state;
  // The list of one status does not tell what is new: what was new meanwhile is not reported afterwards.
  return { ...state, scan: ready, ...(list !== 'all' && { created: startCreated() }) };
}

/** Reads new subscriptions, and the changes of known ones on the same pages. */
async function pollNewSubscriptions<Item extends Watched>(
  poll: WatchPoll<Item>,
  before: WatchState,
  fields: FieldChoice,
  pages: number,
): Promise<PollProgress<Item>> {
  const { read, hasTime } = poll;
  const pageItems = new Map<string, Item>();
  let count = 0;
  const result = await pollCreated({
    state: before.created,
    pages,
    now: poll.now,
    hasTime,
    read: async (cursor) => {
      const page = await read.newest(cursor);
      count++;
      for (const item of page.items) pageItems.set(item.id, item);
      return page;
    },
  });
  const { events: fresh, complete, interruption } = result;
  const events: SubscriptionEvent<Item>[] = fresh.map((subscription) => ({ type: 'created', subscription }));
  let { scan: scanState } = before;
  if (scanState !== null) {
    for (const { id } of fresh) pageItems.delete(id);
    const added = recordSeen(scanState, fresh, fields, true);
    const passed = recordSeen(added.state, [...pageItems.values()].toReversed(), fields, false);
    // The first status of a new subscription counts as a change of status since the watch began.
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
    interruption,
  };
}

/** Reads a slice of the scan: at most this many pages, and at most to the end of a pass. */
async function scanSlice<Item extends Watched>(
  poll: WatchPoll<Item>,
  first: PollProgress<Item>,
  fields: FieldChoice,
  pages: number,
): Promise<PollProgress<Item>> {
  const { read, hasTime = () => true, now } = poll;
  const { created, scan: begun } = first.state;
  // Before the first watermark, the scan could not tell new subscriptions from known ones.
  if (begun === null || (begun.list === 'all' && created.seen === null) || first.interruption !== undefined)
    return first;
  let state: ScanState = begun;
  const view: ScanView = {
    fields,
    now,
    seen: state.list === 'all' ? created.seen : null,
    createdInProgress: (created.walk?.tail ?? null) !== null,
  };
  const events: SubscriptionEvent<Item>[] = [];
  let next: ListPosition | null = state.place;
  let resumed = next.cursor !== null;
  let count = 0;
  const found = (interruption?: unknown): PollProgress<Item> => ({
    ...first,
    state: count === 0 ? first.state : { ...first.state, scan: state },
    events: [...first.events, ...events],
    interruption,
  });

  while (next !== null && count < pages && (first.pages + count === 0 || hasTime())) {
    let page: ScanPage<Item>;
    try {
      page = await read.oldest(next);
    } catch (error) {
      if (resumed && error instanceof BadRequestError) {
        // The service no longer accepts the cursor of the last poll: continue with the day it had reached.
        resumed = false;
        state = restartFromDay(state);
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
