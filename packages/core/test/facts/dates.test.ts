/** Import and sync read the days and times that people keep by one rule, whatever form they are kept in. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dateIn, dateOrderIn, isAmbiguousDate, utcOf } from '@newsletter-kit/core/facts';
import { fieldValueReader } from '../../src/import/index.ts';
import { readValue } from '../../src/sync/mapping/canonical-value.ts';

const seconds = fc
  .integer({ min: Date.UTC(1900, 0) / 1000, max: Date.UTC(2101, 0) / 1000 - 1 })
  .chain((at) => fc.constantFrom(at, at - (at % 60), Math.floor(at / 86_400) * 86_400));

const two = (number: number): string => String(number).padStart(2, '0');

/** The parts of a moment, as a clock shows them that is ahead of UTC by minutes. */
function partsOf(at: number, ahead = 0) {
  const shown = new Date((at + ahead * 60) * 1000);
  const [y, m, d] = [shown.getUTCFullYear(), shown.getUTCMonth() + 1, shown.getUTCDate()];
  return {
    y,
    m,
    d,
    iso: shown.toISOString().slice(0, 10),
    time: shown.toISOString().slice(11, 19),
    h: shown.getUTCHours(),
  };
}

/** Forms of a moment that stand for a second, and the day that is written. */
const timed: Readonly<Record<string, (at: number) => readonly [value: unknown, day: string]>> = {
  'ISO 8601': (at) => [new Date(at * 1000).toISOString(), partsOf(at).iso],
  'a blank and UTC': (at) => [`${partsOf(at).iso} ${partsOf(at).time} UTC`, partsOf(at).iso],
  'no zone': (at) => [`${partsOf(at).iso}T${partsOf(at).time}`, partsOf(at).iso],
  'a zone in the east': (at) => [`${partsOf(at, 330).iso}T${partsOf(at, 330).time}+05:30`, partsOf(at, 330).iso],
  'a zone in the west': (at) => [`${partsOf(at, -480).iso} ${partsOf(at, -480).time}-0800`, partsOf(at, -480).iso],
  'in German': (at) => {
    const { y, m, d, time, iso } = partsOf(at);
    return [`${d}.${m}.${y}, ${time}`, iso];
  },
  'with a twelve-hour clock': (at) => {
    const { y, m, d, time, iso, h } = partsOf(at);
    return [`${y}/${two(m)}/${two(d)} ${h % 12 || 12}${time.slice(2)} ${h < 12 ? 'AM' : 'p.m.'}`, iso];
  },
  'as Google Forms writes it': (at) => {
    const { y, m, d, time, iso, h } = partsOf(at, 180);
    return [`${y}/${two(m)}/${two(d)} ${h % 12 || 12}${time.slice(2)} ${h < 12 ? 'AM' : 'PM'} GMT+3`, iso];
  },
  'as HTTP writes it': (at) => [new Date(at * 1000).toUTCString(), partsOf(at).iso],
  'a date of JavaScript': (at) => [new Date(at * 1000), partsOf(at).iso],
};

/** Forms that stand for a day alone. */
const daily: Readonly<Record<string, (at: number) => unknown>> = {
  'ISO 8601': (at) => partsOf(at).iso,
  'with slashes, the year first': (at) => `${partsOf(at).y}/${partsOf(at).m}/${partsOf(at).d}`,
  'in English': (at) => new Date(at * 1000).toLocaleDateString('en-US', { dateStyle: 'medium', timeZone: 'UTC' }),
  'in English, the day first': (at) => new Date(at * 1000).toUTCString().slice(5, 16).replaceAll(' ', '-'),
  'in German': (at) => `${two(partsOf(at).d)}.${two(partsOf(at).m)}.${partsOf(at).y}`,
};

const counted = { number: (count: number) => count as unknown, text: String };

/** What import and sync make of a value: both nothing, or the same day and the same second. */
function readBoth(value: unknown): { readonly date: string | undefined; readonly datetime: string | undefined } {
  const [date, datetime] = (['date', 'datetime'] as const).map((kind) => {
    const reading = readValue(kind, value);
    const sent = fieldValueReader(kind).read(value);
    expect(sent === undefined ? null : readValue(kind, sent)).toBe(reading);
    return reading ?? undefined;
  });
  return { date, datetime };
}

