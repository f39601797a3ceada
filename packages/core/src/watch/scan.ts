/**
 * The rolling scan: reads the whole list in slices, oldest subscription first, and reports changed and removed
 * subscriptions (tombstones). A pure reducer over pages. Reading the list once is a pass; after a pass the next begins.
 *
 * It relies on the same two facts as "created": `created` never changes, and the list is sorted by it. Rows may be
 * added, removed and changed during a pass; pages may have any size, overlap, or move.
 */
import {
  statusNumber,
  fieldsFingerprint,
  choiceText,
  tierOf,
  type StatusAndTier,
  type FieldChoice,
  type Watched,
  hash48,
} from './fingerprint.ts';
import { statusEvents, type RemovedEvent, type SubscriptionEvent } from './events.ts';
import { secondsOf } from '../facts/moment.ts';
import { hasLeft } from '../facts/subscriber-status.ts';
import { isRecord } from '../is-record.ts';
import { recordRead, type ReadStretch } from './stretches.ts';
import { after, type Watermark } from './watermark.ts';
import { recordSightings, replaceEntries, secondAfter, type TableEntry, type Sighting, type Table } from './table.ts';

/** A position in the list: the page to read. */
export interface ListPosition {
  /** Null asks for the first page. */
  readonly cursor: string | null;
  /** `YYYY/MM/DD` to read only what was created on that day (`creation_date`); null for the whole list. */
  readonly day: string | null;
}

/** A page of the list, oldest first. */
export interface ScanPage<Item extends Watched> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
  /** Records of the page that cannot be watched. Without `id` or `created` they may be any subscription. */
  readonly leftOut?: readonly unknown[] | undefined;
}

/** The state between slices. Plain JSON; each subscription takes 10 characters of `table`, or 15 with custom fields. */
export interface ScanState {
  /** The choice of custom fields that the fingerprints were made with. */
  readonly fields: string;
  /** `all`, or the status whose list this is. */
  readonly list: string;
  readonly table: Table;
  readonly conditions: readonly StatusAndTier[];
  /** Number of this pass; 0 is the first, which reports no event for a subscription it reads for the first time. */
  readonly pass: number;
  /** Checkpoint: where the pass continues. */
  readonly place: ListPosition;
  /** The newest and the oldest second that this pass has read; null before its first page. */
  readonly reached: number | null;
  readonly oldest: number | null;
  /** Subscriptions read in this pass, and in the whole pass before; null in the first pass. */
  readonly met: number;
  readonly size: number | null;
  readonly stretches: readonly ReadStretch[];
  /** Set where this pass met records that may be any subscription: it finds no removed ones. */
  readonly blind?: true;
  /**
   * A status whose subscriptions are known already during the first pass, from a scan of their list: an unknown one has
   * taken the status since, or, where it is that of having left, another word for it.
   */
  readonly listed?: string;
}

/** Input of the scan beside the page. */
export interface ScanView {
  readonly fields: FieldChoice;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /**
   * The watermark of "created": newer subscriptions are skipped, because they are not reported yet. Null without it.
   */
  readonly seen: Watermark | null;
  /** Whether a walk of "created" is unfinished and has reported subscriptions newer than `seen`. */
  readonly createdInProgress: boolean;
}

/** The result of one page. */
export interface ScanStep<Item extends Watched> {
  readonly events: readonly SubscriptionEvent<Item>[];
  readonly state: ScanState;
  /** The page to read next, or null where the pass is complete. */
  readonly next: ListPosition | null;
}

const start: ListPosition = { cursor: null, day: null };

/** The state before the first page. */
export function startScan(fields: FieldChoice = 'none', list = 'all'): ScanState {
  return {
    fields: choiceText(fields),
    list,
    table: [],
    conditions: [],
    pass: 0,
    place: start,
    reached: null,
    oldest: null,
    met: 0,
    size: null,
    stretches: [],
  };
}

