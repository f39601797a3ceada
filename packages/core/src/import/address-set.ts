/** A set of millions of addresses in little memory. Pure. */
import { hashText, type Digest } from '../hash.ts';
import { addressKey } from '../signup/address.ts';

/** The key of the address that was asked for last: of one row several sets are asked. */
let lastAddress = '';
let lastKey = '';
function keyOf(address: string): string {
  if (address !== lastAddress) [lastAddress, lastKey] = [address, addressKey(address)];
  return lastKey;
}

/** 96 bits of the address's hash, then the number of its row. */
const words = 4;

/** Number of hash tables, made when needed. Each grows by itself, so that never the whole set is in memory twice. */
const tables = 256;

/** First number of slots of a table, its largest load factor, and its growth factor. */
const firstSlots = 8;
const loadFactor = 0.8;
const growth = 1.5;

/**
 * A set of addresses with the row of each. Two addresses count as one where 96 bits of their hashes agree: with a
 * million rows, that happens once in 10¹⁷ imports.
 */
export class AddressSet {
  readonly #seed: Digest;
  #size = 0;
  readonly #tables: { size: number; slots: Uint32Array }[] = [];

  /** @param seed - the same in all runs of one import. Default: always the same */
  constructor(seed: Digest = [1, 2, 3, 4]) {
    this.#seed = seed;
  }

  /** The row of an address, in this or another spelling; undefined where it was not added. */
  rowOf(address: string): number | undefined {
    if (this.#size === 0) return undefined;
    const [a, b, c, d] = hashText(keyOf(address), this.#seed);
    const slots = this.#tables[d & (tables - 1)]?.slots;
    return slots && (slots[find(slots, a >>> 0, b >>> 0, c >>> 0) + 3] || undefined);
  }

  /**
   * Adds an address.
   *
   * @param row - number of its row, 1 to 2³² − 1
   * @returns the row that has the same address already, in this or another spelling; undefined where it is new
   */
  add(address: string, row: number): number | undefined {
    const [a, b, c, d] = hashText(keyOf(address), this.#seed);
    const table = (this.#tables[d & (tables - 1)] ??= { size: 0, slots: new Uint32Array(firstSlots * words) });
    const at = find(table.slots, a >>> 0, b >>> 0, c >>> 0);
    const known = table.slots[at + 3];
    if (known) return known;
    table.slots.set([a, b, c, row], at);
    table.size += 1;
    this.#size += 1;
    if (table.size * words > table.slots.length * loadFactor) table.slots = grown(table.slots);
    return undefined;
  }
}

function grown(old: Uint32Array): Uint32Array<ArrayBuffer> {
  const slots = new Uint32Array(Math.ceil((old.length / words) * growth) * words);
  for (let at = 0; at < old.length; at += words) {
    const [a = 0, b = 0, c = 0, row = 0] = [old[at], old[at + 1], old[at + 2], old[at + 3]];
    if (row !== 0) slots.set([a, b, c, row], find(slots, a, b, c));
  }
  return slots;
}

/** Index of the key, or of the free slot for it. */
function find(slots: Uint32Array, a: number, b: number, c: number): number {
  const capacity = slots.length / words;
  for (let slot = a % capacity; ; slot = slot + 1 === capacity ? 0 : slot + 1) {
    const at = slot * words;
    if (slots[at + 3] === 0 || (slots[at] === a && slots[at + 1] === b && slots[at + 2] === c)) return at;
  }
}
