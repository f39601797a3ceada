/** Numbers as people write them, with a point or a comma before the decimals. */

/** What stands before the decimals of a number. */
export type DecimalMark = '.' | ',';

/** Numbers by their decimal mark: the other mark, blanks and apostrophes divide the digits before it into groups. */
const forms: Readonly<Record<DecimalMark, { readonly written: RegExp; readonly groups: RegExp }>> = {
  '.': {
    written: /^[+-]?(?:\d{1,3}(?:[,'’\s]\d{2,3})*[,'’\s]\d{3}|\d*)(?:\.\d*)?(?:e[+-]?\d+)?$/i,
    groups: /[,'’\s]/g,
  },
  ',': {
    written: /^[+-]?(?:\d{1,3}(?:[.'’\s]\d{2,3})*[.'’\s]\d{3}|\d*)(?:,\d*)?(?:e[+-]?\d+)?$/i,
    groups: /[.'’\s]/g,
  },
};

/** Whether it can be two numbers: 1.234 is more than a thousand in half of Europe, and about one elsewhere. */
export const isAmbiguousNumber = (text: string): boolean => /^\s*[+-]?[1-9]\d{0,2}[.,]\d{3}\s*$/.test(text);

/** The decimal mark that a number shows: `12.5` and `1,234.5` the point, `12,5` and `1.234.567` the comma. */
export function decimalMarkIn(text: string): DecimalMark | undefined {
  const [first, ...others] = text.match(/[.,]/g) ?? [];
  if (first === undefined || isAmbiguousNumber(text)) return undefined;
  // The first of several divides groups.
  return (first === '.') === (others.length === 0) ? '.' : ',';
}

/**
 * A number, or the number in a text, such as `12`, `-1.5`, `2e3`, `1.234,5` or `1 234`.
 *
 * @param mark - the decimal mark of numbers that do not show theirs: that of the column, or of the language
 * @returns undefined for any other text, and without a mark for one that {@link isAmbiguousNumber}
 */
export function numberIn(value: unknown, mark?: DecimalMark): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  const text = typeof value === 'string' ? value.trim() : '';
  if (text === '' || (mark === undefined && isAmbiguousNumber(text))) return undefined;
  const { written, groups } = forms[decimalMarkIn(text) ?? mark ?? '.'];
  const number = written.test(text) ? Number(text.replaceAll(groups, '').replace(',', '.')) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}
