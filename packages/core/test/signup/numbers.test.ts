/** Numbers as people write them, by the decimal mark that a number, its column or a language shows. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimalMarkIn, isAmbiguousNumber, numberIn } from '@newsletter-kit/core/facts';

/** Languages, and the notation of each by the platform, in the digits of several scripts. */
const languages = ['en', 'de', 'fr', 'de-CH', 'en-IN', 'es', 'pt', 'sv', 'pl', 'ar-EG', 'fa', 'hi-u-nu-deva'];

const markOf = (language: string): '.' | ',' =>
  new Intl.NumberFormat(language).formatToParts(1.5).some(({ value }) => value === ',') ? ',' : '.';

describe('a number', () => {
  it.each(languages)(
    'written as in %s is read back by the mark of the language, and without it where it shows one',
    (language) => {
      const written = new Intl.NumberFormat(language, { maximumFractionDigits: 3 });
      fc.assert(
        fc.property(fc.integer({ min: -1e12, max: 1e12 }), (thousandths) => {
          const number = thousandths / 1000;
          const text = written.format(number).replace(/\p{Bidi_C}/gu, '');
          expect(numberIn(text, markOf(language))).toBe(number);
          expect(numberIn(text)).toBe(isAmbiguousNumber(text) ? undefined : number);
          expect([undefined, markOf(language)]).toContain(decimalMarkIn(text));
        }),
        { seed: 59 },
      );
    },
  );

  it('in the digits of any script is the number', () => {
    const systems = Intl.supportedValuesOf('numberingSystem');
    const digits = systems.map((numberingSystem) =>
      new Intl.NumberFormat('en', { numberingSystem, useGrouping: false }).format(9_876_543_210),
    );
    const decimal = digits.filter((text) => /^\p{Nd}{10}$/u.test(text));
    expect(decimal.length).toBeGreaterThan(50);
    for (const text of decimal) expect(numberIn(text), text).toBe(9_876_543_210);
  });

  it.each([
    ['１，２３４．５', 1234.5],
    ['－１２．５', -12.5],
    ['١٬٢٣٤', 1234],
    ['١٫٢٣٤', 1.234],
  ])('%s is %d', (text, number) => {
    expect(numberIn(text)).toBe(number);
    expect(isAmbiguousNumber(text)).toBe(false);
  });

  it.each([
    ['1.234', undefined],
    ['١.٢٣٤', undefined],
    ['-1,234', undefined],
    ['12', undefined],
    ['12.5', '.'],
    ['12,5', ','],
    ['0.123', '.'],
    ['1234,567', ','],
    ['1.234,5', ','],
    ['1,234.5', '.'],
    ['1.234.567', ','],
    ['1 234,5', ','],
  ] as const)('%s shows the decimal mark %s', (text, mark) => {
    expect(decimalMarkIn(text)).toBe(mark);
  });

  it.each([
    [' -1. ', -1],
    ['+.25', 0.25],
    ['12.75E+2', 1275],
    ['5e-3', 0.005],
    [7, 7],
  ])('%j is %d', (value, number) => {
    expect(numberIn(value)).toBe(number);
  });

  it('that can be two is one by the mark alone', () => {
    expect([numberIn('1.234'), numberIn('1.234', '.'), numberIn('1.234', ',')]).toEqual([undefined, 1.234, 1234]);
    expect([numberIn('1,234'), numberIn('1,234', '.'), numberIn('1,234', ',')]).toEqual([undefined, 1234, 1.234]);
  });

  it.each([
    '',
    ' ',
    '.',
    '+',
    'e3',
    '1e',
    '1e999',
    '0x10',
    '1.5 m',
    '12.345.6',
    '1,2,3',
    '12 5',
    null,
    true,
    [12],
    Number.NaN,
  ])('%j is none', (value) => {
    expect(numberIn(value)).toBeUndefined();
  });
});
