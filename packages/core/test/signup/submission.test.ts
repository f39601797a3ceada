/** Form posts in the shape of JSON posts, and cleaned texts. */
import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { cleanText, formToObject, textLimit, toJson } from '../../src/signup/index.ts';

describe('formToObject', () => {
  it('turns a form post into the object of the JSON post', () => {
    const form = new URLSearchParams([
      ['email', 'ada+news@example.com'],
      ['utm_source', 'fair'],
      ['custom_fields[First name]', 'Ada'],
      ['custom_fields[Topics][]', 'ai'],
      ['custom_fields[Topics][]', 'design'],
      ['custom_fields[Colours]', 'red'],
      ['custom_fields[Colours]', 'blue'],
    ]);
    expect(formToObject(form)).toEqual({
      email: 'ada+news@example.com',
      utm_source: 'fair',
      custom_fields: [
        { name: 'First name', value: 'Ada' },
        { name: 'Topics', value: ['ai', 'design'] },
        { name: 'Colours', value: ['red', 'blue'] },
      ],
    });
  });

  it('makes a list of a single choice', () => {
    expect(formToObject([['custom_fields[Topics][]', 'ai']])).toEqual({
      custom_fields: [{ name: 'Topics', value: ['ai'] }],
    });
  });

  it('keeps values that have a type already', () => {
    expect(
      formToObject<string | number | boolean>([
        ['email', 'a@b.co'],
        ['custom_fields[Age]', 42],
        ['custom_fields[Vegan]', false],
      ]),
    ).toEqual({
      email: 'a@b.co',
      custom_fields: [
        { name: 'Age', value: 42 },
        { name: 'Vegan', value: false },
      ],
    });
  });

  it('keeps the first value of a repeated field', () => {
    expect(
      formToObject([
        ['email', 'a@b.co'],
        ['email', 'c@d.co'],
      ]),
    ).toEqual({ email: 'a@b.co' });
  });

  it('keeps names such as __proto__ as plain names', () => {
    const object = formToObject([
      ['__proto__', 'x'],
      ['constructor', 'y'],
      ['custom_fields[__proto__]', 'z'],
    ]);
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
    expect(object['constructor']).toBe('y');
    expect(object['custom_fields']).toEqual([{ name: '__proto__', value: 'z' }]);
  });
});

describe('cleanText', () => {
  test.each([
    ['trims', '  spring sale ', 'spring sale'],
    ['composes', 'Fru\u0308hling', 'Frühling'],
    ['removes control characters', 'a\u0000b\r\nc\u007F', 'abc'],
    ['removes zero-width space and byte order mark', 'a\u200Bb\uFEFFc', 'abc'],
    ['removes direction overrides', '\u202Egpj.exe\u2066', 'gpj.exe'],
    ['trims what was hidden behind an invisible character', '\u200B \u200Ba', 'a'],
    ['keeps joined emoji', '👩‍👩‍👧', '👩‍👩‍👧'],
    ['keeps the Persian non-joiner', 'می‌خواهم', 'می‌خواهم'],
    ['keeps markup as text', '<b>R&D</b>', '<b>R&D</b>'],
  ])('%s', (_name, text, expected) => expect(cleanText(text)).toBe(expected));

  it('keeps line ends with keepsLines, each as one line feed', () => {
    expect(cleanText(' a\r\nb\rc\n\td\u0000 ', textLimit, true)).toBe('a\nb\nc\nd');
  });

  it('counts an emoji once and never splits one', () => {
    expect(cleanText('🎉'.repeat(textLimit))).toBe('🎉'.repeat(textLimit));
    expect(cleanText('🎉'.repeat(10), 3)).toBe('🎉🎉🎉');
  });

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 800 }),
        (text) => cleanText(cleanText(text)) === cleanText(text),
      ),
    );
  });
});

describe('toJson', () => {
  it('is JSON, whatever toJSON a page has added to arrays and objects', () => {
    const value = { list: ['a', 1], nested: { empty: [], no: undefined }, text: 'ä' };
    const expected = JSON.stringify(value);
    for (const owner of [Array, Object]) {
      Object.defineProperty(owner.prototype, 'toJSON', { value: () => 'changed', configurable: true });
      try {
        expect(toJson(value)).toBe(expected);
      } finally {
        Reflect.deleteProperty(owner.prototype, 'toJSON');
      }
    }
  });
});
