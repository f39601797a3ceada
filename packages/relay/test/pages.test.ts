/**
 * Every page that a visitor can come to, in every language: it has the name of the newsletter and the site's words, and
 * says nothing in another language.
 */
import { describe, expect, it } from 'vitest';
import { languages, wordsIn } from '../src/pages/words.ts';
import { runRelay } from './running-relay.ts';
import { formPages, linkPages, title } from './site-pages.ts';

/** What is read on a page, its title and the labels for those who do not see it included. */
const textOf = (html: string): string =>
  html
    .replace(/<style>.*?<\/style>|<script>.*?<\/script>|<!--.*?-->/gs, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"');

/** Sentences of a language, up to their first value. */
const sentencesIn = (lang: string): readonly string[] =>
  Object.entries(wordsIn(lang))
    .filter(([key]) => key !== 'lang')
    .map(([, text]) => text.split('{')[0] ?? '')
    .filter((text) => text.length > 8);

describe.each(languages)('in %s', (lang) => {
  it.each([
    ['around the form', formPages],
    ['behind the link of a mail', linkPages],
  ])('the pages %s are HTML with the title, in that language alone', async (_, pagesOf) => {
    const own = new Set(Object.values(wordsIn(lang)));
    const foreign = languages
      .filter((each) => each !== lang)
      .flatMap(sentencesIn)
      .filter((text) => ![...own].some((each) => each.includes(text)));
    const pages = Object.entries(await pagesOf(lang));
    for (const [name, { status, type, html }] of pages) {
      const text = textOf(html);
      expect([name, status, type]).toEqual([name, expect.any(Number), 'text/html; charset=utf-8']);
      expect([name, html]).toEqual([
        name,
        expect.stringContaining(`<html lang="${lang}" dir="${/ar|he/.test(lang) ? 'rtl' : 'ltr'}">`),
      ]);
      expect([name, text]).toEqual([name, expect.stringContaining(title)]);
      expect([name, foreign.filter((each) => text.includes(each))]).toEqual([name, []]);
      expect([name, text]).toEqual([name, expect.not.stringMatching(/\{\w+\}|undefined|null/)]);
    }
    // No two situations are told as the same.
    const told = pages.map(([, { html }]) => textOf(html));
    expect(new Set(told).size).toBeGreaterThanOrEqual(pages.length - 5);
  });
});

it('a language that nobody has translated has English words beside those of the site', async () => {
  const { form, thanks } = await formPages('eo');
  expect(form?.html).toContain('<html lang="eo" dir="ltr">');
  expect(thanks?.html).toContain('<html lang="en" dir="ltr">');
  expect(thanks?.html).toContain(wordsIn('en').received);
});

it('a language has its words by its newer code too, and in any case', () => {
  for (const tag of ['iw', 'HE', 'he-IL']) expect([tag, wordsIn(tag).lang]).toEqual([tag, 'he']);
  expect(wordsIn('zh-Hant-HK').lang).toBe('zh');
});

it.each(['constructor', '__proto__', 'nope'])('there are no thanks for a form %s', async (name) => {
  const relay = runRelay();
  expect((await relay.fetch(new Request(`http://relay.example/thanks/${name}`))).status).toBe(404);
});

it('every language has every sentence, with the same values', () => {
  const valuesIn = (text: string): readonly string[] => (text.match(/\{\w+\}/g) ?? []).toSorted();
  const english = wordsIn('en');
  for (const lang of languages)
    for (const [key, text] of Object.entries(wordsIn(lang))) {
      expect([lang, key, text]).toEqual([lang, key, expect.stringMatching(/\p{L}/u)]);
      expect([lang, key, valuesIn(text)]).toEqual([lang, key, valuesIn(english[key as keyof typeof english])]);
    }
});
