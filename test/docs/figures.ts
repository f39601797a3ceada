/**
 * Measured figures that a page quotes. A comment `<!-- figures: ID ID -->` names their results in `benchmarks.json`. It
 * covers the rest of its line, up to `<!-- /figures -->`. Alone on a line it covers the paragraph or table below,
 * without the first column of a table.
 */
import type { Result } from '../bench/report.ts';

/** What a page can quote of a result. */
export type Quotable = Pick<Result, 'id' | 'title' | 'median' | 'ratios' | 'detail'>;

const marker = /<!-- figures: ([\w./ -]+?) -->/g;

/** Whether a page quotes figures. */
export const quotesFigures = (page: string): boolean => page.search(marker) >= 0;

/** What is wrong with the figures of a page, a sentence each. */
export function wrongFigures(page: string, results: readonly Quotable[]): string[] {
  return [...page.matchAll(marker)].flatMap(({ 0: comment, 1: names = '', index }) => {
    const ids = names.split(' ');
    const unknown = ids.filter((id) => !results.some((result) => result.id === id));
    if (unknown.length > 0) return [`benchmarks.json has no result ${unknown.join(', ')}.`];
    const measured = results.filter(({ id }) => ids.includes(id)).flatMap(numbersOf);
    const quoted = numbersIn(covered(page, index, comment.length));
    if (tearsParagraph(page.slice(0, index), page.slice(index + comment.length)))
      return [`The comment for ${names} ends a paragraph: begin its line with a word.`];
    if (quoted.length === 0) return [`No figure follows the comment for ${names}.`];
    return quoted
      .filter((figure) => !measured.some((number) => agrees(figure, number)))
      .map((figure) => `${figure} is no figure of ${names}.`);
  });
}

/** Markdown takes a line that begins with a comment out of its paragraph. */
const tearsParagraph = (before: string, after: string): boolean =>
  /(?:^|\n)$/.test(before) && (/[^\n]\n$/.test(before) || /^[^\n]/.test(after));

/** The text that a marker covers. */
function covered(page: string, index: number, length: number): string {
  const before = page.slice(page.lastIndexOf('\n', index) + 1, index);
  const after = page.slice(index + length);
  if (before.trim() !== '' || !after.startsWith('\n')) return after.split('\n')[0]?.split('<!-- /figures -->')[0] ?? '';
  const [block = ''] = after.trimStart().split('\n\n');
  return block.replaceAll(/^\|[^|]*/gm, '');
}

/** Numbers of a text, without those of code, of addresses and of names such as `p99`. */
function numbersIn(text: string): string[] {
  const plain = text.replaceAll(/`[^`]*`|\]\([^)]*\)|<!--.*?-->/g, ' ');
  return [...plain.matchAll(/(?<![\w.,-])\d[\d,]*(?:\.\d+)?(?!\.?\d)/g)].map(([number]) => number.replace(/,$/, ''));
}

const valueOf = (number: string): number => Number(number.replaceAll(',', ''));

/** The numbers that a result states: also in another unit (ms and s, B and kB, a share and percent). */
function numbersOf({ title, median, ratios, detail }: Quotable): number[] {
  const stated = [...numbersIn(`${title}; ${detail}`).map(valueOf), median ?? [], ...Object.values(ratios)].flat();
  return stated.flatMap((number) => [number, number / 1000, number * 100]);
}

/** Whether a quoted figure is the number, rounded to its last digit; of zeros at its end, two digits may be exact. */
function agrees(figure: string, number: number): boolean {
  const [whole = '', decimals = ''] = figure.replaceAll(',', '').split('.');
  const zeros = /0*$/.exec(whole)?.[0].length ?? 0;
  const step = decimals === '' ? 10 ** Math.min(zeros, Math.max(0, whole.length - 2)) : 10 ** -decimals.length;
  return Math.abs(valueOf(figure) - number) <= step * 0.5 + 1e-9;
}
