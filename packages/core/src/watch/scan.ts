/**
 * The rolling scan: looks at the whole list, oldest subscription first, slice after slice, and tells what is no longer
 * as it was. A pure reducer over pages. At its end it begins anew; each time round is a pass.
 *
 * It relies on the same two facts as "created" – `created` never changes, the list is in its order – and on no more:
 * rows may come, go and change while it is under way, pages may be of any size, overlap, or move.
 */
import { numberOf, printOf, signature, tierOf, type Condition, type FieldChoice, type Watched } from './condition.ts';
import { statusEvents, type RemovedEvent, type SubscriptionEvent } from './events.ts';
import { after, type Frontier } from './frontier.ts';
import { hash48 } from './hash.ts';
import { ageOf, looked, type LookedAt } from './staleness.ts';
import { note, remark, secondAfter, sizeOf, sweep, type Known, type Sighting, type Table } from './table.ts';

/** Where a list is read. */
export interface Place {
  /** Null asks for the first page. */
  readonly cursor: string | null;
  /** `YYYY/MM/DD` to read only what was created on that day (`creation_date`); null for the whole list. */
  readonly day: string | null;
}

/** A page of the list, oldest first. */
export interface ScanPage<Item extends Watched> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/** What is kept between slices. Plain JSON; of each subscription 10 characters of `table`, or 15 with custom fields. */
export interface ScanState {
  /** The choice of custom fields that the prints were made with. */
  readonly fields: string;
  /** `all`, or the status whose list this is. */
  readonly list: string;
  readonly table: Table;
  readonly conditions: readonly Condition[];
  /** Number of this pass; 0 is the first, which learns and tells nothing of what it meets for the first time. */
  readonly pass: number;
  /** Where the pass goes on. */
  readonly place: Place;
  /** The newest second this pass has met, and the oldest of all; null before its first page. */
  readonly reached: number | null;
  readonly oldest: number | null;
  /** Subscriptions met in this pass, and in the whole of the one before; null in the first. */
  readonly met: number;
  readonly size: number | null;
  readonly stretches: readonly LookedAt[];
}

/** What a reading of the scan knows beside the page. */
export interface ScanView {
  readonly fields: FieldChoice;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /** Newer subscriptions are left alone: "created" has not reported them yet. Null where it does not run. */
  readonly seen: Frontier | null;
  /** Whether "created" is under way to `seen` and has reported some that are newer. */
  readonly underWay: boolean;
}

/** What a page meant. */
export interface ScanStep<Item extends Watched> {
  readonly events: readonly SubscriptionEvent<Item>[];
  readonly state: ScanState;
  /** The page to read next, or null where the pass is complete. */
  readonly next: Place | null;
}

const start: Place = { cursor: null, day: null };

