/**
 * "Created": which records of a list are new since the last look. A pure reducer over pages that come newest first.
 *
 * It relies on two facts of the API: `created` is whole seconds and never changes, and a list in descending order
 * starts with the newest record. It never asks what time it is: the state is derived from records that were seen, so
 * neither a skewed clock nor a late poll can skip one. It may be told how time passes, and then knows when a second is
 * over.
 */
import { after, before, beginning, lower, raise, type Dated, type Frontier } from './frontier.ts';

/** A way down the list that a poll began and could not finish; the next poll goes on from here. */
export interface CreatedWalk {
  /** The newest record met. Becomes `seen` when the walk reaches what was seen before. */
  readonly head: Frontier;
  /** The oldest record handed out so far; null where none was. */
  readonly tail: Frontier | null;
  /** Where the list goes on; null to find the place again from the top. */
  readonly cursor: string | null;
  /** When it began, in milliseconds of the watcher's clock, where that is known. */
  readonly began?: number;
}

/** What is kept between polls. Plain JSON. */
export interface CreatedState {
  readonly version: 1;
  /** Everything up to here was handed out, or was there before watching began; null before the first look. */
  readonly seen: Frontier | null;
  readonly walk: CreatedWalk | null;
}

/** A page of the list, newest first. */
export interface CreatedPage<Item extends Dated> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/** What a page meant. */
export interface CreatedStep<Item extends Dated> {
  /** New records, newest first. */
  readonly events: readonly Item[];
  readonly state: CreatedState;
  /** The page to read next, or null where everything new has been seen. */
  readonly next: { readonly cursor: string } | null;
}

/**
 * The state before the first poll. The first poll then only notes where the list stands, so that nothing old is
 * reported.
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

/** Drops the place in the list, which the service no longer knows, and finds it again from the top by what was seen. */
export function withoutCursor(state: CreatedState): CreatedState {
  return state.walk === null ? state : { ...state, walk: { ...state.walk, cursor: null } };
}

/** The first look: notes the newest second, all of it, and reports nothing. */
function seed<Item extends Dated>(state: CreatedState, { items, nextCursor }: CreatedPage<Item>): CreatedStep<Item> {
  // Found again from the top, the list may start with records that came after the first look: those will be new.
  const { walk } = state;
  const head =
    walk === null
      ? raise(beginning, items)
      : raise(
          walk.head,
          items.filter(({ created }) => created <= walk.head.created),
        );
  const complete = items.some((item) => item.created < head.created);
  return complete || nextCursor === null
    ? { events: [], state: { version: 1, seen: head, walk: null }, next: null }
    : goOn([], state.seen, { head, tail: null, cursor: nextCursor }, nextCursor);
}

/** Goes down the list until a record that is older than everything new can be. */
function walkDown<Item extends Dated>(
  state: CreatedState,
  seen: Frontier,
  { items, nextCursor }: CreatedPage<Item>,
  now: number | undefined,
): CreatedStep<Item> {
  const { head, tail } = state.walk ?? { head: seen, tail: null };
  const began = state.walk === null ? now : state.walk.began;
  const isNew = after(seen);
  const notHandedOut = tail === null ? () => true : before(tail);
  const events = items.filter((item) => isNew(item) && notHandedOut(item));
  const raised = raise(head, events);
  // Records of the very second of `seen` may stand anywhere within it: only an older one ends the walk.
  const known = seen.settled ? seen.created : seen.created - 1;
  if (nextCursor !== null && !items.some((item) => item.created <= known)) {
    const walk = { head: raised, tail: lower(tail, events), cursor: nextCursor, ...(began !== undefined && { began }) };
    return goOn(events, seen, walk, nextCursor);
  }
  // By value: what was kept as text is no longer the same object.
  const isSame = raised.created === seen.created && raised.ids.length === seen.ids.length;
  const reached = isSame ? settled(seen, began) : { created: raised.created, ids: raised.ids };
  const unchanged = state.walk === null && reached === seen;
  return { events, state: unchanged ? state : { version: 1, seen: reached, walk: null }, next: null };
}

/** Records of a second that are worth the trouble: as many as a page holds at most. */
const many = 100;
/** Milliseconds after which a second that was seen is over, and all its records can be read, for certain. */
const patience = 60_000;

/**
 * The frontier after a walk that began then and found nothing new: settled, where the second was over by then. The
 * clock starts with the first such walk, not with the poll that reached the frontier: of that it is unknown how long it
 * took.
 */
function settled(seen: Frontier, began: number | undefined): Frontier {
  if (began === undefined || seen.settled || seen.ids.length < many) return seen;
  if (seen.noticed === undefined) return { ...seen, noticed: began };
  return began - seen.noticed >= patience ? { created: seen.created, ids: [], settled: true } : seen;
}

function goOn<Item extends Dated>(
  events: readonly Item[],
  seen: Frontier | null,
  walk: CreatedWalk,
  cursor: string,
): CreatedStep<Item> {
  return { events, state: { version: 1, seen, walk }, next: { cursor } };
}
