/** The parameters of a page's address, and the cleaning of their values. */
import { cleanText, textLimit } from './submission.ts';

/**
 * What is no value. Placeholders that a platform should have replaced: `{campaignid}`, `{{ad.name}}`, `${…}`,
 * `%%SITE%%`, `__CAMPAIGN_NAME__`. As whole values also `%epid!`, whose `%ea` is decoded to U+FFFD, and the words of
 * Google Analytics and of scripts that found nothing.
 */
const noValue =
  /\$?\{[^}]{0,100}\}+|%%\w+%%|__[A-Z\d_]+__|^(?:[%\uFFFD][\w=]+!;?|\((?:direct|none|not set)\)|null|undefined)$/g;

/** An e-mail address: a word with an `@` inside, which may be encoded twice. */
const address = /[^\s,;:|/\\<>()"]+(?:[@＠﹫]|%(?:25)*40)[^\s,;:|/\\<>()"]+/g;

/**
 * A telephone number: 7 to 14 digits after `+`, or 9 to 16 from 0 on, with separators. Dates, times, and ids that do
 * not begin with 0, are none.
 */
const telephone = /(^|[^A-Za-z\d])(?:\+|\(?00?[1-9])\d(?:[\s()/.-]{0,2}\d){6,13}(?![A-Za-z\d])/g;

/** Separators at both ends, which a removal leaves behind. */
const looseEnds = /^[\s,;:|/_.-]+|[\s,;:|/_.-]+$/g;

/** Longest value that is searched: the patterns take quadratic time. */
const searchLimit = 4 * textLimit;

/**
 * Cleans a text, and removes placeholders, e-mail addresses and telephone numbers from it: a link that is passed on can
 * carry those of another person.
 *
 * @example `cleanValue('spring-{campaignid}')` → `'spring'`
 */
export function cleanValue(text: string): string {
  const value = cleanText(text, searchLimit);
  const rest = value.replace(address, '').replace(telephone, '$1').replace(noValue, '');
  return rest === value ? value : cleanValue(rest.replace(looseEnds, ''));
}

/**
 * The parameters of an address, decoded once and cleaned, by their names in lower case: of the query, then of the
 * fragment, as in `#utm_source=fair` and `#/join?utm_source=fair`. The first value of a name counts. A link that was
 * encoded for HTML twice has `amp;` before the names.
 */
export function readParameters(url: URL | undefined): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const { search = '', hash = '' } = url ?? {};
  for (const part of [search, hash.slice(hash.indexOf('?') + 1 || 1)])
    for (const [key, value] of new URLSearchParams(part)) {
      const name = key.replace(/^.*;/, '').toLowerCase();
      if (!found.get(name)) found.set(name, cleanValue(value));
    }
  return found;
}
