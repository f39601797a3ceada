/** Canonical texts: two spellings of one value are equal, and a canonical text is written back as a value. */
import { describe, expect, it } from 'vitest';
import { readValue, valueOf, yesNo } from '../../src/sync/canonical-value.ts';

const separator = '\u001f';

describe('readValue', () => {
  it.each([
    ['string', ' Cafe\u0301 ', 'Café'],
    ['string', 7, '7'],
    ['string', true, 'true'],
    ['string', null, ''],
    ['string', '', ''],
    ['string', { a: 1 }, undefined],
    ['string', ['a'], undefined],
    ['integer', ' 07 ', '7'],
    ['integer', 12, '12'],
    ['integer', '-0', '0'],
    ['integer', -0, '0'],
    ['integer', '1.5', undefined],
    ['integer', '   ', ''],
    ['integer', '', ''],
    ['double', '1.50', '1.5'],
    ['double', ' ', ''],
    ['double', 'many', undefined],
    ['double', true, undefined],
    ['double', [], undefined],
    ['double', Number.POSITIVE_INFINITY, undefined],
    ['boolean', ' Yes ', 'true'],
    ['boolean', 'ON', 'true'],
    ['boolean', true, 'true'],
    ['boolean', 1, 'true'],
    ['boolean', 'off', 'false'],
    ['boolean', 0, 'false'],
    ['boolean', ' ', ''],
    ['boolean', 'perhaps', undefined],
    ['boolean', 'constructor', undefined],
    ['boolean', ['yes'], undefined],
    ['date', '2026-02-28', '2026-02-28'],
    ['date', ' 2026-02-28 ', '2026-02-28'],
    ['date', ' ', ''],
    ['date', '2026-02-30', undefined],
    ['date', '2026-02-28T23:30:00-02:00', '2026-03-01'],
    ['date', '28.2.2026', undefined],
    ['date', '2026', undefined],
    ['date', new Date('2026-02-28T23:30:00Z'), '2026-02-28'],
    ['date', {}, undefined],
    ['datetime', new Date('2026-02-28T23:30:00Z'), '2026-02-28T23:30:00Z'],
    ['datetime', '2026-02-28', '2026-02-28T00:00:00Z'],
    ['datetime', '2026-02-28T10:00', '2026-02-28T10:00:00Z'],
    ['datetime', '2026-02-28T10:00:00+0100', '2026-02-28T09:00:00Z'],
    ['datetime', '2026-02-28 10:00:00.123+01:00', '2026-02-28T09:00:00Z'],
    ['datetime', 'Feb 28 2026 10:00', undefined],
    ['datetime', 1_767_225_600, '2026-01-01T00:00:00Z'],
    ['datetime', 253_402_300_799, '9999-12-31T23:59:59Z'],
    ['datetime', new Date('9999-12-31T23:59:59.999Z'), '9999-12-31T23:59:59Z'],
    ['datetime', 253_402_300_800, undefined],
    ['datetime', -62_167_219_200, '0000-01-01T00:00:00Z'],
    ['datetime', -62_167_219_201, undefined],
    ['datetime', Number.NaN, undefined],
    ['list', ['b', 'a', ' a ', ''], `a${separator}b`],
    ['list', 'b; a;;', `a${separator}b`],
    ['list', 7, '7'],
    ['list', [], ''],
    ['list', ['a', ['b']], undefined],
    ['list', {}, undefined],
  ] as const)('of kind %s reads %j', (kind, value, text) => {
    expect(readValue(kind, value)).toEqual(text === undefined ? { state: 'invalid' } : { state: 'value', text });
  });

  it('splits a list at the separator of the field', () => {
    expect(readValue('list', 'a;b, c', ',')).toEqual({ state: 'value', text: `a;b${separator}c` });
  });

  it('reads a value that was not delivered as absent, not empty', () => {
    expect(readValue('string', undefined)).toEqual({ state: 'absent' });
  });
});

describe('valueOf', () => {
  it.each([
    ['string', 'Bonn', 'Bonn'],
    ['integer', '7', 7],
    ['double', '1.5', 1.5],
    ['boolean', 'true', true],
    ['boolean', 'false', false],
    ['date', '2026-02-28', '2026-02-28'],
    ['datetime', '2026-02-28T09:00:00Z', '2026-02-28T09:00:00Z'],
    ['list', `a${separator}b`, ['a', 'b']],
  ] as const)('of kind %s writes %j as its value, which reads back as the same text', (kind, text, value) => {
    expect(valueOf(kind, text)).toEqual(value);
    expect(readValue(kind, value)).toEqual({ state: 'value', text });
  });

  it.each(['string', 'integer', 'boolean', 'date', 'list'] as const)(
    'of kind %s writes an empty text as null',
    (kind) => {
      expect(valueOf(kind, '')).toBeNull();
    },
  );
});

describe('yesNo', () => {
  it.each([
    ['yes', true],
    [false, false],
    [null, false],
    [undefined, undefined],
    ['perhaps', undefined],
  ])('reads %j as %j', (value, expected) => expect(yesNo(value)).toBe(expected));
});
