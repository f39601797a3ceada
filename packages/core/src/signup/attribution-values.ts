/** The parameters of a page's address, and the cleaning of their values. */
import { cleanText, textLimit } from './submission.ts';

/** Signs around the name of a placeholder. Quotes, hyphens, underscores and round brackets enclose real words too. */
const sign = '[#$%&*@^|~!?]';
const name = '[\\w .:=-]+';

/**
 * What is no value. Anywhere in a text: everything in braces, as in `{campaignid}`, `${…}` and `{{ ${…} }}`, a name
 * between two mirrored signs on each side, as in `*|NAME|*`, `%%NAME%%`, `[[name]]` and `<%= name %>`, and `__NAME__`.
 * As a whole value also names between single ones, `%epid!`, and the words of Google Analytics and of scripts that
 * found nothing. Bars and single signs separate words: `a||b||c`, `[DE] Brand`.
 */
const noValue = new RegExp(
  [
    '[$#@%]?\\{(?:\\{.{0,100}?\\}|[^}]{0,100})\\}+',
    `(?!\\|\\|)(${sign})(${sign})${name}\\2\\1`,
    `[<[](?:${sign}|[<[])${name}(?:${sign}|[>\\]])[>\\]]`,
    '__[A-Z\\d_]+__',
    `^(?:(?:(${sign})${name}\\3[_.|-]?)+|[<[]${name}[>\\]]|%[\\w=]+!;?)$`,
    '^(?:\\((?:direct|none|(?:data )?not \\w+)\\)|null|undefined)$',
  ].join('|'),
  'g',
);

/** An e-mail address: a word with an `@` inside, which may be encoded twice, and a dot before the last word. */
const address = /[^\s,;:|/\\<>()"]+(?:[@＠﹫]|%(?:25)*40)[^\s,;:|/\\<>()"]+[.。｡](?!\d)[^\s,;:|/\\<>()"]+/g;

/** Separators at both ends, which a removal leaves behind. */
const looseEnds = /^[\s,;:|/_.-]+|[\s,;:|/_.-]+$/g;

/** Longest value that is searched: the patterns take quadratic time. */
const searchLimit = 4 * textLimit;

/**
 * Cleans a text, and removes placeholders and e-mail addresses from it: a link that is passed on can carry the address
 * of another person.
 *
 * @example `cleanValue('spring-{campaignid}')` → `'spring'`
 */
export function cleanValue(text: string): string {
  const value = cleanText(text, searchLimit);
  const rest = value.replace(address, '').replace(noValue, '');
  return rest === value ? value : cleanValue(rest.replace(looseEnds, ''));
}

/** What begins a parameter: also a second `?`, one that was encoded by mistake, and an `&` without a `?` before it. */
const separator = /#|(?:[?&]|%3F)(?=[^=&?#]*=)/i;

/**
 * The parameters of an address, decoded once and cleaned, by their names in lower case: of the query, then of the
 * fragment, as in `#utm_source=fair` and `#/join?utm_source=fair`. The first value of a name counts. A link that was
 * encoded for HTML twice has `amp;` before the names; one that was encoded as a whole has no `=` but `%3D`.
 */
export function readParameters(url: URL | undefined): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const decoded = url?.href.replace(/^[^=]+$/, (address) => address.replace(/%3D|%26/gi, decodeURIComponent));
  for (const part of decoded?.split(separator) ?? [])
    for (const [key, value] of new URLSearchParams(part.replaceAll(/(?:%[\da-f]{2})+/gi, decodable))) {
      const name = key.replace(/^.*;/, '').toLowerCase();
      if (!found.get(name)) found.set(name, cleanValue(value));
    }
  return found;
}

/** Percent signs that encode no character stay: that of `%CAMPAIGN%` begins a placeholder. */
function decodable(bytes: string): string {
  try {
    decodeURIComponent(bytes);
    return bytes;
  } catch {
    return bytes.replaceAll('%', '%25');
  }
}