/** The scan with another choice of custom fields: their first reading reports nothing, everything else goes on. */
export function withFields(state: ScanState, fields: FieldChoice): ScanState {
  const text = choiceText(fields);
  if (state.fields === text) return state;
  const table = replaceEntries(state.table, { marks: () => true }, (entry) => ({ ...entry, fingerprint: 0 }));
  return { ...state, fields: text, table };
}

/**
 * The scan of another list. From all subscriptions to those of one status, and back, what is known of that status stays
 * known, where it was read completely.
 */
export function withList(state: ScanState, list: string): ScanState {
  if (state.list === list) return state;
  const { conditions, fields, pass, table } = state;
  const fresh: ScanState = { ...startScan([], list), fields };
  if (pass === 0 || (list !== 'all' && state.list !== 'all')) return fresh;
  const isOther = (mark: number): boolean => list !== 'all' && conditions[conditionOf(mark)]?.[0] !== list;
  // As if the pass before the next had read every entry.
  const next = list === 'all' ? 0 : 1;
  return {
    ...fresh,
    conditions,
    pass: next,
    table: replaceEntries(table, { marks: () => true }, (entry) =>
      isOther(entry.mark) ? null : readIn(next + 2, entry),
    ),
    ...(list === 'all' && { listed: state.list }),
  };
}

/** Reads one page. */
export function scan<Item extends Watched>(state: ScanState, page: ScanPage<Item>, view: ScanView): ScanStep<Item> {
  const isNewer = view.seen === null ? () => false : after(view.seen);
  const items = page.items.filter((item) => !isNewer(item));
  const { state: written, seenItems } = recordItems(recordLeftOut(state, page), items, view.fields, true);
  const events = seenItems.flatMap((seen): SubscriptionEvent<Item>[] => {
    if (seen.known !== null) return changeEvents(written.conditions, seen);
    // In the list of all subscriptions, "created" reports an unknown one. In the list of one status, an unknown one has
    // just taken that status.
    const isListed = seen.item.status === state.listed || (hasLeft(state.listed) && hasLeft(seen.item.status));
    const hasArrived = state.list === 'all' ? isListed : state.pass > 0;
    return hasArrived ? statusEvents(null, seen.item) : [];
  });

  const seconds = items.map(({ created }) => created);
  const moved: ScanState = {
    ...written,
    reached: items.length === 0 ? state.reached : Math.max(state.reached ?? 0, ...seconds),
    oldest: items.length === 0 ? state.oldest : Math.min(state.oldest ?? Number.POSITIVE_INFINITY, ...seconds),
    met: state.met + items.length,
  };
  const next = nextPosition(moved, page, view);
  if (next === null) {
    const ended = endPass(moved, state.reached, view);
    return { events: [...events, ...ended.events], state: ended.state, next };
  }
  // A second is complete once a later one was read, because the order within it is unknown.
  const cleared =
    moved.reached === null || moved.reached === state.reached
      ? { state: moved, events: [] }
      : completeStretch(moved, state.reached, moved.reached - 1, view.now);
  return { events: [...events, ...cleared.events], state: { ...cleared.state, place: next }, next };
}

/**
 * Records subscriptions that were read for another reason, or that are new; this costs no extra request.
 *
 * @param add - whether to add unknown subscriptions
 */
export function recordSeen<Item extends Watched>(
  state: ScanState,
  items: readonly Item[],
  fields: FieldChoice,
  add: boolean,
): { readonly events: readonly SubscriptionEvent<Item>[]; readonly state: ScanState } {
  const { state: written, seenItems } = recordItems(state, items, fields, add);
  return { state: written, events: seenItems.flatMap((seen) => changeEvents(written.conditions, seen)) };
}

