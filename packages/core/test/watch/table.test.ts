/** The table of known subscriptions: its entries, segments and size. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hash32, hash48 } from '../../src/watch/fingerprint.ts';
import { close, countOf, open, someMark, widthFor } from '../../src/watch/segment.ts';
import {
  recordSightings,
  replaceEntries,
  secondAfter,
  sizeOf,
  type MergeRule,
  type Sighting,
  type Table,
} from '../../src/watch/table.ts';

const upsert: MergeRule = { rank: () => 0, merge: (_, { mark, fingerprint }) => ({ mark, fingerprint }), add: true };

function sighting(id: string, second: number, mark = 0, fingerprint = 0): Sighting {
  return { second, hash: hash48(id), mark, fingerprint };
}

/** Removes the entries between two seconds whose mark is selected. @returns also the seconds and bits of these */
function remove(table: Table, from: number, to: number, marks: (mark: number) => boolean) {
  const gone: { readonly second: number; readonly bits: number }[] = [];
  const rest = replaceEntries(table, { from, to, marks }, ({ second }, bits) => {
    gone.push({ second, bits });
    return null;
  });
  return { table: rest, gone };
}

function updateMarks(table: Table, from: number, mark: (mark: number) => number): Table {
  return replaceEntries(table, { from, marks: () => true }, (entry) => ({ ...entry, mark: mark(entry.mark) }));
}

/** Packed bytes: six bits a character, and of each segment its second (4), hash (6) and width (1). */
function bytesOf(table: Table): number {
  return table.reduce((sum, { packed }) => sum + (packed.length * 6) / 8 + 11, 0);
}

const start = 1_600_000_000;

/** How seconds of creation lie: in one second, in bursts, evenly, with gaps of months. */
const spreads: Readonly<Record<string, (index: number) => number>> = {
  'one second': () => start,
  'bursts of a thousand': (index) => start + Math.floor(index / 1000) * 3600,
  'one every few minutes': (index) => start + index * 157,
  'one a month': (index) => start + index * 2_600_000,
  'slow, then a burst, then slow': (index) =>
    start + (index < 500 ? index * 9000 : index < 2500 ? 4_500_000 : index * 5000),
  'one an hour, without custom fields': (index) => start + index * 3600,
};

describe.each(Object.entries(spreads))('subscriptions created %s', (name, secondOf) => {
  const count = name === 'one a month' ? 300 : 3000;
  const all = Array.from({ length: count }, (_, index) =>
    // Some carry no fields: a segment has fingerprints from the first entry with one on.
    sighting(
      `sub_${index}`,
      secondOf(index),
      index % 1024,
      name.includes('without') || index % 1000 < 300 ? 0 : hash32(`${index}`),
    ),
  );

  it('are all found again, in whatever order and batches they were recorded', () => {
    const batch = fc
      .array(fc.integer({ min: 0, max: count - 1 }), { maxLength: 200 })
      .map((indexes) => [...new Set(indexes)]);
    fc.assert(
      fc.property(fc.array(batch, { maxLength: 30 }), (batches) => {
        let table: Table = [];
        const written = new Set<number>();
        for (const indexes of batches) {
          const before = JSON.stringify(table);
          const step = recordSightings(
            table,
            indexes.map((index) => all[index]!),
            upsert,
          );
          expect(JSON.stringify(table)).toBe(before);
          ({ table } = step);
          expect(step.known.map((known) => known !== null)).toEqual(indexes.map((index) => written.has(index)));
          for (const index of indexes) written.add(index);
        }
        expect(sizeOf(table)).toBe(written.size);
        const again = recordSightings(
          table,
          [...written].map((index) => all[index]!),
          upsert,
        );
        expect(again.known).toEqual(
          [...written].map((index) => ({ mark: all[index]!.mark, fingerprint: all[index]!.fingerprint })),
        );
        expect(again.table).toBe(table);
      }),
      { numRuns: 15 },
    );
  });

  it('survive JSON, and are removed second by second', () => {
    let table: Table = [];
    for (let from = 0; from < count; from += 100)
      ({ table } = recordSightings(table, all.slice(from, from + 100), upsert));
    const kept: Table = JSON.parse(JSON.stringify(table));
    expect(kept).toEqual(table);
    const middle = secondOf(Math.floor(count / 2));
    const { table: rest, gone } = remove(kept, start, middle, (mark) => mark % 2 === 0);
    const expected = all.filter(({ second, mark }) => second <= middle && mark % 2 === 0);
    expect(gone.map(({ second }) => second).sort()).toEqual(expected.map(({ second }) => second).sort());
    expect(sizeOf(rest)).toBe(count - expected.length);
    expect(recordSightings(rest, all, { ...upsert, add: false }).known.filter((known) => known === null)).toHaveLength(
      expected.length,
    );
    const marked = updateMarks(rest, middle + 1, () => 7);
    const known = recordSightings(
      marked,
      all.filter(({ second }) => second > middle),
      { ...upsert, add: false },
    ).known;
    expect(new Set(known.map((entry) => entry?.mark))).toEqual(new Set(known.length === 0 ? [] : [7]));
    expect(secondAfter(kept, start - 1)).toBe(start);
    expect(secondAfter(kept, secondOf(count - 1))).toBeNull();
  });
});

