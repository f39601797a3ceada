/**
 * Finds the new records of a list: a pure reducer over pages that come newest first, and the poll that reads them.
 *
 * It relies on two facts of the API: `created` is whole seconds and never changes, and a list in descending order
 * starts with the newest record. The watermark comes from records that were read, not from a clock, so neither a skewed
 * clock nor a late poll can skip a record. With a clock, it also knows when a second is over.
 */
import { BadRequestError } from '../engine/errors.ts';
import { after, before, firstWatermark, lower, raise, type Dated, type Watermark } from './watermark.ts';

/** A checkpoint within a list that a poll could not read to its end; the next poll continues here. */
export interface CreatedWalk {
  /** The newest record read. Becomes `seen` when the poll reaches the old `seen`. */
  readonly head: Watermark;
  /** The oldest record reported so far; null before the first. */
  readonly tail: Watermark | null;
  /** The cursor of the next page; null to start again at the top of the list. */
  readonly cursor: string | null;
  /** When the walk began, in milliseconds of the watcher's clock, where known. */
  readonly began?: number;
}

/** The state between polls. Plain JSON. */
export interface CreatedState {
  readonly version: 1;
  /** The watermark: every record up to here was reported, or existed before the watch; null before the first poll. */
  readonly seen: Watermark | null;
  readonly walk: CreatedWalk | null;
}

/** A page of the list, newest first. */
export interface CreatedPage<Item extends Dated> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/** The result of one page. */
export interface CreatedStep<Item extends Dated> {
  /** New records, newest first. */
  readonly events: readonly Item[];
  readonly state: CreatedState;
  /** The page to read next, or null where everything new has been seen. */
  readonly next: { readonly cursor: string } | null;
}

/**
 * The state before the first poll. The first poll only sets the watermark, so that no old record is reported.
 *
 * @param since - Unix seconds; when given, everything created from that second on counts as new
 */
export function startCreated(since?: number): CreatedState {
  return { version: 1, seen: since === undefined ? null : { created: since, ids: [] }, walk: null };
}

/**
 * Reads one page. The same state is returned, identically, where the page held nothing new.
 *
 * @param now - milliseconds of a clock that need not be right, only run. Without it, a newest second that fills more
 *   than a page is read to its end by every poll, for a record might still join it
 */
export function created<Item extends Dated>(
  state: CreatedState,
  page: CreatedPage<Item>,
  now?: number,
): CreatedStep<Item> {
  return state.seen === null ? seed(state, page) : walkDown(state, state.seen, page, now);
}

/** The first poll: sets the watermark to the newest second and all its records, and reports nothing. */
function seed<Item extends Dated>(state: CreatedState, { items, nextCursor }: CreatedPage<Item>): CreatedStep<Item> {
  // After a dropped cursor, the list may start with records created since the first page: those are new.
  const begun = state.walk?.head;
  const known = begun ? items.filter(({ created }) => created <= begun.created) : items;
  const head = raise(begun ?? firstWatermark, known);
  const complete = items.some((item) => item.created < head.created);
  return complete || nextCursor === null
    ? { events: [], state: { version: 1, seen: head, walk: null }, next: null }
    : continueWalk([], state.seen, { head, tail: null, cursor: nextCursor }, nextCursor);
}

/** Reads down the list until a record that is older than the watermark. */
function walkDown<Item extends Dated>(
  state: CreatedState,
  seen: Watermark,
  { items, nextCursor }: CreatedPage<Item>,
  now: number | undefined,
): CreatedStep<Item> {
  const { head, tail } = state.walk ?? { head: seen, tail: null };
  const began = state.walk === null ? now : state.walk.began;
  const isNew = after(seen);
  const notReported = tail === null ? () => true : before(tail);
  const events = items.filter((item) => isNew(item) && notReported(item));
  const raised = raise(head, events);
  // The order within the second of `seen` is unknown: only an older record ends the walk.
  const known = seen.settled ? seen.created : seen.created - 1;
  if (nextCursor !== null && !items.some((item) => item.created <= known)) {
    const walk = { head: raised, tail: lower(tail, events), cursor: nextCursor, ...(began !== undefined && { began }) };
    return continueWalk(events, seen, walk, nextCursor);
  }
  // Compared by value: the state may have been stored as text in between.
  const isSame = raised.created === seen.created && raised.ids.length === seen.ids.length;
  const reached = isSame ? settled(seen, began) : { created: raised.created, ids: raised.ids };
  const unchanged = state.walk === null && reached === seen;
  return { events, state: unchanged ? state : { version: 1, seen: reached, walk: null }, next: null };
}

