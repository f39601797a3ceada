import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { operation } from '../../src/contract/index.ts';
import { readSubmission } from '../../src/endpoint/index.ts';
import { attributionFields, honeypotField } from '../../src/signup/index.ts';

const codes = (input: unknown): readonly string[] => {
  const read = readSubmission(input);
  return read.ok ? [] : read.errors.map(({ code }) => code);
};

describe('readSubmission', () => {
  it('keeps the fields that a page may send, cleaned', () => {
    expect(
      readSubmission({
        email: ' Ada+News@BÜCHER.example ',
        utm_campaign: ' Frühling 🎉 ',
        referring_site: 'https://news.example',
        referral_code: 'gBZbSVal1X',
        consent: true,
        custom_fields: [
          { name: 'Topics', value: ['ai', ' design '] },
          { name: 'Birthday', value: '1815-12-10' },
          { name: 'Children', value: 3 },
          { name: 'Vegetarian', value: false },
        ],
      }),
    ).toEqual({
      ok: true,
      suspected: false,
      submission: {
        email: 'Ada+News@bücher.example',
        utm_campaign: 'Frühling 🎉',
        referring_site: 'https://news.example',
        referral_code: 'gBZbSVal1X',
        consent: true,
        custom_fields: [
          { name: 'Topics', value: ['ai', 'design'] },
          { name: 'Birthday', value: '1815-12-10' },
          { name: 'Children', value: 3 },
          { name: 'Vegetarian', value: false },
        ],
      },
    });
  });

  it('reads what the browser posts of a visit, and cleans it', () => {
    expect(
      readSubmission({
        email: 'ada@example.com',
        utm_source: '{{site}}',
        utm_campaign: 'spring-bob@example.com',
        utm_term: '*|TERM|*',
        ref: 'gBZbSVal1X',
        referrer: 'android-app://com.google.android.gm/',
      }),
    ).toEqual({
      ok: true,
      suspected: false,
      submission: {
        email: 'ada@example.com',
        utm_source: 'gBZbSVal1X',
        referring_site: 'android-app://com.google.android.gm',
        referral_code: 'gBZbSVal1X',
      },
    });
  });

  it.each([
    ['by it, where it has no source', {}, { utm_source: 'google', utm_medium: 'cpc' }],
    ['by its own source', { utm_source: 'fair' }, { utm_source: 'fair' }],
    ['by a source in ref', { ref: 'blog' }, { utm_source: 'blog' }],
  ])('names a visit whose address has a click id %s', (_, sent, attribution) => {
    const read = readSubmission({ email: 'ada@example.com', parameters: 'p GCLID utm_term', ...sent });
    expect(read).toMatchObject({ submission: { email: 'ada@example.com', ...attribution } });
    expect(Object.keys(read.ok ? read.submission : {})).toHaveLength(1 + Object.keys(attribution).length);
  });

  it.each([
    ['a ticked box', true, true],
    ['an unticked box', false, false],
    ['the sentence agreed to', ' Send me news. ', 'Send me news.'],
    ['nothing', '', undefined],
  ])('records consent as %s', (_, consent, kept) => {
    expect(readSubmission({ email: 'ada@example.com', consent })).toEqual({
      ok: true,
      suspected: false,
      submission: { email: 'ada@example.com', ...(kept !== undefined && { consent: kept }) },
    });
  });

  it('drops every privileged field', () => {
    const open = new Set<string>(['email', 'custom_fields', ...attributionFields]);
    const privileged = operation('subscriptions.create').body.fields.filter((name) => !open.has(name));
    expect(privileged.length).toBeGreaterThan(8);
    const read = readSubmission({
      email: 'ada@example.com',
      ...Object.fromEntries(privileged.map((name) => [name, 'on'])),
    });
    expect(read).toEqual({ ok: true, suspected: false, submission: { email: 'ada@example.com' } });
  });

  it('leaves out empty values', () => {
    const read = readSubmission({
      email: 'ada@example.com',
      utm_source: '',
      utm_medium: null,
      token: null,
      custom_fields: [
        { name: 'First name', value: ' ' },
        { name: 'Topics', value: [] },
        { name: 'City', value: null },
      ],
    });
    expect(read).toStrictEqual({ ok: true, suspected: false, submission: { email: 'ada@example.com' } });
  });

  it('marks a signup with a filled honeypot as suspected', () => {
    expect(readSubmission({ email: 'ada@example.com', [honeypotField]: 'x' })).toMatchObject({
      ok: true,
      suspected: true,
    });
    expect(readSubmission({ email: 'ada@example.com', [honeypotField]: '' })).toMatchObject({
      ok: true,
      suspected: false,
    });
  });

  test.each<[string, unknown, readonly string[]]>([
    ['no object', 'ada@example.com', ['INVALID_BODY']],
    ['a list', [], ['INVALID_BODY']],
    ['null', null, ['INVALID_BODY']],
    ['no address', {}, ['EMAIL_REQUIRED']],
    ['an address of blanks', { email: '  ' }, ['EMAIL_REQUIRED']],
    ['an address that is a number', { email: 7 }, ['EMAIL_REQUIRED']],
    ['an invalid address', { email: 'ada' }, ['EMAIL_INVALID']],
    ['a parameter that is no text', { email: 'a@b.co', utm_source: 7 }, ['INVALID_FIELD']],
    [
      'several at once',
      { email: 'ada', utm_source: {}, custom_fields: {} },
      ['INVALID_FIELD', 'INVALID_FIELD', 'EMAIL_INVALID'],
    ],
    ['a custom field without a name', { email: 'a@b.co', custom_fields: [{ value: 'x' }] }, ['INVALID_FIELD']],
  ])('rejects %s', (_name, input, expected) => {
    expect([...codes(input)].sort()).toEqual([...expected].sort());
  });

  it('says what to correct, for visitors and for authors of pages', () => {
    const messages = (input: unknown): readonly string[] => {
      const read = readSubmission(input);
      return read.ok ? [] : read.errors.map(({ message }) => message);
    };
    expect(messages([])).toEqual(['The body must be a JSON object with at least "email".']);
    expect(messages({})).toEqual(['Enter an e-mail address.']);
    expect(messages({ email: 'ada', utm_source: 7 })).toEqual([
      'Enter an e-mail address such as name@example.com.',
      '"utm_source" must be a text.',
    ]);
    const email = 'ada@example.com';
    const field = 'Each custom field needs a name and a value: text, number, yes/no or list of texts.';
    expect(messages({ email, custom_fields: {} })).toEqual([
      '"custom_fields" must be a list of at most 50 {name, value}.',
    ]);
    expect(messages({ email, custom_fields: ['x', { name: 'Age', value: Number.NaN }] })).toEqual([field, field]);
  });

  it('never throws and never keeps an unknown field', () => {
    const allowed = new Set(['email', ...attributionFields, 'custom_fields', 'consent', 'token', 'proof']);
    fc.assert(
      fc.property(
        fc.oneof(
          fc.anything(),
          fc
            .record({ email: fc.emailAddress() })
            .chain((base) => fc.dictionary(fc.string(), fc.anything()).map((more) => ({ ...more, ...base }))),
        ),
        (input) => {
          const read = readSubmission(input);
          if (read.ok) expect(Object.keys(read.submission).filter((name) => !allowed.has(name))).toEqual([]);
          else expect(read.errors.length).toBeGreaterThan(0);
        },
      ),
    );
  });
});

