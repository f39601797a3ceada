/**
 * The packed table of all known subscriptions: segments in order of creation. Every change returns a new table that
 * shares all unchanged segments with the old one. Pure.
 */
import { lowerBound } from '../lower-bound.ts';
import {
  close,
  compare,
  countOf,
  keyOf,
  largestWidth,
  open,
  positionOf,
  someMark,
  widen,
  widthFor,
  type Entry,
  type TablePosition,
  type OpenSegment,
  type Segment,
} from './segment.ts';

/** Plain JSON. */
export type Table = readonly Segment[];

/** A subscription as it was read. */
export interface Sighting extends TablePosition, TableEntry {}

/** What the table has of a subscription. */
export type TableEntry = Readonly<Pick<Entry, 'mark' | 'fingerprint'>>;

/** How a sighting is recorded. */
export interface MergeRule {
  /** Ranks several entries with the same key; the lowest is taken for the subscription. */
  readonly rank: (entry: TableEntry, sighting: Sighting) => number;
  /** The new entry of a known subscription. */
  readonly merge: (entry: TableEntry, sighting: Sighting) => TableEntry;
  /** Whether an unknown subscription is added. */
  readonly add: boolean;
}

/** Most entries of a segment; a page of 100 then rewrites one or two segments. */
const maxEntries = 512;
/** From this size on, a segment is not widened where that would leave fewer than 36 bits for the hash. */
const splitEntries = 128;
const comfortableWidth = 12;

/**
 * Records sightings, each of another subscription.
 *
 * @returns the new table, and for each sighting its entry before, or null
 */
export function recordSightings(
  table: Table,
  sightings: readonly Sighting[],
  rule: MergeRule,
): { table: Table; known: readonly (TableEntry | null)[] } {
  const known: (TableEntry | null)[] = [];
  const order = sightings.map((_, index) => index).sort((a, b) => compare(at(sightings, a), at(sightings, b)));
  const replaced: { readonly index: number; readonly segments: readonly Segment[] }[] = [];
  for (let next = 0; next < order.length;) {
    const index = indexOf(table, at(sightings, at(order, next)));
    const following = table[index + 1];
    const old = table[index];
    const editor = new SegmentEditor(old === undefined ? [] : [open(old)]);
    for (; next < order.length; next++) {
      const which = at(order, next);
      const sighting = at(sightings, which);
      if (following !== undefined && compare(sighting, following) >= 0) break;
      known[which] = editor.record(sighting, rule);
    }
    if (editor.touched) replaced.push({ index, segments: editor.close() });
  }
  return { table: replace(table, replaced), known };
}

/**
 * Removes the entries between two seconds, both included, whose mark `isGone` selects.
 *
 * @returns the new table, and the positions of the removed entries, with the number of known bits of their hashes
 */
export function removeEntries(
  table: Table,
  from: number,
  to: number,
  isGone: (mark: number) => boolean,
): { table: Table; gone: readonly (TablePosition & { readonly bits: number })[] } {
  const gone: (TablePosition & { bits: number })[] = [];
  const replaced: { index: number; segments: Segment[] }[] = [];
  for (let index = Math.max(0, indexOf(table, { second: from, hash: 0 })); index < table.length; index++) {
    const old = at(table, index);
    if (old.second > to) break;
    if (!someMark(old, isGone)) continue;
    const segment = open(old);
    const entries = segment.entries.filter(({ key, mark }) => {
      if (!isGone(mark)) return true;
      const position = positionOf(segment, key);
      if (position.second < from || position.second > to) return true;
      gone.push({ ...position, bits: 48 - segment.width });
      return false;
    });
    if (entries.length < segment.entries.length)
      replaced.push({ index, segments: entries.length === 0 ? [] : [close({ ...segment, entries })] });
  }
  return { table: replace(table, replaced), gone };
}

/** Replaces the mark of every entry from this second on. */
export function updateMarks(table: Table, from: number, mark: (mark: number) => number): Table {
  const replaced: { index: number; segments: Segment[] }[] = [];
  for (let index = Math.max(0, indexOf(table, { second: from, hash: 0 })); index < table.length; index++) {
    const segment = open(at(table, index));
    for (const entry of segment.entries)
      if (positionOf(segment, entry.key).second >= from) entry.mark = mark(entry.mark);
    replaced.push({ index, segments: [close(segment)] });
  }
  return replace(table, replaced);
}

/** Clears the fingerprint of every entry. */
export function withoutFingerprints(table: Table): Table {
  return table.map((segment) => {
    const opened = open(segment);
    return close({ ...opened, entries: opened.entries.map((entry) => ({ ...entry, fingerprint: 0 })) });
  });
}

/** Number of subscriptions in the table. */
export function sizeOf(table: Table): number {
  return table.reduce((sum, segment) => sum + countOf(segment), 0);
}