/** Drops a cursor that the service no longer accepts: the pass continues with the day it had reached. */
export function restartFromDay(state: ScanState): ScanState {
  const { reached, place } = state;
  // A day earlier, because the time zone of the service's days is unknown.
  const day = place.day ?? (reached === null ? null : dayOf(reached - aDay));
  return { ...state, place: { cursor: null, day } };
}

/** A subscription that was read, and its entry before. */
interface SeenItem<Item> extends Sighting {
  readonly item: Item;
  readonly known: TableEntry | null;
}

/** Records items in the table. */
function recordItems<Item extends Watched>(
  state: ScanState,
  items: readonly Item[],
  fields: FieldChoice,
  add: boolean,
): { readonly state: ScanState; readonly seenItems: readonly SeenItem<Item>[] } {
  let { conditions } = state;
  const sightings = items.map((item) => {
    const numbered = statusNumber(conditions, item.status, tierOf(item));
    ({ conditions } = numbered);
    return {
      item,
      second: item.created,
      hash: hash48(item.id),
      mark: markOf(numbered.number, state.pass),
      fingerprint: fieldsFingerprint(item, fields),
    };
  });
  const { table, known } = recordSightings(state.table, sightings, {
    // Where two ids have the same key, prefer the entry that this pass has not read yet and that has not changed.
    rank: (entry, sighting) =>
      (passOf(entry.mark) === passOf(sighting.mark) ? 2 : 0) + (isSame(entry, sighting) ? 0 : 1),
    merge: (entry, sighting) => ({
      mark: sighting.mark,
      fingerprint: sighting.fingerprint === 0 ? entry.fingerprint : sighting.fingerprint,
    }),
    add,
  });
  return {
    // Only entries of the table use new conditions.
    state: table === state.table ? state : { ...state, table, conditions },
    seenItems: sightings.map((sighting, index) => ({ ...sighting, known: known[index] ?? null })),
  };
}

/** Records that cannot be watched are there all the same: their entries stay as they are. */
function recordLeftOut(state: ScanState, { leftOut = [] }: Pick<ScanPage<Watched>, 'leftOut'>): ScanState {
  if (leftOut.length === 0) return state;
  const sightings = leftOut.filter(isRecord).flatMap(({ id, created }): Sighting[] => {
    const second = secondsOf(created);
    if (typeof id !== 'string' || second === undefined) return [];
    return [{ second, hash: hash48(id), mark: markOf(0, state.pass), fingerprint: 0 }];
  });
  const { table } = recordSightings(state.table, sightings, {
    rank: (entry, sighting) => (passOf(entry.mark) === passOf(sighting.mark) ? 1 : 0),
    merge: ({ mark, fingerprint }) => ({ mark: markOf(conditionOf(mark), state.pass), fingerprint }),
    add: false,
  });
  return { ...state, table, ...(sightings.length < leftOut.length && { blind: true }) };
}

/** A mark: the number of status and tier, and the pass that read the entry last, modulo 3. */
function markOf(condition: number, pass: number): number {
  return condition * 3 + (pass % 3);
}

function passOf(mark: number): number {
  return mark % 3;
}

function conditionOf(mark: number): number {
  return Math.floor(mark / 3);
}

/** The entry as if this pass had read it last. */
function readIn(pass: number, entry: Sighting): Sighting {
  return { ...entry, mark: markOf(conditionOf(entry.mark), pass) };
}

function isSame(entry: TableEntry, sighting: Sighting): boolean {
  return conditionOf(entry.mark) === conditionOf(sighting.mark) && entry.fingerprint === sighting.fingerprint;
}