describe('custom fields', () => {
  const email = 'ada@example.com';
  const fieldsOf = (custom_fields: unknown): unknown => {
    const read = readSubmission({ email, custom_fields });
    return read.ok ? read.submission.custom_fields : read.errors.map(({ code }) => code);
  };
  const named = (value: unknown): unknown => fieldsOf([{ name: 'Topics', value }]);
  const field = (value: unknown): unknown => [{ name: 'Topics', value }];

  it.each([
    ['a text of 2000 characters', 'x'.repeat(2000), field('x'.repeat(2000))],
    ['a text of 2001 characters, cut', 'x'.repeat(2001), field('x'.repeat(2000))],
    ['the lines of a text', 'one\r\ntwo', field('one\ntwo')],
    ['a number', 0, field(0)],
    ['false', false, field(false)],
    ['the texts of a list', [' a ', '', 'b'], field(['a', 'b'])],
    ['50 texts', Array.from({ length: 50 }, () => 'a'), field(Array.from({ length: 50 }, () => 'a'))],
    ['nothing of an empty text', '', undefined],
    ['nothing of null', null, undefined],
    ['nothing of a list of empty texts', ['', ' '], undefined],
  ])('accept %s', (_, value, expected) => {
    expect(named(value)).toEqual(expected);
  });

  it.each([
    ['51 texts', Array.from({ length: 51 }, () => 'a')],
    ['a list with a number', ['a', 1]],
    ['an object', { a: 1 }],
    ['an infinite number', Number.POSITIVE_INFINITY],
    ['a missing value', undefined],
  ])('reject %s', (_, value) => {
    expect(named(value)).toEqual(['INVALID_FIELD']);
  });

  it('are at most 50', () => {
    const many = (length: number): unknown => Array.from({ length }, (_, n) => ({ name: `Field ${n}`, value: n }));
    expect(fieldsOf(many(50))).toHaveLength(50);
    expect(fieldsOf(many(51))).toEqual(['INVALID_FIELD']);
    expect([fieldsOf(null), fieldsOf(undefined), fieldsOf('text')]).toEqual([undefined, undefined, ['INVALID_FIELD']]);
  });
});