it('distinguishes two ids of one second with the same key, as long as they come in one page', () => {
  const [one, other] = [
    { second: start, hash: 5, mark: 1, fingerprint: 1 },
    { second: start, hash: 5, mark: 2, fingerprint: 2 },
  ];
  const { table, known } = recordSightings([], [one, other], upsert);
  expect(known).toEqual([null, null]);
  expect(sizeOf(table)).toBe(2);
  const rank: MergeRule['rank'] = (entry, seen) => (entry.mark === seen.mark ? 0 : 1);
  const entries = [
    { mark: 1, fingerprint: 1 },
    { mark: 2, fingerprint: 2 },
  ];
  expect(recordSightings(table, [one, other], { ...upsert, rank }).known).toEqual(entries);
  expect(recordSightings(table, [other, one], { ...upsert, rank }).known).toEqual(entries.toReversed());
  const { known: either } = recordSightings(table, [one, other], { ...upsert, merge: (entry) => entry });
  expect(either.toSorted((a, b) => (a?.mark ?? 0) - (b?.mark ?? 0))).toEqual(entries);
});

describe('recording', () => {
  const one = { second: start, hash: 5, mark: 1, fingerprint: 1 };
  const { table } = recordSightings([], [one], upsert);

  it('keeps a changed fingerprint, and adds nothing where it is told so', () => {
    const changed = recordSightings(table, [{ ...one, fingerprint: 2 }], upsert);
    expect(recordSightings(changed.table, [one], upsert).known).toEqual([{ mark: 1, fingerprint: 2 }]);
    const step = recordSightings(table, [one, { ...one, hash: 6 }], { ...upsert, add: false });
    expect(step.known).toEqual([{ mark: 1, fingerprint: 1 }, null]);
    expect(step.table).toBe(table);
  });
});

