/** Figures on pages agree with the last complete run of the bench. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/root.ts';
import { quotesFigures, wrongFigures, type Quotable } from './figures.ts';
import { documentationPages } from './pages.ts';

const { results } = JSON.parse(readFileSync(join(root, 'docs/src/data/benchmarks.json'), 'utf8')) as {
  readonly results: readonly Quotable[];
};
const pages = documentationPages()
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
  .filter(({ text }) => quotesFigures(text));

describe('the figures', () => {
  it.each(pages)('of $path are those of the bench', ({ text }) => {
    expect(wrongFigures(text, results)).toEqual([]);
  });

  it('are quoted by the pages about cost', () => {
    expect(pages.map(({ path }) => path)).toEqual(
      expect.arrayContaining(
        ['comparison', 'client/advanced', 'operate/scale', 'decisions'].map(
          (page) => `docs/src/content/docs/${page}.md`,
        ),
      ),
    );
  });
});

describe('a quoted figure', () => {
  const some = [
    { id: 'a.rate', title: 'calls', median: 7609.7, ratios: { peer: 0.374 }, detail: 'p99 11.7 ms, 13,888 B' },
    { id: 'a.share', title: 'share', median: 0.9836, ratios: {}, detail: 'backoff 77.4 %' },
  ];
  const wrong = (text: string) => wrongFigures(text, some);

  it.each([
    'It takes <!-- figures: a.rate --> 7,600 calls, 0.37 of the peer, within 12 ms.',
    'The file has <!-- figures: a.rate -->13.9 kB<!-- /figures -->, where others have 70 kB.',
    '| A share <!-- figures: a.share --> | 98.4 % | 77 % |',
    'Node 24:\n\n<!-- figures: a.rate a.share -->\n\n| | Share |\n|---|---|\n| of 32 callers | 98.4 % |\n\nThen 5 ms.',
    'No 5 ms.\n\n<!-- figures: a.rate -->\nIt takes `v24` [11.7 ms](0002-x.md).',
  ])('agrees where it is rounded, in another unit or outside: %s', (text) => {
    expect(wrong(text)).toEqual([]);
  });

  it('is reported where it differs, is missing or has no result', () => {
    expect(wrong('It takes <!-- figures: a.rate --> 7,700 calls.')).toEqual(['7,700 is no figure of a.rate.']);
    expect(wrong('<!-- figures: a.rate -->\nIt takes 12.1 ms.')).toEqual(['12.1 is no figure of a.rate.']);
    expect(wrong('<!-- figures: a.share -->\n\n| | Share |\n|---|---|\n| all | 97 % |\n| half | 55 % |')).toEqual([
      '97 is no figure of a.share.',
      '55 is no figure of a.share.',
    ]);
    expect(wrong('It takes <!-- figures: a.rate --> long.')).toEqual(['No figure follows the comment for a.rate.']);
    for (const torn of [
      'It takes\n<!-- figures: a.rate -->7,600 calls.',
      'So.\n<!-- figures: a.rate -->\n7,600 calls.',
    ])
      expect(wrong(torn)).toEqual(['The comment for a.rate ends a paragraph: begin its line with a word.']);
    expect(wrong('It takes <!-- figures: a.gone --> 5 ms.')).toEqual(['benchmarks.json has no result a.gone.']);
  });
});
