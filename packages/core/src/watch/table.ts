/**
 * What is known of every subscription, packed: segments in order of creation. Every change gives a new table that
 * shares all untouched segments with the old one. Pure.
 */
import {
  close,
  compare,
  countOf,
  keyOf,
  largestWidth,
  open,
  placeOf,
  someMark,
  widen,
  widthFor,
  type Fence,
  type OpenSegment,
  type Segment,
} from './segment.ts';

/** Plain JSON. */
export type Table = readonly Segment[];

/** What a look at a subscription found. */
export interface Sighting extends Fence {
  readonly mark: number;
  readonly print: number;
}

/** What is kept of a subscription. */
export interface Known {
  readonly mark: number;
  readonly print: number;
}

/** How a sighting is written down. */
export interface Rule {
  /** Which of several entries of one key is meant; the lowest wins. */
  readonly rank: (entry: Known, sighting: Sighting) => number;
  /** What is kept of a known subscription. */
  readonly merge: (entry: Known, sighting: Sighting) => Known;
  /** Whether a subscription that is not known is added. */
  readonly add: boolean;
}

/** A segment holds no more entries; a page of 100 then costs the rewriting of one or two. */
const most = 512;
/** From so many entries on, a segment ends where more seconds would leave ids fewer than 36 bits. */
const enough = 128;
const comfortableWidth = 12;

/**
 * Writes sightings down, each of another subscription.
 *
 * @returns the new table, and for each sighting what was known before, or null
 */
export function note(
  table: Table,
  sightings: readonly Sighting[],
  rule: Rule,
): { table: Table; known: readonly (Known | null)[] } {
  const known = Array<Known | null>(sightings.length).fill(null);
  const order = sightings.map((_, index) => index).sort((a, b) => compare(at(sightings, a), at(sightings, b)));
  const replaced: { readonly index: number; readonly segments: readonly Segment[] }[] = [];
  for (let next = 0; next < order.length;) {
    const index = indexOf(table, at(sightings, at(order, next)));
    const following = table[index + 1];
    const old = table[index];
    const stretch = new Stretch(old === undefined ? [] : [open(old)]);
    for (; next < order.length; next++) {
      const which = at(order, next);
      const sighting = at(sightings, which);
      if (following !== undefined && compare(sighting, following) >= 0) break;
      known[which] = stretch.note(sighting, rule);
    }
    if (stretch.touched) replaced.push({ index, segments: stretch.close() });
  }
  return { table: replace(table, replaced), known };
}

/**
 * Takes out the entries of these seconds, both included, that `isGone`.
 *
 * @returns the new table, and the places of what was taken out, with how many bits of their hashes are known
 */
export function sweep(
  table: Table,
  from: number,
  to: number,
  isGone: (mark: number) => boolean,
): { table: Table; gone: readonly (Fence & { readonly bits: number })[] } {
  const gone: (Fence & { bits: number })[] = [];
  const replaced: { index: number; segments: Segment[] }[] = [];
  for (let index = Math.max(0, indexOf(table, { second: from, hash: 0 })); index < table.length; index++) {
    const old = at(table, index);
    if (old.second > to) break;
    if (!someMark(old, isGone)) continue;
    const segment = open(old);
    const before = segment.keys.length;
    for (let entry = before - 1; entry >= 0; entry--) {
      if (!isGone(at(segment.marks, entry))) continue;
      const place = placeOf(segment, at(segment.keys, entry));
      if (place.second < from || place.second > to) continue;
      gone.push({ ...place, bits: 48 - segment.width });
      for (const list of [segment.keys, segment.marks, segment.prints]) list.splice(entry, 1);
    }
    if (segment.keys.length < before)
      replaced.push({ index, segments: segment.keys.length === 0 ? [] : [close(segment)] });
  }
  return { table: replace(table, replaced), gone };
}

/** Gives every entry from this second on another mark. */
export function remark(table: Table, from: number, mark: (mark: number) => number): Table {
  const replaced: { index: number; segments: Segment[] }[] = [];
  for (let index = Math.max(0, indexOf(table, { second: from, hash: 0 })); index < table.length; index++) {
    const segment = open(at(table, index));
    for (const [entry, key] of segment.keys.entries()) {
      if (placeOf(segment, key).second >= from) segment.marks[entry] = mark(at(segment.marks, entry));
    }
    replaced.push({ index, segments: [close(segment)] });
  }
  return replace(table, replaced);
}

/** How many subscriptions the table holds. */
export function sizeOf(table: Table): number {
  return table.reduce((sum, segment) => sum + countOf(segment), 0);
}

