/**
 * The packed table of all known subscriptions: segments in order of creation. Every change returns a new table that
 * shares all unchanged segments with the old one. Pure.
 */
import { lowerBound } from '../lower-bound.ts';
import {
  close,
  compare,
  countOf,
  hashBits,
  keptHash,
  largestWidth,
  open,
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
export type Sighting = Readonly<Entry>;

/** What the table has of a subscription. */
export type TableEntry = Pick<Sighting, 'mark' | 'fingerprint'>;

/** How a sighting is recorded. */
export interface MergeRule {
  /** Ranks several entries with the same position; the lowest is taken for the subscription. */
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
  const order = [...sightings.entries()].sort(([, a], [, b]) => compare(a, b));
  /** By the index of the segment in the table; −1 stands for "before the first". */
  const editors = new Map<number, SegmentEditor>();
  for (const [which, sighting] of order) {
    const index = indexOf(table, sighting);
    const editor = editors.get(index) ?? new SegmentEditor(table[index]);
    editors.set(index, editor);
    known[which] = editor.record(sighting, rule);
  }
  const touched = new Map([...editors].filter(([, editor]) => editor.touched));
  if (touched.size === 0) return { table, known };
  const kept = table.flatMap((segment, index) => touched.get(index)?.close() ?? [segment]);
  return { table: [...(touched.get(-1)?.close() ?? []), ...kept], known };
}

/** Entries of a table: from one second to another, both included, whose mark is selected. */
interface Selection {
  readonly from?: number;
  readonly to?: number;
  readonly marks: (mark: number) => boolean;
}

/**
 * Replaces the selected entries.
 *
 * @param replace - gets an entry and the number of known bits of its hash; returns null to remove it
 */
export function replaceEntries(
  table: Table,
  { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY, marks }: Selection,
  replace: (entry: Sighting, bits: number) => Sighting | null,
): Table {
  const begin = indexOf(table, { second: from, hash: 0 });
  return table.flatMap((segment, index) => {
    if (index < begin || segment.second > to || !someMark(segment, marks)) return [segment];
    const { entries: before, ...opened } = open(segment);
    const entries = before.flatMap((entry) => {
      const isSelected = entry.second >= from && entry.second <= to && marks(entry.mark);
      return (isSelected ? replace(entry, hashBits(opened.width)) : entry) ?? [];
    });
    return entries.length === 0 ? [] : [close({ ...opened, entries })];
  });
}

/** Number of subscriptions in the table. */
export function sizeOf(table: Table): number {
  return table.reduce((sum, segment) => sum + countOf(segment), 0);
}

/** The second of the first entry after this second; null where there is none. */
export function secondAfter(table: Table, second: number): number | null {
  for (const segment of table.slice(Math.max(0, indexOf(table, { second: second + 1, hash: 0 })))) {
    const next = open(segment).entries.find((entry) => entry.second > second);
    if (next) return next.second;
  }
  return null;
}

/** Records sightings in one segment, and splits it where needed. */
class SegmentEditor {
  touched = false;
  readonly #segments: OpenSegment[];
  /** Entries that a sighting of this batch has taken; another sighting at the same position is another subscription. */
  readonly #taken = new Set<Entry>();

  /** @param segment - undefined where the first entry begins one */
  constructor(segment: Segment | undefined) {
    this.#segments = segment === undefined ? [] : [open(segment)];
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

  #find({ entries, width }: OpenSegment, sighting: Sighting, { rank }: MergeRule): Entry | undefined {
    const position = { second: sighting.second, hash: keptHash(sighting.hash, width) };
    const alike: Entry[] = [];
    for (let index = placeBefore(entries, position); ; index++) {
      const entry = entries[index];
      if (entry === undefined || compare(entry, position) > 0) break;
      if (!this.#taken.has(entry)) alike.push(entry);
    }
    return alike.sort((a, b) => rank(a, sighting) - rank(b, sighting))[0];
  }

  #add(index: number, sighting: Sighting): void {
    const { second, hash, mark, fingerprint } = sighting;
    let segment = this.#segments[index];
    if (segment === undefined || !makeRoom(segment, sighting)) {
      segment = { second, hash, width: 0, entries: [] };
      this.#segments.splice(index + 1, 0, segment);
    }
    const entry = { second, hash: keptHash(hash, segment.width), mark, fingerprint };
    segment.entries.splice(placeBefore(segment.entries, entry), 0, entry);
    this.#taken.add(entry);
    this.touched = true;
    if (segment.entries.length > maxEntries) this.#split(index);
  }

  /** Splits a segment that is too long, between two different positions. */
  #split(index: number): void {
    const { entries, width } = at(this.#segments, index);
    const cut = placeAfter(entries, at(entries, (entries.length >>> 1) - 1));
    if (cut === entries.length) return;
    const { second, hash } = at(entries, cut);
    this.#segments.splice(index + 1, 0, { second, hash, width, entries: entries.splice(cut) });
  }
}

/** Prepares a segment for one more entry; false where the entry needs a new segment. */
function makeRoom(segment: OpenSegment, { second, hash }: Sighting): boolean {
  const { entries, width } = segment;
  const needed = widthFor(second - segment.second);
  const place = placeBefore(entries, { second, hash: keptHash(hash, width) });
  // Entries are appended in order: full segments stay full, whereas split ones would stay half empty.
  if (place === entries.length && entries.length >= maxEntries) return false;
  if (needed <= width) return true;
  if (needed > largestWidth || (entries.length >= splitEntries && needed > comfortableWidth)) return false;
  widen(segment, needed);
  return true;
}

/** Index of the segment for a position: the last that does not begin after it; −1 before the first. */
function indexOf(table: Table, position: TablePosition): number {
  return placeAfter(table, position) - 1;
}

/** Index of the first entry that is not before this position. */
function placeBefore(entries: readonly TablePosition[], position: TablePosition): number {
  return lowerBound(entries.length, (index) => compare(at(entries, index), position) >= 0);
}

/** Index of the first entry after this position. */
function placeAfter(entries: readonly TablePosition[], position: TablePosition): number {
  return lowerBound(entries.length, (index) => compare(at(entries, index), position) > 0);
}

function at<T>(list: readonly T[], index: number): T {
  const value = list[index];
  if (value === undefined) throw new RangeError(`The table has no entry ${index}.`);
  return value;
}