/** A second with at least as many records as a page can hold is settled once it is over. */
const manyRecords = 100;
/** Milliseconds after which a second is certainly over and all its records can be read. */
const settleDelayMs = 60_000;

/**
 * The watermark after a walk that found nothing new: settled, where its second was over when the walk began. The delay
 * counts from the first such walk, because the duration of the poll that reached the watermark is unknown.
 */
function settled(seen: Watermark, began: number | undefined): Watermark {
  if (began === undefined || seen.settled || seen.ids.length < manyRecords) return seen;
  if (seen.noticed === undefined) return { ...seen, noticed: began };
  return began - seen.noticed >= settleDelayMs ? { created: seen.created, ids: [], settled: true } : seen;
}

function continueWalk<Item extends Dated>(
  events: readonly Item[],
  seen: Watermark | null,
  walk: CreatedWalk,
  cursor: string,
): CreatedStep<Item> {
  return { events, state: { version: 1, seen, walk }, next: { cursor } };
}

/** Options of {@link pollCreated}. */
export interface CreatedPoll<Item extends Dated> {
  readonly state: CreatedState;
  /** Reads a page of the list in descending order of creation; null asks for the first. */
  readonly read: (cursor: string | null) => Promise<CreatedPage<Item>>;
  /** Most pages to read; at least 1. The next polls read the rest. */
  readonly pages: number;
  /** Asked before every further page: whether there is time for one. */
  readonly hasTime?: (() => boolean) | undefined;
  /**
   * Milliseconds since the Unix epoch; avoids reading a newest second with many records in every poll. See {@link
   * created}.
   */
  readonly now?: number;
}

/** The result of {@link pollCreated}. */
export interface CreatedPollResult<Item extends Dated> {
  /** New records, oldest first; those of one second in the list's own order, reversed. */
  readonly events: readonly Item[];
  /** Store it together with the events, in one transaction. */
  readonly state: CreatedState;
  /** Whether the poll reached the old watermark; otherwise the next poll continues here. */
  readonly complete: boolean;
  /** The error that ended the poll after its first page; undefined without one. */
  readonly interruption?: unknown;
}

/**
 * Polls once. Store `state` together with the events: after a crash between the two, the events are reported again.
 *
 * @throws the error of `read` for the first page; an error for a later page is in the result, with the events before it
 */
export async function pollCreated<Item extends Dated>(poll: CreatedPoll<Item>): Promise<CreatedPollResult<Item>> {
  const { read, pages, hasTime = () => true } = poll;
  let state = poll.state;
  let cursor = state.walk?.cursor ?? null;
  const events: Item[] = [];
  const found = (complete: boolean): CreatedPollResult<Item> => ({ events: events.toReversed(), state, complete });

  for (let count = 0; count < Math.max(1, pages) && (count === 0 || hasTime()); count++) {
    let page: CreatedPage<Item>;
    try {
      page = await read(cursor);
    } catch (error) {
      if (count === 0 && state.walk !== null && cursor !== null && error instanceof BadRequestError) {
        // The service no longer accepts the cursor of the last poll: start at the top, and skip what was reported.
        return pollCreated({ ...poll, state: { ...state, walk: { ...state.walk, cursor: null } } });
      }
      if (count === 0) throw error;
      return { ...found(false), interruption: error };
    }
    const step = created(state, page, poll.now);
    events.push(...step.events);
    state = step.state;
    if (step.next === null) return found(true);
    cursor = step.next.cursor;
  }
  return found(false);
}