describe('the entries of a range of seconds', () => {
  const all = Array.from({ length: 10 }, (_, n) => sighting(`sub_${n}`, start + n, n % 2));
  const { table } = recordSightings([], all, upsert);
  const marks = (changed: Table) =>
    recordSightings(changed, all, { ...upsert, add: false }).known.map((entry) => entry?.mark);

  it('are removed alone, both ends included', () => {
    const { table: rest, gone } = remove(table, start + 3, start + 5, () => true);
    // Four bits of a key count ten seconds, and 44 are left for the hash.
    expect(gone.map(({ second, bits }) => [second - start, bits])).toEqual([
      [3, 44],
      [4, 44],
      [5, 44],
    ]);
    expect(marks(rest)).toEqual([0, 1, 0, undefined, undefined, undefined, 0, 1, 0, 1]);
    expect(remove(table, start + 20, start + 30, () => true).table).toEqual(table);
    expect(remove(table, start, start + 9, () => true).table).toEqual([]);
  });

  it('get their mark from the first second on, and the next second is found', () => {
    expect(marks(updateMarks(table, start + 3, (mark) => mark + 7))).toEqual([0, 1, 0, 8, 7, 8, 7, 8, 7, 8]);
    expect([secondAfter(table, start + 3), secondAfter(table, start + 9)]).toEqual([start + 4, null]);
  });
});

describe('the division into segments', () => {
  const entry = (hash: number, second = start): Sighting => ({ second, hash, mark: 1, fingerprint: 0 });
  const entries = (count: number): Sighting[] => Array.from({ length: count }, (_, n) => entry(n * 10));
  const tableOf = (...batches: readonly (readonly Sighting[])[]): Table =>
    batches.reduce<Table>((table, batch) => recordSightings(table, batch, upsert).table, []);
  const counts = (table: Table): number[] => table.map(countOf);

  it('leaves a segment of 512 entries full where entries are appended', () => {
    expect(counts(tableOf(entries(512)))).toEqual([512]);
    expect(counts(tableOf(entries(513)))).toEqual([512, 1]);
    expect(counts(tableOf(entries(512), [entry(0, start + 1)]))).toEqual([512, 1]);
  });

  it('splits a full segment in the middle where an entry is inserted, but not between equal keys', () => {
    expect(counts(tableOf(entries(511), [entry(5)]))).toEqual([512]);
    expect(counts(tableOf(entries(512), [entry(5)]))).toEqual([256, 257]);
    const alike = entries(512).map((each, n) => (n >= 250 && n < 270 ? { ...each, hash: 2500 } : each));
    expect(counts(tableOf(alike, [entry(5)]))).toEqual([271, 242]);
  });

  it('begins a segment after 48 days, or after 68 minutes with 128 entries', () => {
    const after = (count: number, seconds: number) => counts(tableOf(entries(count), [entry(3, start + seconds)]));
    expect(after(1, 2 ** 22 - 1)).toEqual([2]);
    expect(after(1, 2 ** 22)).toEqual([1, 1]);
    expect(after(127, 2 ** 12)).toEqual([128]);
    expect(after(128, 2 ** 12 - 1)).toEqual([129]);
    expect(after(128, 2 ** 12)).toEqual([128, 1]);
  });

  it.each([
    ['begins', entries(1), start + 2 ** 22],
    ['is split off', entries(512), start],
  ])('distinguishes two new ids with the same key where their segment %s', (_, before, second) => {
    const table = tableOf(before);
    const step = recordSightings(table, [entry(4005, second), entry(4005, second)], upsert);
    expect(step.known).toEqual([null, null]);
    expect(counts(step.table)).toHaveLength(2);
    expect(sizeOf(step.table)).toBe(before.length + 2);
  });
});

it('keeps any number of ids with the same key together', () => {
  const alike = Array.from({ length: 600 }, (_, mark) => ({ second: start, hash: 5, mark, fingerprint: 0 }));
  const others = Array.from({ length: 400 }, (_, index) => sighting(`sub_${index}`, start));
  let { table } = recordSightings([], alike, upsert);
  ({ table } = recordSightings(table, others, upsert));
  const again = recordSightings(table, [...alike, ...others], upsert);
  expect(again.known.filter((known) => known === null)).toEqual([]);
  expect(sizeOf(again.table)).toBe(1000);
});

