/**
 * A stretch of the packed table: some hundred subscriptions that follow one another by creation, in 90 bits (15
 * characters of six bits) each; in 60 bits (10 characters) where no custom fields are watched. Pure.
 *
 * An entry is a key of 48 bits, a mark of 10, and a print of 32 that is left out of a segment in which all are 0. The
 * key is the seconds since the segment begins, in `width` bits, and the upper 48 − `width` bits of the id's hash: the
 * more subscriptions share a second, the shorter the stretch of time, and the more bits tell their ids apart.
 */

/** A place in the table's order: a second, then the hash of an id. */
export interface Fence {
  /** Unix seconds. */
  readonly second: number;
  /** 48 bits. */
  readonly hash: number;
}

/** A segment as it is kept. Plain JSON. */
export interface Segment extends Fence {
  /** Bits of a key that count seconds. */
  readonly width: number;
  /** 15 characters an entry, or 10 where `bare`. */
  readonly packed: string;
  /** Set where the print of every entry is 0: none is written. */
  readonly bare?: true;
}

/** A segment as it is worked on; the lists run in parallel, in order of `keys`. */
export interface OpenSegment extends Fence {
  width: number;
  readonly keys: number[];
  readonly marks: number[];
  readonly prints: number[];
}

const keyBits = 48;
/** Most bits for seconds: 48 days, so that 26 are left for the hash. */
export const largestWidth = 22;

/** Characters that an entry takes. */
function charactersOf(bare: true | undefined): number {
  return bare ? 10 : 15;
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const codes: readonly number[] = Array.from(alphabet, (letter) => letter.charCodeAt(0));
const values: readonly number[] = Array.from({ length: 128 }, (_, code) => codes.indexOf(code));
/** What five characters hold. */
const wordSize = 2 ** 30;

export function compare(a: Fence, b: Fence): number {
  return a.second - b.second || a.hash - b.hash;
}

/** Bits that are needed to count so many seconds. */
export function widthFor(seconds: number): number {
  return seconds === 0 ? 0 : Math.floor(Math.log2(seconds)) + 1;
}

/** The key of a place within the segment; a key's own order is that of the places. */
export function keyOf({ second, width }: Pick<OpenSegment, 'second' | 'width'>, place: Fence): number {
  return (place.second - second) * 2 ** (keyBits - width) + Math.floor(place.hash / 2 ** width);
}

/** Where an entry stands; of its hash only the upper bits are known. */
export function placeOf({ second, width }: Pick<OpenSegment, 'second' | 'width'>, key: number): Fence {
  const size = 2 ** (keyBits - width);
  return { second: second + Math.floor(key / size), hash: (key % size) * 2 ** width };
}

/** Makes room for more seconds; the hashes lose their lowest bits. */
export function widen(segment: OpenSegment, width: number): void {
  const places = segment.keys.map((key) => placeOf(segment, key));
  segment.width = width;
  for (const [index, place] of places.entries()) segment.keys[index] = keyOf(segment, place);
}

export function countOf(segment: Segment): number {
  return segment.packed.length / charactersOf(segment.bare);
}

export function open({ second, hash, width, packed, bare }: Segment): OpenSegment {
  const segment: OpenSegment = { second, hash, width, keys: [], marks: [], prints: [] };
  const step = charactersOf(bare);
  for (let at = 0; at < packed.length; at += step) {
    const first = readWord(packed, at);
    const middle = readWord(packed, at + 5);
    const last = bare ? 0 : readWord(packed, at + 10);
    segment.keys.push(first * 2 ** 18 + (middle >>> 12));
    segment.marks.push((middle >>> 2) & 1023);
    segment.prints.push((middle & 3) * wordSize + last);
  }
  return segment;
}

export function close({ second, hash, width, keys, marks, prints }: OpenSegment): Segment {
  const characters: number[] = [];
  const bare = prints.every((print) => print === 0);
  for (const [index, key] of keys.entries()) {
    const print = prints[index] ?? 0;
    pushWord(characters, Math.floor(key / 2 ** 18));
    pushWord(characters, (key % 2 ** 18) * 2 ** 12 + (marks[index] ?? 0) * 4 + Math.floor(print / wordSize));
    if (!bare) pushWord(characters, print % wordSize);
  }
  return { second, hash, width, packed: String.fromCharCode(...characters), ...(bare && { bare }) };
}

/** Whether some entry's mark passes, found without opening the segment. */
export function someMark({ packed, bare }: Segment, passes: (mark: number) => boolean): boolean {
  const step = charactersOf(bare);
  for (let at = 5; at < packed.length; at += step) {
    if (passes((readWord(packed, at) >>> 2) & 1023)) return true;
  }
  return false;
}

function readWord(text: string, at: number): number {
  let word = 0;
  for (let index = at; index < at + 5; index++) word = (word << 6) | (values[text.charCodeAt(index)] ?? 0);
  return word;
}

function pushWord(characters: number[], word: number): void {
  for (let shift = 24; shift >= 0; shift -= 6) characters.push(codes[(word >>> shift) & 63] ?? 0);
}
