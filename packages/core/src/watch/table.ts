/**
 * The packed table of all known subscriptions: segments in order of creation. Every change returns a new table that
 * shares all unchanged segments with the old one. Pure.
 */
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
  type TablePosition,
  type OpenSegment,
  type Segment,
} from './segment.ts';

/** Plain JSON. */
export type Table = readonly Segment[];

/** A subscription as it was read. */
export interface Sighting extends TablePosition {
  readonly mark: number;
  readonly fingerprint: number;
}

/** The table's entry for a subscription. */
export interface TableEntry {
  readonly mark: number;
  readonly fingerprint: number;
}

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
    const before = segment.keys.length;
    for (let entry = before - 1; entry >= 0; entry--) {
      if (!isGone(at(segment.marks, entry))) continue;
      const position = positionOf(segment, at(segment.keys, entry));
      if (position.second < from || position.second > to) continue;
      gone.push({ ...position, bits: 48 - segment.width });
      for (const list of [segment.keys, segment.marks, segment.fingerprints]) list.splice(entry, 1);
    }
    if (segment.keys.length < before)
      replaced.push({ index, segments: segment.keys.length === 0 ? [] : [close(segment)] });
  }
  return { table: replace(table, replaced), gone };
}

/** Replaces the mark of every entry from this second on. */
export function updateMarks(table: Table, from: number, mark: (mark: number) => number): Table {
  const replaced: { index: number; segments: Segment[] }[] = [];
  for (let index = Math.max(0, indexOf(table, { second: from, hash: 0 })); index < table.length; index++) {
    const segment = open(at(table, index));
    for (const [entry, key] of segment.keys.entries()) {
      if (positionOf(segment, key).second >= from) segment.marks[entry] = mark(at(segment.marks, entry));
    }
    replaced.push({ index, segments: [close(segment)] });
  }
  return replace(table, replaced);
}

/** Clears the fingerprint of every entry. */
export function withoutFingerprints(table: Table): Table {
  return table.map((segment) => {
    const opened = open(segment);
    return close({ ...opened, fingerprints: opened.fingerprints.map(() => 0) });
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
    for (const key of segment.keys) {
      const position = positionOf(segment, key);
      if (position.second > second) return position.second;
    }
  }
  return null;
}

/** Index of the segment for a position: the last that does not begin after it; −1 before the first. */
function indexOf(table: Table, position: TablePosition): number {
  let low = 0;
  let high = table.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compare(at(table, middle), position) <= 0) low = middle + 1;
    else high = middle;
  }
  return low - 1;
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
  readonly #taken: boolean[][];

  constructor(segments: OpenSegment[]) {
    this.#segments = segments;
    this.#taken = segments.map(({ keys }) => keys.map(() => false));
  }

  close(): Segment[] {
    return this.#segments.map(close);
  }

  record(sighting: Sighting, rule: MergeRule): TableEntry | null {
    const index = this.#segments.findLastIndex((segment) => compare(segment, sighting) <= 0);
    const segment = this.#segments[index];
    const found = segment === undefined ? null : this.#find(segment, at(this.#taken, index), sighting, rule);
    if (segment !== undefined && found !== null) {
      const entry: TableEntry = { mark: at(segment.marks, found), fingerprint: at(segment.fingerprints, found) };
      const merged = rule.merge(entry, sighting);
      at(this.#taken, index)[found] = true;
      if (merged.mark !== entry.mark || merged.fingerprint !== entry.fingerprint) {
        segment.marks[found] = merged.mark;
        segment.fingerprints[found] = merged.fingerprint;
        this.touched = true;
      }
      return entry;
    }
    if (rule.add) this.#add(index, sighting);
    return null;
  }

  #find(segment: OpenSegment, taken: readonly boolean[], sighting: Sighting, rule: MergeRule): number | null {
    if (widthFor(sighting.second - segment.second) > segment.width) return null;
    const key = keyOf(segment, sighting);
    let best: number | null = null;
    let bestRank = Number.POSITIVE_INFINITY;
    for (let entry = lowerBound(segment.keys, key); segment.keys[entry] === key; entry++) {
      if (taken[entry] === true) continue;
      const rank = rule.rank(
        { mark: at(segment.marks, entry), fingerprint: at(segment.fingerprints, entry) },
        sighting,
      );
      if (rank < bestRank) [best, bestRank] = [entry, rank];
    }
    return best;
  }

  #add(index: number, sighting: Sighting): void {
    this.touched = true;
    const segment = this.#segments[index];
    if (segment === undefined || !makeRoom(segment, sighting)) {
      const { second, hash, mark, fingerprint } = sighting;
      const begun: OpenSegment = { second, hash, width: 0, keys: [], marks: [mark], fingerprints: [fingerprint] };
      begun.keys.push(keyOf(begun, sighting));
      this.#segments.splice(index + 1, 0, begun);
      this.#taken.splice(index + 1, 0, [true]);
      return;
    }
    const key = keyOf(segment, sighting);
    const entry = lowerBound(segment.keys, key);
    segment.keys.splice(entry, 0, key);
    segment.marks.splice(entry, 0, sighting.mark);
    segment.fingerprints.splice(entry, 0, sighting.fingerprint);
    at(this.#taken, index).splice(entry, 0, true);
    if (segment.keys.length > maxEntries) this.#split(index);
  }

  /** Splits a segment that is too long, between two different keys. */
  #split(index: number): void {
    const segment = at(this.#segments, index);
    const taken = at(this.#taken, index);
    const { keys, marks, fingerprints, width } = segment;
    let cut = keys.length >>> 1;
    while (keys[cut] === keys[cut - 1]) cut++;
    if (cut === keys.length) return;
    const fence = positionOf(segment, at(keys, cut));
    const half: OpenSegment = {
      ...fence,
      width,
      keys: [],
      marks: marks.splice(cut),
      fingerprints: fingerprints.splice(cut),
    };
    for (const key of keys.splice(cut)) half.keys.push(keyOf(half, positionOf(segment, key)));
    this.#segments.splice(index + 1, 0, half);
    this.#taken.splice(index + 1, 0, taken.splice(cut));
  }
}

/** Prepares a segment for one more entry; false where the entry needs a new segment. */
function makeRoom(segment: OpenSegment, sighting: Sighting): boolean {
  const { keys, width } = segment;
  const needed = widthFor(sighting.second - segment.second);
  const goesLast = keyOf(segment, sighting) > (keys.at(-1) ?? 0);
  // Entries are appended in order: full segments stay full, whereas split ones would stay half empty.
  if (goesLast && keys.length >= maxEntries) return false;
  if (needed <= width) return true;
  if (needed > largestWidth || (keys.length >= splitEntries && needed > comfortableWidth)) return false;
  widen(segment, needed);
  return true;
}

function lowerBound(keys: readonly number[], key: number): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (at(keys, middle) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

function at<T>(list: readonly T[], index: number): T {
  const value = list[index];
  if (value === undefined) throw new RangeError(`The table has no entry ${index}.`);
  return value;
}