/** The events for the differences between an item and its entry; none for an unknown one. */
function changeEvents<Item extends Watched>(
  conditions: readonly StatusAndTier[],
  { item, fingerprint, known }: SeenItem<Item>,
): SubscriptionEvent<Item>[] {
  if (known === null) return [];
  const [status, tier] = conditions[conditionOf(known.mark)] ?? [item.status, null];
  const changed = [
    ...(tier !== null && tier !== tierOf(item) ? (['tier'] as const) : []),
    // 0 on either side: the record carried no fields, so there is nothing to compare.
    ...(known.fingerprint !== fingerprint && known.fingerprint !== 0 && fingerprint !== 0
      ? (['custom_fields'] as const)
      : []),
  ];
  return [
    ...(status === item.status ? [] : statusEvents(status, item)),
    ...(changed.length === 0 ? [] : [{ type: 'updated' as const, changed, subscription: item }]),
  ];
}

/** The position after a page; null at the end of the pass. */
function nextPosition<Item extends Watched>(
  state: ScanState,
  { items, nextCursor }: ScanPage<Item>,
  { seen, now }: ScanView,
): ListPosition | null {
  const { day } = state.place;
  if (seen !== null && items.some(({ created }) => created > seen.created)) return null;
  if (nextCursor !== null) return { cursor: nextCursor, day };
  if (day === null) return null;
  const read = secondOf(day);
  const dayAfter = read + aDay;
  // By this second the day is over in every time zone.
  const over = Math.max(state.reached ?? 0, read + 10 * anHour - 1);
  const known = state.list === 'all' && state.pass > 0 ? secondAfter(state.table, over) : dayAfter;
  if (known === null) return null;
  const next = Math.max(dayAfter, known - aDay);
  return next > (seen?.created ?? now / 1000) + aDay ? null : { cursor: null, day: dayOf(next) };
}

/**
 * A stretch of the list was read completely, up to a second: removes the entries in it that this pass did not read.
 */
function completeStretch(
  state: ScanState,
  from: number | null,
  to: number,
  now: number,
): { readonly state: ScanState; readonly events: readonly RemovedEvent[] } {
  const begin = from ?? Number.NEGATIVE_INFINITY;
  const { list, pass } = state;
  // In the list of all subscriptions, an entry is gone after two passes without it, because a page may move during one.
  // In the list of one status, an entry that one pass did not read has another status now.
  const isGone = state.blind
    ? () => false
    : list === 'all'
      ? (mark: number) => passOf(mark) === (pass + 1) % 3
      : (mark: number) => passOf(mark) !== pass % 3;
  const gone: RemovedEvent[] = [];
  const table = replaceEntries(state.table, { from: begin, to, marks: isGone }, ({ second, hash }, bits) => {
    gone.push({ type: 'removed', created: second, hash, bits });
    return null;
  });
  return {
    state: { ...state, table, stretches: recordRead(state.stretches, begin - 1, to, now) },
    events: list === 'all' ? gone : [],
  };
}

function endPass(
  state: ScanState,
  reached: number | null,
  { seen, createdInProgress, now }: ScanView,
): { readonly state: ScanState; readonly events: readonly RemovedEvent[] } {
  const to = seen === null ? Number.MAX_SAFE_INTEGER : createdInProgress ? seen.created - 1 : seen.created;
  const { state: cleared, events } = completeStretch(state, reached, to, now);
  // Entries newer than the watermark were not read; they count as read, or the pass modulo 3 would be wrong. After a
  // blind pass all do.
  const { blind, listed: _, ...rest } = cleared;
  const from = blind ? 0 : to + 1;
  const table = replaceEntries(cleared.table, { from, marks: () => true }, (entry) => readIn(state.pass, entry));
  return {
    events,
    state: {
      ...rest,
      table,
      pass: state.pass + 1,
      place: start,
      reached: null,
      oldest: null,
      met: 0,
      size: state.met,
    },
  };
}

const anHour = 3600;
const aDay = 24 * anHour;

/** The day in UTC, as the API writes it. */
function dayOf(second: number): string {
  return new Date(second * 1000).toISOString().slice(0, 10).replaceAll('-', '/');
}

function secondOf(day: string): number {
  return Date.parse(`${day.replaceAll('/', '-')}T00:00:00Z`) / 1000;
}
