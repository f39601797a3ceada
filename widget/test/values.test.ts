import { expect } from '@open-wc/testing';
import fc from 'fast-check';
import { readSubmission } from '@newsletter-kit/core/endpoint';
import { isAddress, type Submission } from '@newsletter-kit/core/signup';
import { english } from '../src/messages.ts';
import { readNumber } from '../src/typed-numbers.ts';
import { composeBody, readValues } from '../src/submission.ts';

const runs = { numRuns: 300 };

/** Reads a form with this text in a field of this kind: its problem, or the value that an endpoint receives. */
function arriving(
  kind: string,
  text: string,
): { readonly problem: string | undefined; readonly submission: Submission | undefined } {
  const form = document.createElement('form');
  form.innerHTML = `<input name="email" value="ada@example.com"><input name="custom_fields[Field]" data-kind="${kind}">`;
  const input = form.querySelector<HTMLInputElement>('[data-kind]');
  if (input) input.value = text;
  const { values, problems } = readValues(form, (typed) => readNumber(typed, form));
  const read = readSubmission(JSON.parse(composeBody(values, {}) ?? 'null'));
  return {
    problem: problems.get('custom_fields[Field]')?.(english),
    submission: read.ok ? read.submission : undefined,
  };
}

/** Reads a text in a field for a number, in a form of this language: the number, or the problem. */
function numberIn(lang: string, text: string, { type = 'text', kind = 'double' } = {}): unknown {
  const form = document.createElement('form');
  form.lang = lang;
  form.innerHTML = `<input name="email" value="ada@example.com"><input type="${type}" name="custom_fields[Field]" data-kind="${kind}">`;
  for (const input of form.querySelectorAll<HTMLInputElement>('[data-kind]')) input.value = text;
  const { values, problems } = readValues(form, (typed) => readNumber(typed, form));
  const [field] = (values['custom_fields'] ?? []) as readonly { readonly value: unknown }[];
  return problems.get('custom_fields[Field]')?.(english) ?? field?.value;
}

describe('a number', () => {
  for (const lang of [
    'en',
    'de',
    'es',
    'fr',
    'it',
    'nl',
    'pl',
    'pt',
    'tr',
    'he',
    'ja',
    'zh',
    'ar',
    'ar-EG',
    'hi-u-nu-deva',
  ])
    it(`typed as people of ${lang} write it is that number`, () => {
      const written = new Intl.NumberFormat(lang, { maximumFractionDigits: 3 });
      fc.assert(
        fc.property(fc.integer({ min: -1e9, max: 1e9 }), (thousandths) => {
          expect(numberIn(lang, written.format(thousandths / 1000))).to.equal(thousandths / 1000);
        }),
        runs,
      );
    });

  const asked = 'Enter a number, like 1234 / 1.2340.';
  for (const [lang, text, expected, given] of [
    ['en', '1.234', 1.234],
    ['en', '1,234', 1234],
    ['de', '1.234', 1234],
    ['de', '1,234', 1.234],
    ['pt_BR', '1.234', 1234],
    // Neither a group nor decimals begin with this sign there.
    ['fr', '1.234', asked],
    ['de-CH', '1,234', 'Enter a number, like 1234 / 1,2340.'],
    ['', '1.234', asked],
    ['no language', '1.234', asked],
    ['', '1.2340', 1.234],
    ['', '1.234.567,5', 1_234_567.5],
    ['', '0.123', 0.123],
    ['', '１，２３４．５', 1234.5],
    ['de', '1.234', 1234, { kind: 'integer' }],
    ['en', '1.234', 'Enter a whole number, like 42.', { kind: 'integer' }],
    ['', '1.234', 'Enter a whole number, like 42.', { kind: 'integer' }],
    ['ar', '٤٢', 42, { kind: 'integer' }],
    // Not typed: a point is before decimals in every language.
    ['de', '1.234', 1.234, { type: 'hidden' }],
    ['de', '1.234', 1.234, { type: 'number' }],
    ['en', '1,234', undefined, { type: 'hidden' }],
  ] as const)
    it(`${text} is ${expected} in the language "${lang}" ${JSON.stringify(given ?? {})}`, () =>
      expect(numberIn(lang, text, given)).to.equal(expected));
});

