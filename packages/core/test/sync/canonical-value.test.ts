/** Canonical texts: two spellings of one value are equal, and a canonical text is written back as a value. */
import { describe, expect, it } from 'vitest';
import { readValue, valueOf } from '../../src/sync/mapping/canonical-value.ts';

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
    ['boolean', ' Yes ', 'true'],
    ['boolean', true, 'true'],
    ['boolean', ' ', ''],
    ['boolean', 'perhaps', undefined],
    ['boolean', 'constructor', undefined],
    ['boolean', ['yes'], undefined],
    ['date', '2026-02-28', '2026-02-28'],
    ['date', ' 2026-02-28 ', '2026-02-28'],
    ['date', ' ', ''],
    ['date', '2026-02-28T23:30:00-02:00', '2026-02-28'],
    ['date', '01/02/2026', undefined],
    ['double', '1,5', '1.5'],
    ['double', '1.234', '1.234'],
    ['double', '1,234', undefined],
    ['date', new Date('2026-02-28T23:30:00Z'), '2026-02-28'],
    ['datetime', '2026-02-28', '2026-02-28T00:00:00Z'],
    ['datetime', '2026-02-28T10:00', '2026-02-28T10:00:00Z'],
    ['datetime', '2026-02-28 10:00:00.123+01:00', '2026-02-28T09:00:00Z'],
    ['datetime', 9_999_999_999, '2286-11-20T17:46:39Z'],
    ['datetime', 10_000_000_000, '1970-04-26T17:46:40Z'],
    ['datetime', new Date('9999-12-31T23:59:59.999Z'), '9999-12-31T23:59:59Z'],
    ['list', ['b', 'a', ' a ', ''], `a${separator}b`],
    ['list', 'b; a;;', `a${separator}b`],
    ['list', 7, '7'],
    ['list', [], ''],
    ['list', ['a', ['b']], undefined],
    ['list', {}, undefined],
  ] as const)('of kind %s reads %j', (kind, value, text) => {
    expect(readValue(kind, value)).toBe(text ?? null);
  });

  it.each([
    ['Salesforce', 'a zoned time for a day', 'date', '2024-05-01T00:00:00.000+0200', '2024-05-01'],
    ['Pipedrive', 'a time in UTC for a day', 'date', '2024-05-01T00:00:00Z', '2024-05-01'],
    ['Pipedrive v1', 'a time with a blank', 'date', '2024-05-01 23:59:59', '2024-05-01'],
    ['HubSpot', 'midnight in milliseconds, as text', 'date', '1714521600000', '2024-05-01'],
    ['HubSpot', 'a birthday in milliseconds before 1970', 'date', '-315619200000', '1960-01-01'],
    ['HubSpot', 'a time in milliseconds', 'datetime', 1_714_553_445_000, '2024-05-01T08:50:45Z'],
    ['Google Sheets', 'a day as serial', 'date', 45_413, '2024-05-01'],
    ['Google Sheets', 'a time as serial', 'datetime', 45_413.5, '2024-05-01T12:00:00Z'],
    ['Excel', 'a serial as text', 'date', '45413', '2024-05-01'],
    ['Excel', 'a second of a serial, rounded', 'datetime', 45_413.368_576_388_89, '2024-05-01T08:50:45Z'],
    ['Google Sheets', 'a day in local form', 'date', '1.5.2024', '2024-05-01'],
    ['Google Sheets', 'one thousand or one', 'integer', '1.000', undefined],
    ['Google Sheets', 'a million', 'integer', '1.000.000', '1000000'],
    ['Google Sheets', 'one, one thousand or a mistake', 'integer', '1,000', undefined],
    ['a CSV of pandas', 'a decimal place', 'integer', '7.0', '7'],
    ['a CSV of pandas', 'four digits and three places', 'integer', '1234.000', '1234'],
    ['Excel', 'digits that were cut', 'integer', '1.23457E+15', undefined],
    ['a program', 'a hexadecimal number', 'integer', '0x10', undefined],
    ['a form', 'a plus', 'integer', '+49', '49'],
    ['PostgreSQL', 'an integer beyond 2^53, as text', 'integer', '9007199254740993', '9007199254740993'],
    ['Pipedrive', 'an integer beyond 2^53', 'integer', 2 ** 60, '1152921504606846976'],
    ['PostgreSQL', 'a bigint', 'integer', 9_007_199_254_740_993n, '9007199254740993'],
    ['PostgreSQL', 'a bigint', 'string', 7n, '7'],
    ['HubSpot', 'yes', 'boolean', 'true', 'true'],
    ['PostgreSQL', 'yes as text', 'boolean', 't', 'true'],
    ['Zoho', 'yes', 'boolean', 'Y', 'true'],
    ['a table', 'a cross', 'boolean', 'x', 'true'],
    ['PostgreSQL', 'no as text', 'boolean', 'f', 'false'],
    ['Zoho', 'no', 'boolean', 'N', 'false'],
    ['Salesforce', 'line breaks of a text area', 'string', 'a\r\nb\rc', 'a\nb\nc'],
  ] as const)('takes what %s delivers: %s', (_vendor, _what, kind, value, text) => {
    expect(readValue(kind, value)).toBe(text ?? null);
  });

  it('splits a list at the separator of the field', () => {
    expect(readValue('list', 'a;b, c', ',')).toBe(`a;b${separator}c`);
  });

  it('reads a value that was not delivered as absent, not empty', () => {
    expect(readValue('string', undefined)).toBeUndefined();
  });
});

describe('valueOf', () => {
  it.each([
    ['string', 'Bonn', 'Bonn'],
    ['integer', '7', 7],
    ['double', '1.5', 1.5],
    ['integer', '9007199254740993', '9007199254740993'],
    ['boolean', 'true', true],
    ['boolean', 'false', false],
    ['date', '2026-02-28', '2026-02-28'],
    ['datetime', '2026-02-28T09:00:00Z', '2026-02-28T09:00:00Z'],
    ['list', `a${separator}b`, ['a', 'b']],
  ] as const)('of kind %s writes %j as its value, which reads back as the same text', (kind, text, value) => {
    expect(valueOf(kind, text)).toEqual(value);
    expect(readValue(kind, value)).toBe(text);
  });

  it.each(['string', 'integer', 'boolean', 'date', 'list'] as const)(
    'of kind %s writes an empty text as null',
    (kind) => {
      expect(valueOf(kind, '')).toBeNull();
    },
  );
});
