/** The addresses met so far, packed: sixteen bytes a slot, so that a million take some 25 MB and no address is kept. */
import { addressKey } from '../signup/address.ts';
import { hashText, type Digest } from '../hash.ts';

/** 96 bits of the address's hash, then the number of its row. */
const words = 4;

/**
 * The set is cut into so many tables that grow each for itself: no moment at which all of it stands in memory twice.
 */
const tables = 256;

/** Slots of a table to begin with, how full it may become, and how much larger it is then made. */
const first = 8;
const fullest = 0.8;
const growth = 1.5;

/**
 * A set of addresses with the row each was met in. Two addresses are taken for one where 96 bits of their hashes agree:
 * among a million, that happens once in 10¹⁷ imports.
 */
export class AddressSet {
  readonly #seed: Digest;
  readonly #tables = Array.from({ length: tables }, () => ({ size: 0, slots: new Uint32Array(first * words) }));

  /** @param seed - kept over the runs of one import, so that every run sees the same */
  constructor(seed: Digest) {
    this.#seed = seed;
  }

  /**
   * Adds an address.
   *
   * @param row - number of its row, 1 to 2³² − 1
   * @returns the row that has it already, spelled alike or not; undefined where it is new
   */
  add(address: string, row: number): number | undefined {
    const [a, b, c, d] = hashText(addressKey(address), this.#seed);
    const table = this.#tables[d & (tables - 1)];
    if (!table) return undefined;
    const at = find(table.slots, a >>> 0, b >>> 0, c >>> 0);
    const known = table.slots[at + 3];
    if (known) return known;
    write(table.slots, at, a, b, c, row);
    table.size += 1;
    if (table.size * words > table.slots.length * fullest) table.slots = grown(table.slots);
    return undefined;
  }
}

function grown(old: Uint32Array): Uint32Array<ArrayBuffer> {
  const slots = new Uint32Array(Math.ceil((old.length / words) * growth) * words);
  for (let at = 0; at < old.length; at += words) {
    const [a = 0, b = 0, c = 0, row = 0] = [old[at], old[at + 1], old[at + 2], old[at + 3]];
    if (row !== 0) write(slots, find(slots, a, b, c), a, b, c, row);
  }
  return slots;
}

function write(slots: Uint32Array, at: number, a: number, b: number, c: number, row: number): void {
  slots[at] = a;
  slots[at + 1] = b;
  slots[at + 2] = c;
  slots[at + 3] = row;
}

/** Where the key stands, or the free slot where it belongs. */
function find(slots: Uint32Array, a: number, b: number, c: number): number {
  const capacity = slots.length / words;
  for (let slot = a % capacity; ; slot = slot + 1 === capacity ? 0 : slot + 1) {
    const at = slot * words;
    if (slots[at + 3] === 0 || (slots[at] === a && slots[at + 1] === b && slots[at + 2] === c)) return at;
  }
}
