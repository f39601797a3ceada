/** The addresses met so far, packed: sixteen bytes a slot, so that a million take 32 MB and no address is kept. */
import { addressKey } from '../signup/address.ts';
import { hashText, type Digest } from './hash.ts';

/** 96 bits of the address's hash, then the number of its row. */
const words = 4;
const firstSlots = 1 << 10;

/**
 * A set of addresses with the row each was met in. Two addresses are taken for one where 96 bits of their hashes agree: among
 * a million, that happens once in 10¹⁷ imports.
 */
export class AddressSet {
  /** Addresses in the set. */
  size = 0;
  readonly #seed: Digest;
  #slots = new Uint32Array(firstSlots * words);

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
    if ((this.size + 1) * words * 4 > this.#slots.length * 3) this.#grow();
    const [a, b, c] = hashText(addressKey(address), this.#seed);
    const at = find(this.#slots, a >>> 0, b >>> 0, c >>> 0);
    const known = this.#slots[at + 3];
    if (known) return known;
    write(this.#slots, at, a, b, c, row);
    this.size += 1;
    return undefined;
  }

  #grow(): void {
    const old = this.#slots;
    const grown = new Uint32Array(old.length * 2);
    for (let at = 0; at < old.length; at += words) {
      const row = old[at + 3];
      if (!row) continue;
      const [a = 0, b = 0, c = 0] = [old[at], old[at + 1], old[at + 2]];
      write(grown, find(grown, a, b, c), a, b, c, row);
    }
    this.#slots = grown;
  }
}

function write(slots: Uint32Array, at: number, a: number, b: number, c: number, row: number): void {
  slots[at] = a;
  slots[at + 1] = b;
  slots[at + 2] = c;
  slots[at + 3] = row;
}

/** Where the key stands, or the free slot where it belongs. */
function find(slots: Uint32Array, a: number, b: number, c: number): number {
  const last = slots.length / words - 1;
  for (let slot = a & last; ; slot = (slot + 1) & last) {
    const at = slot * words;
    if (slots[at + 3] === 0 || (slots[at] === a && slots[at + 1] === b && slots[at + 2] === c)) return at;
  }
}