const stamp = (at: number): string => `${new Date(at * 1000).toISOString().slice(0, 19)}Z`;

describe('a day or time from 1900 to 2100', () => {
  it.each(Object.entries(timed))('as a time, %s, is the same in import and sync', (_, form) => {
    fc.assert(
      fc.property(seconds, (at) => {
        const [value, date] = form(at);
        expect(readBoth(value)).toEqual({ date, datetime: stamp(at) });
      }),
      { seed: 59 },
    );
  });

  it.each(Object.entries(daily))('as a day, %s, is the same in import and sync', (_, form) => {
    fc.assert(
      fc.property(seconds, (at) => {
        const { iso } = partsOf(at);
        expect(readBoth(form(at))).toEqual({ date: iso, datetime: `${iso}T00:00:00Z` });
      }),
      { seed: 59 },
    );
  });

  it.each(Object.entries(counted))('counted, as a %s, is the same in import and sync', (_, written) => {
    fc.assert(
      fc.property(seconds, (at) => {
        const both = { date: partsOf(at).iso, datetime: stamp(at) };
        if (Math.abs(at) >= 1e8 || (at % 86_400 === 0 && Math.abs(at) >= 1e5))
          expect(readBoth(written(at))).toEqual(both);
        else expect(readBoth(written(at)).datetime).not.toBe(stamp(at));
        if (Math.abs(at) >= 1e7) expect(readBoth(written(at * 1000))).toEqual(both);
        const days = at / 86_400 + 25_569;
        if (days >= 10_000) expect(readBoth(written(days))).toEqual(both);
      }),
      { seed: 59 },
    );
  });

  it('that is written with a number above 12 shows the order of day and month; any other has that of its column', () => {
    fc.assert(
      fc.property(seconds, fc.constantFrom('/', '-'), (at, mark) => {
        const { y, m, d, iso } = partsOf(at);
        const [dmy, mdy] = [[d, m, y].join(mark), [m, d, y].join(mark)];
        expect([dateIn(dmy, 'dmy'), dateIn(mdy, 'mdy')]).toEqual([iso, iso]);
        expect([dateOrderIn(dmy), dateOrderIn(mdy)]).toEqual(d > 12 ? ['dmy', 'mdy'] : [undefined, undefined]);
        expect([dateIn(dmy), dateIn(mdy)]).toEqual(d > 12 ? [iso, iso] : [undefined, undefined]);
        expect([isAmbiguousDate(dmy), isAmbiguousDate(mdy)]).toEqual([d <= 12, d <= 12]);
      }),
      { seed: 59 },
    );
  });
});

it('any other text is read alike too', () => {
  const sign = fc.oneof(
    fc.nat(9).map(String),
    fc.nat(99).map(String),
    fc.constantFrom('-', '/', '.', ':', ' ', 'T', 'Z', '+', 'pm'),
  );
  fc.assert(
    fc.property(fc.array(sign, { maxLength: 20 }), (signs) => {
      const text = signs.join('').trim();
      if (text !== '') readBoth(text);
    }),
    { seed: 59, numRuns: 5000 },
  );
});

it.each([
  '2026-02-30',
  '31.4.2026',
  '31/31/2026',
  '2026-01-31T25:00',
  '2026-01-31T12:00 EST',
  '2026-01-31 noon',
  '2026-01-31x',
  '2026-01-31T',
  '2026-13-01',
  '2026',
  '202601',
  '20260131',
  '31011990',
  '20260131120000',
  '01234',
  0,
  20_260_131,
  9999,
  1e20,
  Number.NaN,
  new Date(Number.NaN),
  new Date(Date.UTC(10_000, 0)),
  '9999-12-31T23:30-05:00',
])('%s is no day', (value) => {
  expect(dateIn(value)).toBeUndefined();
});

it('a second in UTC follows from a day, and from a time with or without a zone', () => {
  expect(['2026-01-31', '2026-01-31T09:05', '2026-01-31T09:05:00.5+01:00'].map(utcOf)).toEqual([
    '2026-01-31T00:00:00Z',
    '2026-01-31T09:05:00Z',
    '2026-01-31T08:05:00Z',
  ]);
});