describe('a million subscriptions', () => {
  const million = Number(process.env['TABLE_SIZE'] ?? 1_000_000);
  /** A generator of pseudorandom numbers below 1, the same each time. */
  function dice(): () => number {
    let state = 12_345;
    return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
  }
  /** Five years: signups at random, and imports of ten thousand within a few seconds. */
  function* life(): Generator<Sighting> {
    const roll = dice();
    let second = start;
    for (let index = 0; index < million; index++) {
      const importing = index % 50_000 < 10_000;
      second += importing ? (roll() < 0.001 ? 1 : 0) : Math.floor(-Math.log(1 - roll()) * 157);
      yield sighting(`sub_${index.toString(16).padStart(12, '0')}`, second, index % 1024, hash32(String(index)));
    }
  }

  it('take at most 12 bytes each, and none is confused with another', () => {
    let table: Table = [];
    let page: Sighting[] = [];
    let confused = 0;
    for (const one of life()) {
      page.push(one);
      if (page.length < 100) continue;
      const step = recordSightings(table, page, upsert);
      confused += step.known.filter((known) => known !== null).length;
      ({ table } = step);
      page = [];
    }
    expect(sizeOf(table)).toBe(million);
    expect(confused).toBe(0);
    expect(bytesOf(table) / million).toBeLessThanOrEqual(12);
    // As JSON, the same in letters of six bits.
    expect(JSON.stringify(table).length / million).toBeLessThanOrEqual(16);
  });
});

describe('a hash', () => {
  it('spreads similar ids over its whole range', () => {
    const buckets = Array<number>(64).fill(0);
    for (let index = 0; index < 64_000; index++) {
      const bucket = Math.floor(
        hash48(`sub_00000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`) / 2 ** 42,
      );
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
    }
    expect(Math.min(...buckets)).toBeGreaterThan(850);
    expect(Math.max(...buckets)).toBeLessThan(1150);
  });

  it('of 32 bits collides about as often as random numbers', () => {
    const count = 200_000;
    const different = new Set(
      Array.from({ length: count }, (_, index) => hash32(JSON.stringify([['Name', `"${index}"`]]))),
    ).size;
    // Expected: 4.7 pairs.
    expect(count - different).toBeLessThan(20);
  });

  it('is the same in every version, because states are stored', () => {
    expect([hash48('sub_a'), hash48('sub_b'), hash32('sub_a'), hash32('sub_b')]).toEqual([
      96_364_596_618_257, 28_875_332_141_852, 1_521_766_418, 3_675_143_781,
    ]);
  });
});

describe('a segment', () => {
  it('packs the limits of every field', () => {
    const segment = {
      second: start,
      hash: 5,
      width: 22,
      entries: [
        { second: start, hash: 0, mark: 0, fingerprint: 1 },
        { second: start + 2 ** 22 - 1, hash: 2 ** 48 - 2 ** 22, mark: 1023, fingerprint: 2 ** 32 - 1 },
        { second: start + 16, hash: 2 ** 40 + 2 ** 22, mark: 512, fingerprint: 2 ** 30 },
      ],
    };
    const unprinted = { ...segment, entries: segment.entries.map((entry) => ({ ...entry, fingerprint: 0 })) };
    const packed = close(segment);
    expect(packed).toMatchObject({ second: start, hash: 5, width: 22 });
    expect(packed.packed).toHaveLength(45);
    expect(packed).not.toHaveProperty('bare');
    expect(open(packed)).toEqual(segment);
    const bare = close(unprinted);
    expect(bare.packed).toHaveLength(30);
    expect(bare.bare).toBe(true);
    expect(open(bare)).toEqual(unprinted);
    for (const closed of [packed, bare]) {
      for (const { mark } of segment.entries) expect(someMark(closed, (found) => found === mark)).toBe(true);
      expect(someMark(closed, (found) => found === 511)).toBe(false);
    }
  });

  it('counts seconds with as few bits as possible', () => {
    expect([0, 1, 2, 3, 4, 7, 8].map(widthFor)).toEqual([0, 1, 2, 2, 3, 3, 4]);
  });
});
