/**
 * A segment of the packed table: some hundred subscriptions in order of creation, with 90 bits (15 characters of six
 * bits) each, or 60 bits (10 characters) where no custom fields are watched. Pure.
 *
 * An entry is a key of 48 bits, a mark of 10, and a fingerprint of 32 that is left out of a segment in which all are 0.
 * The key is the seconds since the segment begins, in `width` bits, and the upper 48 − `width` bits of the id's hash:
 * the more subscriptions share a second, the shorter the time span of a segment, and the more bits distinguish their
 * ids.
 */

/** A position in the table's order: a second, then the hash of an id. */
export interface TablePosition {
  /** Unix seconds. */
  readonly second: number;
  /** 48 bits. */
  readonly hash: number;
}

/** A stored segment. Plain JSON. */
export interface Segment extends TablePosition {
  /** Bits of a key that count seconds. */
  readonly width: number;
  /** 15 characters an entry, or 10 where `bare`. */
  readonly packed: string;
  /** Set where the fingerprint of every entry is 0: none is written. */
  readonly bare?: true;
}

/** An entry of an unpacked segment. Of its hash, the lowest bits that the segment has no room for are 0. */
export interface Entry extends TablePosition {
  hash: number;
  mark: number;
  fingerprint: number;
}

/** An unpacked segment; its entries are in order of their positions. */
export interface OpenSegment extends TablePosition {
  width: number;
  readonly entries: Entry[];
}

/** Bits of a key, and of a hash. */
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

export function compare(a: TablePosition, b: TablePosition): number {
  return a.second - b.second || a.hash - b.hash;
}

/** Bits that are needed to count so many seconds. */
export function widthFor(seconds: number): number {
  return seconds === 0 ? 0 : Math.floor(Math.log2(seconds)) + 1;
}

/** The part of a hash that a segment of this width keeps: without its lowest bits. */
export function keptHash(hash: number, width: number): number {
  return Math.floor(hash / 2 ** width) * 2 ** width;
}

/** Widens the field for seconds; the hashes lose their lowest bits. */
export function widen(segment: OpenSegment, width: number): void {
  for (const entry of segment.entries) entry.hash = keptHash(entry.hash, width);
  segment.width = width;
}

/** The number of bits of a hash that a segment of this width keeps. */
export function hashBits(width: number): number {
  return keyBits - width;
}

export function countOf(segment: Segment): number {
  return segment.packed.length / charactersOf(segment.bare);
}

export function open({ second, hash, width, packed, bare }: Segment): OpenSegment {
  const segment: OpenSegment = { second, hash, width, entries: [] };
  const step = charactersOf(bare);
  const [keysPerSecond, hashesPerKey] = [2 ** hashBits(width), 2 ** width];
  for (let at = 0; at < packed.length; at += step) {
    const first = readWord(packed, at);
    const middle = readWord(packed, at + 5);
    const last = bare ? 0 : readWord(packed, at + 10);
    const key = first * 2 ** 18 + (middle >>> 12);
    const seconds = Math.floor(key / keysPerSecond);
    segment.entries.push({
      second: second + seconds,
      hash: (key - seconds * keysPerSecond) * hashesPerKey,
      mark: (middle >>> 2) & 1023,
      fingerprint: (middle & 3) * wordSize + last,
    });
  }
  return segment;
}

export function close({ second, hash, width, entries }: OpenSegment): Segment {
  const characters: number[] = [];
  const bare = entries.every(({ fingerprint }) => fingerprint === 0);
  const [keysPerSecond, hashesPerKey] = [2 ** hashBits(width), 2 ** width];
  for (const entry of entries) {
    const { mark, fingerprint } = entry;
    const key = (entry.second - second) * keysPerSecond + entry.hash / hashesPerKey;
    const high = Math.floor(key / 2 ** 18);
    pushWord(characters, high);
    pushWord(characters, (key - high * 2 ** 18) * 2 ** 12 + mark * 4 + (fingerprint >>> 30));
    if (!bare) pushWord(characters, fingerprint & (wordSize - 1));
  }
  return { second, hash, width, packed: String.fromCharCode(...characters), ...(bare && { bare }) };
}

/** Whether the mark of any entry passes, tested without unpacking the segment. */
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
