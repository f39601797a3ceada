/** What the consent of a form says, by no vocabulary but yes and no. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { consentOf, withoutAddresses, yesOrNo } from '../../src/facts/index.ts';
import { readSubmission } from '../../src/endpoint/index.ts';
import { partsOfLabel } from '../../src/signup/index.ts';
import { refusals } from '../../../../test/support/refusals.ts';

const sentence = 'I agree to the rules, and get mails.';

/** Reads what an endpoint makes of the posted text. */
function consentIn(consent: unknown, sentences: readonly string[] = []): ReturnType<typeof consentOf> {
  const read = readSubmission({ email: 'ada@example.com', consent });
  return consentOf(read.ok ? read.submission.consent : undefined, sentences);
}

describe('a refusal', () => {
  it('in any language is never a yes', () => {
    expect(refusals.length).toBeGreaterThanOrEqual(60);
    for (const sentences of [[], [sentence]])
      expect(refusals.filter((words) => consentIn(words, sentences).given === true)).toEqual([]);
  });

  it('is no yes whatever the text, unless it is one or is named', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (words) => {
        const { given } = consentIn(words, [sentence]);
        if (given) expect(yesOrNo(words.replace(/[^\p{L}\p{N}✓]/gu, ''))).toBe(true);
      }),
    );
  });
});

describe('a consent', () => {
  it.each([
    [true, true],
    ['on', true],
    ['YES', true],
    ['1', true],
    ['&nbsp;yes', true],
    [false, false],
    [undefined, false],
    ['', false],
    ['0', false],
    ['off', false],
    ['No', false],
    ['&nbsp;', false],
    ['<br>', false],
  ])('of %j is %j, also beside named sentences', (sent, given) => {
    for (const sentences of [[], [sentence]]) expect(consentIn(sent, sentences)).toEqual({ given, sentence: null });
  });

  it('of a text that nobody has named is neither, and keeps the words', () => {
    expect(consentIn(sentence)).toEqual({ given: null, sentence });
    expect(consentIn('I  agree.\n', [sentence])).toEqual({ given: null, sentence: 'I agree.' });
  });

  it.each([
    ['as it is', sentence],
    ['with blanks of no width and no break', '\u200BI\u00A0agree\u202Fto the rules, and get\u00ADmails.\uFEFF'],
    ['in lines', 'I agree\r\n   to the rules,\n\tand get mails.'],
    ['without the blank of a line break in HTML', 'I agree tothe rules, and get mails.'],
    ['as HTML', '<span>I agree to&nbsp;<a href="/rules" title="[x]">the rules</a>,<br/>and get mails.</span>'],
    ['with entities', 'I&#32;agree to the rules&#x2c; and&nbsp;get mails.'],
    ['with the brackets of a link', 'I agree to [the rules], and get mails.'],
    ['with the addresses of links', 'I agree to [the rules](/rules), and [get mails](https://a.example/m?x=1).'],
    ['with the mark of a required field', 'I agree to the rules, and get mails. *'],
  ])('is a named sentence %s, whether it is sent or named so', (_case, other) => {
    expect(consentIn(other, ['Another.', sentence])).toEqual({ given: true, sentence });
    expect(consentIn(sentence, [other, 'Another.']).given).toBe(true);
    expect(consentIn(other, [other]).given).toBe(true);
  });

  it('is the label that people read, whatever brackets it has', () => {
    const piece = fc.oneof(
      fc.constantFrom('[', ']', '](', ')', '](/a)', '<b>', '&amp;', ' ', '\n'),
      fc.string({ unit: 'grapheme' }),
    );
    const labels = fc.array(piece, { minLength: 1, maxLength: 12 }).map((pieces) => `Yes, I agree: ${pieces.join('')}`);
    fc.assert(
      fc.property(labels, (label) => {
        const shown = partsOfLabel(label)
          .map(({ text }) => text)
          .join('');
        expect(consentIn(shown, [label]).given).toBe(true);
      }),
      { numRuns: 10_000, seed: 63 },
    );
  });

  it('is composed alike, and keeps an unknown entity on both sides', () => {
    expect(consentIn('Ich bestätige'.normalize('NFD'), ['Ich bestätige']).given).toBe(true);
    expect(consentIn('Ich best&auml;tige', ['Ich best&auml;tige']).given).toBe(true);
    expect(consentIn('&#9999999; R&D;', ['&#9999999; R&D;']).given).toBe(true);
  });

  it.each([sentence.toUpperCase(), sentence.replace('agree', 'do not agree'), 'I agree', `${sentence} Not!`, '…'])(
    'is not the named sentence in %j',
    (other) => expect(consentIn(other, [sentence])).toEqual({ given: null, sentence: other }),
  );
});

it('leaves out what may be an address', () => {
  expect(withoutAddresses('Mail ada@example.com, or bob＠example.com: yes')).toBe('Mail … or … yes');
});
