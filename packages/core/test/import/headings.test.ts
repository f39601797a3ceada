/** The headings of other services' exports, and the values of their columns. */
import { describe, expect, it } from 'vitest';
import { fieldValueReader, headingReader, knownHeadings } from '../../src/import/index.ts';

const displays = ['First Name', 'Last Name', 'Team size', 'Tier', 'T-shirt', 'T shirt'];
const meaningOf = headingReader(displays);

/** The headings that a service writes, without those of its own statistics, and the fields that they fill. */
const exported: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Mailchimp: { 'Email Address': 'email', 'First Name': 'custom:First Name', 'Last Name': 'custom:Last Name' },
  'Mailchimp with merge tags': { FNAME: 'custom:First Name', LNAME: 'custom:Last Name' },
  Kit: { email: 'email', first_name: 'custom:First Name' },
  Substack: { Email: 'email' },
  MailerLite: { Subscriber: 'email', 'Last name': 'custom:Last Name' },
  beehiiv: { Email: 'email', 'First Name': 'custom:First Name', 'UTM Source': 'utm_source', utm_medium: 'utm_medium' },
  'Google Contacts': {
    'E-mail 1 - Value': 'email',
    'Given Name': 'custom:First Name',
    'Family Name': 'custom:Last Name',
  },
  'Newsletter Kit': { email: 'email', referring_site: 'referring_site', 'custom:Team size': 'custom:Team size' },
};

describe('a heading', () => {
  it.each(Object.entries(exported))('of %s fills its field', (_, headings) => {
    for (const [heading, target] of Object.entries(headings)) expect(meaningOf(heading)).toEqual({ target });
  });

  it.each(['email', 'Email', ' E-MAIL ', 'e_mail', 'E Mail', 'email-address'])('%j is the address', (heading) => {
    expect(meaningOf(heading)).toEqual({ target: 'email' });
  });

  it.each(['first name', 'FIRST_NAME', 'firstName', 'First-Name', 'first\u00a0name', 'custom:first_name'])(
    '%j is the custom field First Name',
    (heading) => {
      expect(meaningOf(heading)).toEqual({ target: 'custom:First Name' });
    },
  );

  it('of a custom field with the name of a field of the API needs the prefix', () => {
    expect(meaningOf('Tier')).toEqual({ target: 'tier' });
    expect(meaningOf('custom:Tier')).toEqual({ target: 'custom:Tier' });
  });

  it('that is the exact name of one field is that field, and otherwise ambiguous', () => {
    expect(meaningOf('T-shirt')).toEqual({ target: 'custom:T-shirt' });
    expect(meaningOf('T shirt')).toEqual({ target: 'custom:T shirt' });
    expect(meaningOf('tshirt')).toEqual({ ambiguous: ['T-shirt', 'T shirt'] });
    expect(meaningOf('custom:tshirt')).toEqual({ ambiguous: ['T-shirt', 'T shirt'] });
    expect(meaningOf(' T-shirt ')).toEqual({ target: 'custom:T-shirt' });
    expect(meaningOf(' CUSTOM: T shirt ')).toEqual({ target: 'custom:T shirt' });
  });

  it('with the prefix names a custom field that the publication does not have', () => {
    expect(meaningOf('custom: Shoe size')).toEqual({ target: 'custom:Shoe size' });
  });

  it.each(['Name', 'Mail', 'email_1', 'MEMBER_RATING', 'custom_fields', '', '-', 'constructor', '__proto__'])(
    '%j means nothing',
    (heading) => {
      expect(meaningOf(heading)).toBeUndefined();
    },
  );

  it('known of another service fills a custom field only where the publication has it', () => {
    expect(headingReader([])('FNAME')).toBeUndefined();
    for (const { heading, field } of knownHeadings)
      expect(meaningOf(heading)).toEqual({ target: field === 'email' ? 'email' : `custom:${field}` });
  });
});

describe('a value', () => {
  it.each([
    ['integer', ' 12 ', 12],
    ['integer', 7, 7],
    ['integer', '9007199254740993', undefined],
    ['integer', true, undefined],
    ['double', '1.5', 1.5],
    ['double', '1.234,5', 1234.5],
    ['boolean', 'Yes', true],
    ['boolean', ' TRUE ', true],
    ['boolean', true, true],
    ['boolean', false, false],
    ['boolean', 2, undefined],
    ['boolean', ['yes'], undefined],
    ['boolean', null, undefined],
    ['boolean', 'maybe', undefined],
    ['date', '2026-01-31T23:00:00-05:00', '2026-01-31'],
    ['date', '01/02/2026', undefined],
    ['date', '46053', '2026-01-31'],
    ['datetime', '46053.5', '2026-01-31T12:00:00'],
    ['datetime', '31.1.2026 9:05', '2026-01-31T09:05'],
    ['datetime', '2026-01-31 12:00', '2026-01-31T12:00'],
    ['datetime', '2026-01-31', '2026-01-31'],
    ['list', 'boats, food,', ['boats', 'food']],
    ['list', '["boats", "food, drink"]', ['boats', 'food, drink']],
    ['list', "['boats']", ['boats']],
    ['list', '[boats]', undefined],
    ['list', ', ,', undefined],
    ['list', '', undefined],
    ['list', '[boats', ['[boats']],
    ['list', 'boats]', ['boats]']],
    ['list', ' ["boats"] ', ['boats']],
    ['list', '[{"name": "boats"}]', undefined],
    ['list', '[]', undefined],
    ['list', [' boats ', ''], ['boats']],
    ['list', ['boats', {}], undefined],
    ['list', null, undefined],
    ['list', [], []],
    ['list', ['boats', 7, true], ['boats', '7', 'true']],
    ['list', [{ name: 'boats' }], undefined],
    ['list', 7, ['7']],
    ['string', 7, '7'],
    ['string', true, 'true'],
    ['string', Number.POSITIVE_INFINITY, undefined],
    ['string', { a: 1 }, undefined],
    ['a later kind', 'text', 'text'],
    ['constructor', 'text', 'text'],
  ])('of the kind %s: %j becomes %j', (kind, value, read) => {
    expect(fieldValueReader(kind).read(value)).toEqual(read);
  });

  it.each([
    ['string', 'a text'],
    ['integer', 'a whole number'],
    ['double', 'a number such as 1.5'],
    ['boolean', 'true or false'],
    ['date', 'a day such as 2026-01-31'],
    ['datetime', 'a time such as 2026-01-31T12:00:00Z'],
    ['list', 'a list, or texts with commas between them'],
    ['a later kind', 'a text'],
  ])('of the kind %s is described as "%s"', (kind, expected) => {
    expect(fieldValueReader(kind).expected).toBe(expected);
  });

  it('of a list is divided at the chosen separator', () => {
    const reader = fieldValueReader('list', { separator: ';' });
    expect(reader.read('boats; food, drink')).toEqual(['boats', 'food, drink']);
    expect(reader.expected).toBe('texts with ";" between them');
  });
});
