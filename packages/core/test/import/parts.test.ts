/** Parts of the import, each compared with a simple implementation. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AddressSet } from '../../src/import/batch-reader.ts';
import { divide, utf8Length } from '../../src/import/batch.ts';
import { hashText, hex } from '../../src/hash.ts';
import { RangeSet } from '../../src/import/journal.ts';
import { checkRequest, requestFields } from '../../src/import/request.ts';
import { subscriptionRequest } from '../../src/schema/index.ts';
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

it('divides a batch into ordered parts that hold every row once', () => {
  const refused = fc.record({
    size: fc.integer({ min: 2, max: 40 }),
    named: fc.array(fc.nat({ max: 50 }), { maxLength: 6 }),
    gap: fc.nat({ max: 3 }),
  });
  fc.assert(
    fc.property(refused, ({ size, named, gap }) => {
      const rows = Array.from({ length: size }, (_, index) => ({
        ordinal: 5 + index * (gap + 1),
        row: index,
        request: { email: 'a@b.c' },
        original: null,
        digest: seed,
      }));
      const parts = divide(
        { first: 3, last: rows.at(-1)?.ordinal ?? 0, rows, resent: true },
        named.map((index) => `subscriptions[${index}].email is wrong`),
      );
      expect(parts.flatMap((part) => part.rows)).toEqual(rows);
      expect(parts.length).toBeGreaterThan(1);
      for (const [index, part] of parts.entries()) {
        expect(part.first).toBe(index === 0 ? 3 : (parts[index - 1]?.last ?? 0) + 1);
        expect(part.last).toBe(part.rows.at(-1)?.ordinal);
      }
    }),
  );
});

it('counts the bytes of any text as an encoder does', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => utf8Length(text) === new TextEncoder().encode(text).length),
  );
});

it('a row is accepted where the schema accepts it, and rejected where the schema rejects it', () => {
  const id = fc.constantFrom('tier_1-a', 'aut_9', 'nl_list_x', 'comp_access_0', 'tier_', 'plain', '');
  const texts = fc.array(id, { maxLength: 3 });
  const field = fc.record(
    {
      name: fc.constantFrom('Name', 'Topics'),
      value: fc.oneof(fc.string(), fc.double(), fc.boolean(), fc.array(fc.string()), fc.constant({})),
    },
    { requiredKeys: ['name'] },
  );
  const value = fc.oneof(
    fc.string(),
    id,
    fc.boolean(),
    fc.constantFrom('on', 'off', 'free', 'premium'),
    texts,
    fc.array(field, { maxLength: 2 }),
    fc.integer(),
    fc.constant({}),
  );
  const fields = fc.dictionary(
    fc.constantFrom(...Object.keys(requestFields).filter((name) => name !== 'email'), 'first_name'),
    value,
    { maxKeys: 3 },
  );
  const email = fc.constantFrom('ada@example.com', ' Ada@BÜCHER.example', 'nope', 'a@b', 7);
  fc.assert(
    fc.property(email, fields, (address, rest) => {
      const row = { email: address, ...rest };
      const schema = subscriptionRequest.safeParse(row);
      const ours = checkRequest(row);
      expect('request' in ours, JSON.stringify({ row, ours })).toBe(schema.success);
      if ('request' in ours) expect(ours.request).toEqual(schema.data);
    }),
    { numRuns: 3000 },
  );
});
