import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { cleanText, textLimit } from '../../src/signup/index.ts';

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

  it('keeps line ends where it is told to, each as one line feed', () => {
    expect(cleanText(' a\r\nb\rc\n\td\u0000 ', textLimit, true)).toBe('a\nb\nc\nd');
  });

  it('counts an emoji once and never splits one', () => {
    expect(cleanText('🎉'.repeat(textLimit))).toBe('🎉'.repeat(textLimit));
    expect(cleanText('🎉'.repeat(10), 3)).toBe('🎉🎉🎉');
  });

  it('cleaned once is clean', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 800 }),
        (text) => cleanText(cleanText(text)) === cleanText(text),
      ),
    );
  });
});
