/** The fields that columns fill by their headings, and the values of their cells. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldValueReader, headingReader } from '../../src/import/index.ts';

const displays = ['First Name', 'Last Name', 'Team size', 'Tier', 'T-shirt', 'T shirt'];
const meaningOf = headingReader(displays);

describe('a heading', () => {
  it('in any case, with any spaces, hyphens and underscores, is that of its field', () => {
    const names = { email: 'email', 'UTM source': 'utm_source', 'First Name': 'custom:First Name' } as const;
    const spelt = (name: string) =>
      fc
        .tuple(
          ...[...name].map((letter) =>
            fc.tuple(fc.boolean(), fc.stringMatching(/^[ \u00a0_-]{0,2}$/), fc.constant(letter)),
          ),
        )
        .map((letters) =>
          letters
            .map(([isUpper, gap, letter]) => gap + (isUpper ? letter.toUpperCase() : letter.toLowerCase()))
            .join(''),
        );
    const prefixes = { email: [''], utm_source: [''], 'custom:First Name': ['', 'custom:', ' CUSTOM: '] };
    for (const [name, target] of Object.entries(names)) {
      const spellings = fc.property(spelt(name), fc.constantFrom(...prefixes[target]), (heading, prefix) => {
        expect(meaningOf(`${prefix}${heading} `)).toEqual({ target });
      });
      fc.assert(spellings);
    }
  });

  it('of another service fills its field; a custom field only where the publication has it', () => {
    expect(['Email Address', 'FNAME', 'Family Name'].map(meaningOf)).toEqual([
      { target: 'email' },
      { target: 'custom:First Name' },
      { target: 'custom:Last Name' },
    ]);
    expect(['Email Address', 'FNAME'].map(headingReader([]))).toEqual([{ target: 'email' }, undefined]);
  });

  it('of a custom field with the name of a field of the API needs the prefix', () => {
    expect(meaningOf('Tier')).toEqual({ target: 'tier' });
    expect(meaningOf('custom:Tier')).toEqual({ target: 'custom:Tier' });
  });

  it('that is the exact name of one field is that field, and otherwise ambiguous', () => {
    for (const prefix of ['', ' ', 'custom:', ' CUSTOM: ']) {
      for (const name of ['T-shirt', 'T shirt'])
        expect(meaningOf(`${prefix}${name} `)).toEqual({ target: `custom:${name}` });
      expect(meaningOf(`${prefix}tshirt`)).toEqual({ ambiguous: ['T-shirt', 'T shirt'] });
    }
  });

  it('with the prefix names a custom field that the publication does not have', () => {
    expect(meaningOf('custom: Shoe size')).toEqual({ target: 'custom:Shoe size' });
  });

  it.each(['Name', 'Mail', 'email_1', 'custom_fields', '', '-', 'constructor', '__proto__'])(
    '%j means nothing',
    (heading) => {
      expect(meaningOf(heading)).toBeUndefined();
    },
  );
});

/** Dates, numbers, yes and no are read by `facts`; their tests are there. */
describe('a value', () => {
  it.each([
    ['integer', ' 12 ', 12],
    ['integer', '9007199254740993', undefined],
    ['integer', '1.5', undefined],
    ['double', '1.234,5', 1234.5],
    ['boolean', ' TRUE ', true],
    ['boolean', ['yes'], undefined],
    ['date', '2026-01-31T23:00:00-05:00', '2026-01-31'],
    ['date', '01/02/2026', undefined],
    ['datetime', '31.1.2026 9:05', '2026-01-31T09:05'],
    ['list', ', ,', undefined],
    ['list', '', undefined],
    ['list', '[boats', ['[boats']],
    ['list', 'boats]', ['boats]']],
    ['list', '[boats]', undefined],
    ['list', '[{"name": "boats"}]', undefined],
    ['list', '["boats", {"name": "food"}]', undefined],
    ['list', "['boats']", ['boats']],
    ['list', [], []],
    ['list', [' boats ', '', 7, true], ['boats', '7', 'true']],
    ['list', ['boats', {}], undefined],
    ['list', null, undefined],
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

  it('of a list is divided at the chosen separator, or is read as the list that it is', () => {
    const member = fc.stringMatching(/^[a-zé7]{1,9}$/u);
    fc.assert(
      fc.property(fc.array(member, { minLength: 1 }), fc.constantFrom(',', ';', '|'), (members, separator) => {
        const { read, expected } = fieldValueReader('list', { separator });
        for (const text of [
          members.join(`${separator} `),
          ` ${members.join(separator)}${separator}`,
          JSON.stringify(members),
        ])
          expect(read(text)).toEqual(members);
        expect(expected).toContain(separator === ',' ? 'commas' : `"${separator}"`);
      }),
    );
  });
});