/** The state before the first page. */
export function startScan(fields: FieldChoice = 'none', list = 'all'): ScanState {
  return {
    fields: signature(fields),
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

/** Reads one page. */
export function scan<Item extends Watched>(state: ScanState, page: ScanPage<Item>, view: ScanView): ScanStep<Item> {
  const isLater = view.seen === null ? () => false : after(view.seen);
  const items = page.items.filter((item) => !isLater(item));
  const { state: written, meetings } = write(state, items, view.fields, true);
  const events = meetings.flatMap((meeting): SubscriptionEvent<Item>[] => {
    if (meeting.known !== null) return changes(written.conditions, meeting, meeting.known);
    // Of all subscriptions, an unknown one is for "created" to report. Among those of one status it has taken that
    // status.
    return state.list !== 'all' && state.pass > 0 ? statusEvents(null, meeting.item) : [];
  });

  const seconds = items.map(({ created }) => created);
  const moved: ScanState = {
    ...written,
    reached: items.length === 0 ? state.reached : Math.max(state.reached ?? 0, ...seconds),
    oldest: items.length === 0 ? state.oldest : Math.min(state.oldest ?? Number.POSITIVE_INFINITY, ...seconds),
    met: state.met + items.length,
  };
  const next = onward(moved, page, view);
  if (next === null) {
    const ended = endPass(moved, state.reached, view);
    return { events: [...events, ...ended.events], state: ended.state, next };
  }
  // A second is complete when a later one has been met: within it the order is unknown.
  const cleared =
    moved.reached === null || moved.reached === state.reached
      ? { state: moved, events: [] }
      : clear(moved, state.reached, moved.reached - 1, view.now);
  return { events: [...events, ...cleared.events], state: { ...cleared.state, place: next }, next };
}

/**
 * Takes in subscriptions that were met in passing, or that are new: a look at them costs nothing extra.
 *
 * @param add - whether to write down those that are not known yet
 */
export function glance<Item extends Watched>(
  state: ScanState,
  items: readonly Item[],
  fields: FieldChoice,
  add: boolean,
): { readonly events: readonly SubscriptionEvent<Item>[]; readonly state: ScanState } {
  const { state: written, meetings } = write(state, items, fields, add);
  return {
    state: written,
    events: meetings.flatMap((meeting) =>
      meeting.known === null ? [] : changes(written.conditions, meeting, meeting.known),
    ),
  };
}

/** Drops the place in the list, which the service no longer knows: the pass goes on with the day it had come to. */
export function withoutPlace(state: ScanState): ScanState {
  const { reached, place } = state;
  // A day earlier, because the zone that the service's days begin in is unknown.
  const day = place.day ?? (reached === null ? null : dayOf(reached - aDay));
  return { ...state, place: { cursor: null, day } };
}

/** What a scan tells about itself. */
export interface ScanProgress {
  /** Share of the list this pass has looked at, 0 to 1; in the first pass estimated by creation time. */
  readonly share: number;
  /** Complete passes. The first one learns; from then on every change is found. */
  readonly passes: number;
  /** Age of the oldest look at any part of the list, in milliseconds; null until the whole of it was looked at once. */
  readonly stalenessMs: number | null;
  /** Subscriptions that are kept. */
  readonly known: number;
}

export function progressOf(state: ScanState, { now, seen }: Pick<ScanView, 'now' | 'seen'>): ScanProgress {
  return {
    share: Math.min(1, state.size === null ? shareByTime(state, seen) : state.size === 0 ? 0 : state.met / state.size),
    passes: state.pass,
    stalenessMs: state.pass === 0 ? null : ageOf(state.stretches, now),
    known: sizeOf(state.table),
  };
}

function shareByTime({ reached, oldest }: ScanState, seen: Frontier | null): number {
  if (reached === null || oldest === null || seen === null || seen.created <= oldest) return 0;
  return (reached - oldest) / (seen.created - oldest);
}

/** A subscription that was met, and what was known of it. */
interface Meeting<Item> {
  readonly item: Item;
  readonly sighting: Sighting;
  readonly known: Known | null;
}

/** Writes down what was met. */
function write<Item extends Watched>(
  state: ScanState,
  items: readonly Item[],
  fields: FieldChoice,
  add: boolean,
): { readonly state: ScanState; readonly meetings: readonly Meeting<Item>[] } {
  let { conditions } = state;
  const sightings = items.map((item): Sighting => {
    const numbered = numberOf(conditions, item.status, tierOf(item));
    ({ conditions } = numbered);
    return {
      second: item.created,
      hash: hash48(item.id),
      mark: markOf(numbered.number, state.pass),
      print: printOf(item, fields),
    };
  });
  const { table, known } = note(state.table, sightings, {
    // Where two ids look alike, the entry that this pass has not met yet and that has not changed is the one meant.
    rank: (entry, sighting) =>
      (passOf(entry.mark) === passOf(sighting.mark) ? 2 : 0) + (isSame(entry, sighting) ? 0 : 1),
    merge: (entry, sighting) => ({ mark: sighting.mark, print: sighting.print === 0 ? entry.print : sighting.print }),
    add,
  });
  const meetings = sightings.flatMap((sighting, index): Meeting<Item>[] => {
    const item = items[index];
    return item === undefined ? [] : [{ item, sighting, known: known[index] ?? null }];
  });
  return {
    state: table === state.table && conditions === state.conditions ? state : { ...state, table, conditions },
    meetings,
  };
}

/** A mark holds the number of a condition, and which pass met the entry last, counted by three. */
function markOf(condition: number, pass: number): number {
  return condition * 3 + (pass % 3);
}

function passOf(mark: number): number {
  return mark % 3;
}

function conditionOf(mark: number): number {
  return Math.floor(mark / 3);
}

function isSame(entry: Known, sighting: Sighting): boolean {
  return conditionOf(entry.mark) === conditionOf(sighting.mark) && entry.print === sighting.print;
}

/** What is no longer as it was. */
function changes<Item extends Watched>(
  conditions: readonly Condition[],
  { item, sighting }: Meeting<Item>,
  known: Known,
): SubscriptionEvent<Item>[] {
  const [status, tier] = conditions[conditionOf(known.mark)] ?? [item.status, null];
  const changed = [
    ...(tier !== null && tier !== tierOf(item) ? (['tier'] as const) : []),
    // 0 on either side: the record did not carry the fields, so there is nothing to compare.
    ...(known.print !== sighting.print && known.print !== 0 && sighting.print !== 0
      ? (['custom_fields'] as const)
      : []),
  ];
  return [
    ...(status === item.status ? [] : statusEvents(status, item)),
    ...(changed.length === 0 ? [] : [{ type: 'updated' as const, changed, subscription: item }]),
  ];
}

/** Where the pass goes on after a page; null at its end. */
function onward<Item extends Watched>(
  state: ScanState,
  { items, nextCursor }: ScanPage<Item>,
  { seen, now }: ScanView,
): Place | null {
  const { day } = state.place;
  if (seen !== null && items.some(({ created }) => created > seen.created)) return null;
  if (nextCursor !== null) return { cursor: nextCursor, day };
  if (day === null) return null;
  const read = secondOf(day);
  // By this second the day is over in every zone on earth.
  const over = Math.max(state.reached ?? 0, read + 10 * anHour - 1);
  const known = state.list === 'all' && state.pass > 0 ? secondAfter(state.table, over) : read + aDay;
  const next = known === null ? null : Math.max(read + aDay, known - aDay);
  return next === null || next > (seen?.created ?? now / 1000) + aDay ? null : { cursor: null, day: dayOf(next) };
}

/**
 * The stretch that begins where the last page left off is complete up to a second: who was not met in it is missing.
 */
function clear(
  state: ScanState,
  from: number | null,
  to: number,
  now: number,
): { readonly state: ScanState; readonly events: readonly RemovedEvent[] } {
  const begin = from ?? Number.NEGATIVE_INFINITY;
  const { list, pass } = state;
  // Of all subscriptions, one is gone that two passes did not meet, as a page may have moved under one. Among those of
  // one status, one that a pass did not meet has another status now; coming back is then an event again.
  const isGone =
    list === 'all' ? (mark: number) => passOf(mark) === (pass + 1) % 3 : (mark: number) => passOf(mark) !== pass % 3;
  const { table, gone } = sweep(state.table, begin, to, isGone);
  return {
    state: { ...state, table, stretches: looked(state.stretches, begin - 1, to, now) },
    events:
      list === 'all' ? gone.map(({ second, hash, bits }) => ({ type: 'removed', created: second, hash, bits })) : [],
  };
}

function endPass(
  state: ScanState,
  from: number | null,
  { seen, underWay, now }: ScanView,
): { readonly state: ScanState; readonly events: readonly RemovedEvent[] } {
  const to = seen === null ? Number.MAX_SAFE_INTEGER : underWay ? seen.created - 1 : seen.created;
  const { state: cleared, events } = clear(state, from, to, now);
  // What "created" reported beyond was not looked for; it counts as met, or the count by three would go wrong.
  const table = remark(cleared.table, to + 1, (mark) => markOf(conditionOf(mark), state.pass));
  return {
    events,
    state: {
      ...cleared,
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