/** The second of the first entry after this second; null where there is none. */
export function secondAfter(table: Table, second: number): number | null {
  for (let index = Math.max(0, indexOf(table, { second: second + 1, hash: 0 })); index < table.length; index++) {
    const segment = open(at(table, index));
    for (const key of segment.keys) {
      const place = placeOf(segment, key);
      if (place.second > second) return place.second;
    }
  }
  return null;
}

/** The segment that a place falls into: the last that does not begin after it; −1 before the first. */
function indexOf(table: Table, place: Fence): number {
  let low = 0;
  let high = table.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compare(at(table, middle), place) <= 0) low = middle + 1;
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

/** The segments that come of one while sightings are written into it. */
class Stretch {
  touched = false;
  readonly #segments: OpenSegment[];
  /** Entries that were met already in this batch: who comes with the same key is another. */
  readonly #taken: boolean[][];

  constructor(segments: OpenSegment[]) {
    this.#segments = segments;
    this.#taken = segments.map(({ keys }) => keys.map(() => false));
  }

  close(): Segment[] {
    return this.#segments.map(close);
  }

  note(sighting: Sighting, rule: Rule): Known | null {
    const index = this.#segments.findLastIndex((segment) => compare(segment, sighting) <= 0);
    const segment = this.#segments[index];
    const found = segment === undefined ? null : this.#find(segment, at(this.#taken, index), sighting, rule);
    if (segment !== undefined && found !== null) {
      const entry: Known = { mark: at(segment.marks, found), print: at(segment.prints, found) };
      const merged = rule.merge(entry, sighting);
      at(this.#taken, index)[found] = true;
      if (merged.mark !== entry.mark || merged.print !== entry.print) {
        segment.marks[found] = merged.mark;
        segment.prints[found] = merged.print;
        this.touched = true;
      }
      return entry;
    }
    if (rule.add) this.#add(index, sighting);
    return null;
  }

  #find(segment: OpenSegment, taken: readonly boolean[], sighting: Sighting, rule: Rule): number | null {
    if (widthFor(sighting.second - segment.second) > segment.width) return null;
    const key = keyOf(segment, sighting);
    let best: number | null = null;
    let bestRank = Number.POSITIVE_INFINITY;
    for (let entry = lowerBound(segment.keys, key); segment.keys[entry] === key; entry++) {
      if (taken[entry] === true) continue;
      const rank = rule.rank({ mark: at(segment.marks, entry), print: at(segment.prints, entry) }, sighting);
      if (rank < bestRank) [best, bestRank] = [entry, rank];
    }
    return best;
  }

  #add(index: number, sighting: Sighting): void {
    this.touched = true;
    const segment = this.#segments[index];
    if (segment === undefined || !makeRoom(segment, sighting)) {
      const { second, hash, mark, print } = sighting;
      const begun: OpenSegment = { second, hash, width: 0, keys: [], marks: [mark], prints: [print] };
      begun.keys.push(keyOf(begun, sighting));
      this.#segments.splice(index + 1, 0, begun);
      this.#taken.splice(index + 1, 0, [true]);
      return;
    }
    const key = keyOf(segment, sighting);
    const entry = lowerBound(segment.keys, key);
    segment.keys.splice(entry, 0, key);
    segment.marks.splice(entry, 0, sighting.mark);
    segment.prints.splice(entry, 0, sighting.print);
    at(this.#taken, index).splice(entry, 0, true);
    if (segment.keys.length > most) this.#split(index);
  }

  /** Cuts a segment that is too long where two keys differ. */
  #split(index: number): void {
    const segment = at(this.#segments, index);
    const taken = at(this.#taken, index);
    const { keys, marks, prints, width } = segment;
    let cut = keys.length >>> 1;
    while (cut < keys.length && keys[cut] === keys[cut - 1]) cut++;
    if (cut === keys.length) return;
    const fence = placeOf(segment, at(keys, cut));
    const half: OpenSegment = { ...fence, width, keys: [], marks: marks.splice(cut), prints: prints.splice(cut) };
    for (const key of keys.splice(cut)) half.keys.push(keyOf(half, placeOf(segment, key)));
    this.#segments.splice(index + 1, 0, half);
    this.#taken.splice(index + 1, 0, taken.splice(cut));
  }
}

/** Prepares a segment for one more entry; false where a segment of its own serves better. */
function makeRoom(segment: OpenSegment, sighting: Sighting): boolean {
  const { keys, width } = segment;
  const needed = widthFor(sighting.second - segment.second);
  const last = keys.at(-1);
  const goesLast = needed > width || last === undefined || keyOf(segment, sighting) > last;
  // Filled from the front, full segments stay full; halves would stay half empty.
  if (goesLast && keys.length >= most) return false;
  if (needed <= width) return true;
  if (needed > largestWidth || (keys.length >= enough && needed > comfortableWidth)) return false;
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
