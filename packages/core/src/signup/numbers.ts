/** Numbers as people write them, in the digits of any script, with a point or a comma before the decimals. */
import { withUsualSigns } from './address.ts';

/** What stands before the decimals of a number. */
export type DecimalMark = '.' | ',';

/** With an apostrophe between groups of digits, and a point before decimals. */
const usual = /^[+-]?(?:\d{1,3}(?:'\d{2,3})*'\d{3}|\d*)(?:\.\d*)?(?:e[+-]?\d+)?$/i;

/** Whether it can be two numbers: 1.234 is more than a thousand in half of Europe, and about one elsewhere. */
export const isAmbiguousNumber = (text: string): boolean => /^\s*[+-]?[1-9]\d{0,2}[.,]\d{3}\s*$/.test(plain(text));

/** The decimal mark that a number shows: `12.5` and `1,234.5` the point, `12,5` and `1.234.567` the comma. */
export function decimalMarkIn(text: string): DecimalMark | undefined {
  const [first, ...others] = plain(text).match(/[.,]/g) ?? [];
  if (first === undefined || isAmbiguousNumber(text)) return undefined;
  // The first of several divides groups.
  return (first === '.') === (others.length === 0) ? '.' : ',';
}

/**
 * A number, or the number in a text, such as `12`, `-1.5`, `2e3`, `1.234,5`, `1 234` or `١٢٫٥`.
 *
 * @param mark - the decimal mark of numbers that do not show theirs: that of the column, or of the language
 * @returns undefined for any other text, and without a mark for one that {@link isAmbiguousNumber}
 */
export function numberIn(value: unknown, mark?: DecimalMark): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  const text = typeof value === 'string' ? plain(value).trim() : '';
  if (text === '' || (mark === undefined && isAmbiguousNumber(text))) return undefined;
  // The other mark, blanks and apostrophes divide the digits before the decimals into groups.
  const groups = (decimalMarkIn(text) ?? mark) === ',' ? /[.’\s]/g : /[,’\s]/g;
  const written = text.replaceAll(groups, "'").replace(',', '.');
  const number = usual.test(written) ? Number(written.replaceAll("'", '')) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

/** A number with the digits 0 to 9 and the usual signs. */
function plain(text: string): string {
  if (/^[ -~]*$/.test(text)) return text;
  return (
    withUsualSigns(text)
      .replaceAll(/\p{Nd}/gu, digitOf)
      .replace('−', '-')
      .replaceAll('٬', "'")
      // The Arabic mark is before decimals only: one more shows it.
      .replace(/٫(\d+)$/, (_, decimals: string) => `.${decimals}0`)
  );
}

/** The value of a decimal digit: Unicode has those of each script from zero to nine in a row. */
function digitOf(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let before = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(before - 1))) before -= 1;
  return String((code - before) % 10);
}
