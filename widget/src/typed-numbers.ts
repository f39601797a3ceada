/** Reads numbers as people type them. Loaded with the first submission of a form that has a field for them. */
import { numberIn, type DecimalMark } from '@newsletter-kit/core/signup';
import { languageOf } from './messages.ts';

/**
 * The number in a text. One that can be two, such as 1.234, is read as in the language of the element; undefined where
 * its point or comma means nothing there, as for a text that is no number.
 */
export function readNumber(text: string, element: Element): number | undefined {
  return numberIn(text, decimalMarkOf(text, languageOf(element)));
}

function decimalMarkOf(text: string, language: string): DecimalMark | undefined {
  try {
    const format = new Intl.NumberFormat(language.replace('_', '-'), { numberingSystem: 'latn' });
    const sign = /[.,]/.exec(text)?.[0];
    const type = format.formatToParts(12_345.6).find(({ value }) => value === sign)?.type;
    return type && ((type === 'decimal') === (sign === '.') ? '.' : ',');
  } catch {
    // No language.
    return undefined;
  }
}