/** The second of the first entry after this second; null where there is none. */
export function secondAfter(table: Table, second: number): number | null {
  for (let index = Math.max(0, indexOf(table, { second: second + 1, hash: 0 })); index < table.length; index++) {
    const segment = open(at(table, index));
    const next = segment.entries.map(({ key }) => positionOf(segment, key)).find((each) => each.second > second);
    if (next) return next.second;
  }
  return null;
}

/** Index of the segment for a position: the last that does not begin after it; −1 before the first. */
function indexOf(table: Table, position: TablePosition): number {
  return lowerBound(table.length, (index) => compare(at(table, index), position) > 0) - 1;
}

/** The table with these segments, ascending by index, replaced; −1 stands for "before the first". */
function replace(
  table: Table,
  changes: readonly { readonly index: number; readonly segments: readonly Segment[] }[],
): Table {
  if (changes.length === 0) return table;
  const next: Segment[] = [];
  let done = 0;
  for (const { index, segments } of changes) {
    for (; done < index; done++) next.push(at(table, done));
    next.push(...segments);
    done = Math.max(done, index + 1);
  }
  for (; done < table.length; done++) next.push(at(table, done));
  return next;
}

/** Records sightings in one segment, and splits it where needed. */
class SegmentEditor {
  touched = false;
  readonly #segments: OpenSegment[];
  /** Entries that a sighting of this batch has taken; another sighting with the same key is another subscription. */
  readonly #taken = new Set<Entry>();

  constructor(segments: OpenSegment[]) {
    this.#segments = segments;
  }

  close(): Segment[] {
    return this.#segments.map(close);
  }

  record(sighting: Sighting, rule: MergeRule): TableEntry | null {
    const index = this.#segments.findLastIndex((segment) => compare(segment, sighting) <= 0);
    const segment = this.#segments[index];
    const found = segment && this.#find(segment, sighting, rule);
    if (!found) {
      if (rule.add) this.#add(index, sighting);
      return null;
    }
    const before = { mark: found.mark, fingerprint: found.fingerprint };
    const { mark, fingerprint } = rule.merge(before, sighting);
    this.touched ||= mark !== before.mark || fingerprint !== before.fingerprint;
    Object.assign(found, { mark, fingerprint });
    this.#taken.add(found);
    return before;
  }

  #find(segment: OpenSegment, sighting: Sighting, rule: MergeRule): Entry | undefined {
    if (widthFor(sighting.second - segment.second) > segment.width) return undefined;
    const key = keyOf(segment, sighting);
    let best: Entry | undefined;
    let bestRank = Number.POSITIVE_INFINITY;
    for (let index = placeOf(segment.entries, key); segment.entries[index]?.key === key; index++) {
      const entry = at(segment.entries, index);
      const rank = this.#taken.has(entry) ? Number.POSITIVE_INFINITY : rule.rank(entry, sighting);
      if (rank < bestRank) [best, bestRank] = [entry, rank];
    }
    return best;
  }

  #add(index: number, sighting: Sighting): void {
    const { second, hash, mark, fingerprint } = sighting;
    const segment = this.#segments[index];
    const hasRoom = segment !== undefined && makeRoom(segment, sighting);
    const place = hasRoom ? segment : { second, hash, width: 0, entries: [] };
    const entry = { key: keyOf(place, sighting), mark, fingerprint };
    place.entries.splice(placeOf(place.entries, entry.key), 0, entry);
    this.#taken.add(entry);
    this.touched = true;
    if (!hasRoom) this.#segments.splice(index + 1, 0, place);
    else if (place.entries.length > maxEntries) this.#split(index);
  }

  /** Splits a segment that is too long, between two different keys. */
  #split(index: number): void {
    const segment = at(this.#segments, index);
    const { entries, width } = segment;
    let cut = entries.length >>> 1;
    while (entries[cut]?.key === entries[cut - 1]?.key) cut++;
    if (cut === entries.length) return;
    const half: OpenSegment = { ...positionOf(segment, at(entries, cut).key), width, entries: entries.splice(cut) };
    for (const entry of half.entries) entry.key = keyOf(half, positionOf(segment, entry.key));
    this.#segments.splice(index + 1, 0, half);
  }
}

/** Prepares a segment for one more entry; false where the entry needs a new segment. */
function makeRoom(segment: OpenSegment, sighting: Sighting): boolean {
  const { entries, width } = segment;
  const needed = widthFor(sighting.second - segment.second);
  const goesLast = keyOf(segment, sighting) > (entries.at(-1)?.key ?? 0);
  // Entries are appended in order: full segments stay full, whereas split ones would stay half empty.
  if (goesLast && entries.length >= maxEntries) return false;
  if (needed <= width) return true;
  if (needed > largestWidth || (entries.length >= splitEntries && needed > comfortableWidth)) return false;
  widen(segment, needed);
  return true;
}

/** Index of the first entry with this key, or of the place for it. */
function placeOf(entries: readonly Entry[], key: number): number {
  return lowerBound(entries.length, (index) => at(entries, index).key >= key);
}

function at<T>(list: readonly T[], index: number): T {
  const value = list[index];
  if (value === undefined) throw new RangeError(`The table has no entry ${index}.`);
  return value;
}