const value = (kind: string, text: string): unknown => arriving(kind, text).submission?.custom_fields?.[0]?.value;

/** Whether a value of each kind is valid. */
const types: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (found) => typeof found === 'string',
  integer: Number.isSafeInteger,
  double: Number.isFinite,
  boolean: (found) => typeof found === 'boolean',
  date: (found) => typeof found === 'string' && !Number.isNaN(Date.parse(found)),
  datetime: (found) => typeof found === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(found),
  list: (found) => Array.isArray(found) && found.every((item) => typeof item === 'string' && item),
};

const anything = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string(),
  fc.double().map(String),
  fc.constantFrom('1e5', '0x1F', 'Infinity', ' 7 ', '٣', '1,234', '__proto__', 'a|b,c', 'null'),
);

describe('a value', () => {
  for (const [kind, fits] of Object.entries(types)) {
    it(`of kind ${kind} is valid, missing or invalid, whatever was typed`, () => {
      fc.assert(
        fc.property(anything, (text) => {
          const { problem, submission } = arriving(kind, text);
          expect(submission, 'the endpoint understands it').not.to.equal(undefined);
          const [field] = submission?.custom_fields ?? [];
          if (field) expect(fits(field.value), JSON.stringify(field.value)).to.equal(true);
          else
            expect(
              problem !== undefined || !text.trim() || /^[\s\p{C}|,]*$/u.test(text),
              `"${text}" went unseen`,
            ).to.equal(true);
        }),
        runs,
      );
    });
  }

  it('of kind datetime is the same instant', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('1970-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }),
        (date) => {
          const minute = new Date(Math.floor(date.getTime() / 60_000) * 60_000);
          expect(Date.parse(String(value('datetime', minute.toISOString())))).to.equal(minute.getTime());
        },
      ),
      runs,
    );
  });

  it('of kind list is sent as separate choices', () => {
    const choice = fc.stringMatching(/^[a-zäéß漢 ]{1,20}$/).filter((text) => text.trim() !== '');
    fc.assert(
      fc.property(fc.array(choice, { minLength: 1, maxLength: 20 }), fc.constantFrom(',', '|'), (choices, sign) => {
        expect(value('list', choices.join(sign))).to.deep.equal(choices.map((text) => text.trim().normalize('NFC')));
      }),
      runs,
    );
  });

  it('that is an email address is sent as typed where the endpoint takes it, and else refused', () => {
    fc.assert(
      fc.property(fc.oneof(fc.emailAddress(), fc.string({ unit: 'grapheme' })), (text) => {
        const form = document.createElement('form');
        form.innerHTML = '<input name="email">';
        form.querySelectorAll('input').forEach((input) => (input.value = text));
        const { values, problems } = readValues(form);
        expect(problems.size === 0).to.equal(readSubmission(values).ok);
        if (isAddress(text)) expect(values['email']).to.equal(text.trim());
      }),
      runs,
    );
  });

  for (const [typed, sent] of [
    [' Ada.Lovelace@Example.COM ', 'Ada.Lovelace@Example.COM'],
    ['ａｄａ＠ｅｘａｍｐｌｅ．ｃｏｍ', 'ada@example.com'],
    ['\u200Bada@example.com\uFEFF', 'ada@example.com'],
    ['ada@BÜCHER.example', 'ada@BÜCHER.example'],
    ['ada@例え。テスト', 'ada@例え。テスト'],
    ['Zoe\u0308@example.com', 'Zoe\u0308@example.com'],
  ] as const)
    it(`that is the address ${JSON.stringify(typed)} is sent without what no address can hold`, () => {
      const form = document.createElement('form');
      form.innerHTML = '<input name="email">';
      form.querySelectorAll('input').forEach((input) => (input.value = typed));
      expect(readValues(form).values).to.deep.equal({ email: sent });
    });
});
