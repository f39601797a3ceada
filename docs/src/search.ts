/**
 * The search of the site. Pagefind finds the pages that have every word of a query; here, pages that have some of them
 * count too. The score of a page is the sum of its scores for all words together and for each word alone. Pagefind
 * scores a rare word higher than a common one: the rarest decide where few pages have all, and no list names words
 * that mean nothing. `generate.ts` writes the script that browsers load, without its types.
 */
import * as pagefind from './pagefind/pagefind.js?all-words';
import type { Found, Result } from './pagefind/pagefind.js?all-words';

export * from './pagefind/pagefind.js?all-words';

/** Results below this part of the best one are left out. */
const least = 0.1;

/** Takes the place of Pagefind's `search` in its user interface. */
export async function search(query: string | null, options?: object): Promise<Found> {
  const whole = await pagefind.search(query, options);
  const words = [...new Set(query?.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}._/-]*/gu))];
  if (words.length === 0) return whole;
  const single = await Promise.all(words.map((word) => ofWord(word, options)));
  const results = merge(words.length === 1 ? single : [whole.results, ...single]);
  return { ...whole, results, unfilteredResultCount: results.length };
}

/** The pages that have a word; of a word that none has, such as a misspelt one, those that have its beginning. */
async function ofWord(word: string, options?: object): Promise<readonly Result[]> {
  for (let letters = word.length; letters > 0; letters = letters > 4 ? letters - 1 : 0) {
    const { results } = await pagefind.search(word.slice(0, letters), options);
    if (results.length > 0) return results;
  }
  return [];
}

/** Adds the scores of each page. It is shown with the excerpt for the words that contribute most. */
function merge(lists: readonly (readonly Result[])[]): Result[] {
  const pages = new Map<string, { readonly score: number; readonly best: Result }>();
  for (const result of lists.flat()) {
    const { score = 0, best = result } = pages.get(result.id) ?? {};
    pages.set(result.id, { score: score + result.score, best: result.score > best.score ? result : best });
  }
  const sorted = [...pages.values()].toSorted((a, b) => b.score - a.score);
  const bound = least * (sorted[0]?.score ?? 0);
  return sorted.filter(({ score }) => score >= bound).map(({ score, best }) => Object.assign(best, { score }));
}
