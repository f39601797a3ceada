/** Whole numbers as ranges: what was sent of a million rows takes a few of them. */

/** From `first` to `last`, both included. */
export interface Range {
  readonly first: number;
  readonly last: number;
}

/** A set of whole numbers, kept as ranges that neither touch nor overlap. */
export class RangeSet {
  /** Ascending. */
  readonly #ranges: Range[] = [];

  get ranges(): readonly Range[] {
    return this.#ranges;
  }

  add({ first, last }: Range): void {
    const from = this.#position(first - 1);
    let to = from;
    let merged = { first, last };
    for (let next = this.#ranges[to]; next && next.first <= last + 1; next = this.#ranges[(to += 1)]) {
      merged = { first: Math.min(merged.first, next.first), last: Math.max(merged.last, next.last) };
    }
    this.#ranges.splice(from, to - from, merged);
  }

  has(value: number): boolean {
    const range = this.#ranges[this.#position(value)];
    return range !== undefined && range.first <= value;
  }

  /** Index of the first range that ends at or after `value`. */
  #position(value: number): number {
    let low = 0;
    for (let high = this.#ranges.length; low < high;) {
      const middle = (low + high) >> 1;
      if ((this.#ranges[middle]?.last ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
