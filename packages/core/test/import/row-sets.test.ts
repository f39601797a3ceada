/** The sets of an import: hashes of addresses, and ranges of row numbers. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AddressSet } from '../../src/import/address-set.ts';
import { hashText, hex } from '../../src/hash.ts';
import { RangeSet } from '../../src/import/journal.ts';
import { addressKey } from '../../src/signup/index.ts';

const seed = [1, 2, 3, 4] as const;

describe('the hash', () => {
  it('differs between texts that differ in one place, and in half of its bits', () => {
    let bits = 0;
    const texts = 2000;
    for (let n = 0; n < texts; n += 1) {
      const [a, b] = [hashText(`reader${n}@example.com`, seed), hashText(`reader${n}@example.con`, seed)];
      for (const [index, word] of a.entries())
        bits += ((word ^ (b[index] ?? 0)) >>> 0).toString(2).replaceAll('0', '').length;
    }
    expect(bits / texts).toBeGreaterThan(62);
    expect(bits / texts).toBeLessThan(66);
  });

  it('differs for every text of up to two letters, whatever the length of the prefix', () => {
    const letters = Array.from('abcdefghijklmnopqrstuvwxyz0123456789');
    for (let length = 0; length < 9; length += 1) {
      const texts = [...letters, ...letters.flatMap((one) => letters.map((other) => one + other))].map(
        (text) => 'x'.repeat(length) + text,
      );
      expect(new Set(texts.map((text) => hex(hashText(text, seed)))).size).toBe(texts.length);
    }
  });
});

describe('the set of addresses', () => {
  it('finds the first row of each address, as a Map does', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-cA-C]{1,3}$/), { maxLength: 3000, size: 'max' }), (names) => {
        const set = new AddressSet(seed);
        const map = new Map<string, number>();
        for (const [index, name] of names.entries()) {
          const address = `${name}@example.com`;
          const known = map.get(addressKey(address));
          expect(set.add(address, index + 1)).toBe(known);
          if (known === undefined) map.set(addressKey(address), index + 1);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('keeps 200,000 addresses apart', () => {
    const set = new AddressSet(seed);
    for (let row = 1; row <= 200_000; row += 1)
      if (set.add(`reader${row}@example.com`, row) !== undefined) throw new Error(`Row ${row} was taken for another.`);
    expect(set.add('READER77777@example.com', 200_001)).toBe(77_777);
  });
});

it('a RangeSet holds the same numbers as a Set', () => {
  const range = fc
    .tuple(fc.integer({ min: 1, max: 60 }), fc.nat({ max: 9 }))
    .map(([first, more]) => ({ first, last: first + more }));
  fc.assert(
    fc.property(fc.array(range, { maxLength: 30 }), (added) => {
      const ranges = new RangeSet();
      const plain = new Set<number>();
      for (const { first, last } of added) {
        ranges.add({ first, last });
        for (let value = first; value <= last; value += 1) plain.add(value);
      }
      for (let value = 0; value <= 75; value += 1) expect(ranges.has(value)).toBe(plain.has(value));
      for (const [index, { first }] of ranges.ranges.entries())
        expect(first).toBeGreaterThan((ranges.ranges[index - 1]?.last ?? -1) + 1);
    }),
  );
});
