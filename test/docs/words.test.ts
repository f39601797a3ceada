/** The documentation stays short enough to be read. */
import { expect, it } from 'vitest';
import { wordsOf } from '../../scripts/lines-and-words.ts';
import { countedPages, mostWords } from './words.ts';

it('counts text, lists and tables, and neither code nor what a test writes', () => {
  const page =
    '---\ntitle: A title\n---\n\nTwo [words](https://example.com/a/b).\n\n- one\n\n| A | cell |\n|---|---|\n\n```sh\nnpm start\n```\n\n<!-- rows -->\n\ngenerated text\n\n<!-- /rows -->\n';
  expect(wordsOf(page)).toBe(5);
});

it(`has at most ${mostWords} words that people wrote for readers`, () => {
  const pages = countedPages();
  const words = pages.reduce((sum, [, each]) => sum + each, 0);
  expect(words, `The longest: ${pages.slice(0, 10).join('; ')}`).toBeLessThanOrEqual(mostWords);
  // A limit far above the pages would let them grow unseen.
  expect(words).toBeGreaterThan(mostWords - 1500);
});
