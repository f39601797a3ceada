import { expect } from '@open-wc/testing';
import fc from 'fast-check';
import { readSubmission } from '@newsletter-kit/core/endpoint';
import { isAddress, type Submission } from '@newsletter-kit/core/signup';
import { english } from '../src/messages.ts';
import { composeBody, readValues } from '../src/submission.ts';

/** Reads a form with this text in a field of this kind: its problem, or the value that an endpoint receives. */
function arriving(
  kind: string,
  text: string,
): { readonly problem: string | undefined; readonly submission: Submission | undefined } {
  const form = document.createElement('form');
  form.innerHTML = `<input name="email" value="ada@example.com"><input name="custom_fields[Field]" data-kind="${kind}">`;
  const input = form.querySelector<HTMLInputElement>('[data-kind]');
  if (input) input.value = text;
  const { values, problems } = readValues(form);
  const read = readSubmission(JSON.parse(composeBody(values, {}) ?? 'null'));
  return {
    problem: problems.get('custom_fields[Field]')?.(english),
    submission: read.ok ? read.submission : undefined,
  };
}

describe('a number that is 1234 in one language and 1.234 in another', () => {
  for (const [lang, type, text, expected] of [
    ['en', 'text', '1.234', 1.234],
    ['en', 'text', '1,234', undefined],
    ['de-AT', 'text', '1,234', 1.234],
    ['de-AT', 'text', '1.234', undefined],
    ['de-AT', 'text', '0.123', 0.123],
    ['no language', 'text', '1.234', undefined],
    ['no language', 'text', '1,234', undefined],
    ['no language', 'text', '42', 42],
    ['de', 'text', '42', 42],
    ['de-AT', 'hidden', '1.234', 1.234],
    ['de-AT', 'number', '1.234', 1.234],
  ] as const)
    it(`${text}, in a field of the type ${type} in the language ${lang}, is ${expected ?? 'asked for again'}`, () => {
      const form = document.createElement('form');
      form.lang = lang;
      form.innerHTML = `<input type="${type}" name="custom_fields[Field]" data-kind="double" value="${text}">`;
      const { values, problems } = readValues(form);
      expect(problems.size).to.equal(expected === undefined ? 1 : 0);
      expect(values['custom_fields']).to.deep.equal(expected && [{ name: 'Field', value: expected }]);
    });
});

const value = (kind: string, text: string): unknown => arriving(kind, text).submission?.custom_fields?.[0]?.value;

const runs = { numRuns: 300 };

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

  it('of kind integer is sent unchanged', () => {
    fc.assert(
      fc.property(fc.integer(), (number) => {
        expect(value('integer', String(number))).to.equal(number);
      }),
      runs,
    );
  });

  it('of kind double is sent unchanged, with a point or a comma', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -1e9, max: 1e9 }),
        fc.integer({ min: 0, max: 99 }),
        fc.constantFrom('.', ','),
        (whole, cents, sign) => {
          const decimals = String(cents).padStart(2, '0');
          expect(value('double', `${whole}${sign}${decimals}`)).to.equal(Number(`${whole}.${decimals}`));
        },
      ),
      runs,
    );
  });

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

  it('that is an email address is valid here if it is valid at the endpoint', () => {
    fc.assert(
      fc.property(fc.oneof(fc.emailAddress(), fc.string({ unit: 'grapheme' })), (text) => {
        const form = document.createElement('form');
        form.innerHTML = '<input name="email">';
        form.querySelectorAll('input').forEach((input) => (input.value = text));
        const { values, problems } = readValues(form);
        expect(problems.size === 0).to.equal(readSubmission(values).ok);
        if (isAddress(text)) expect(values['email']).to.equal(text);
      }),
      runs,
    );
  });
});
