/** The parameters of a page's address, and the cleaning of their values. */
import { cleanText, textLimit } from './submission.ts';

/** Words that stand for no value, in Google Analytics and in scripts that found none. */
const emptyWord = /^(?:\((?:direct|none|not set)\)|null|undefined)$/i;

/**
 * Placeholders that a platform should have replaced: `{campaignid}`, `{{ad.name}}`, `${…}`, `%%SITE%%`,
 * `__CAMPAIGN_NAME__`, and as a whole value `%epid!`, whose `%ea` and the like are decoded to U+FFFD.
 */
const placeholder = /\$?\{[^}]{0,100}\}+|%%\w+%%|__[A-Z\d_]+__|^[%\uFFFD][\w=]+!;?$/g;

/** A part of a value that can be an address. */
const word = /[^\s,;:|/\\<>()"]+/g;

/** An e-mail address: a sign on both sides of the `@`, which may be encoded twice. */
const addressLike = /.(?:[@＠﹫]|%(?:25)*40)./i;

/**
 * A telephone number: `+` or `00` and 8 to 14 digits, or 9 to 12 digits from 0 on. Dates, and ids that do not begin with
 * 0, are none.
 */
const telephone =
  /(^|[^A-Za-z\d])(?:(?:\+|00)[1-9](?:[\s()/.-]{0,2}\d){7,13}|\(?0[1-9]\d(?:[\s()/.-]{0,2}\d){6,9})(?![A-Za-z\d]|[.-]\d)/g;

/** Separators at both ends, which a removal leaves behind. */
const looseEnds = /^[\s,;:|/_.-]{1,9}|[\s,;:|/_.-]{1,9}$/g;

/**
 * Cleans a text, and removes placeholders, e-mail addresses and telephone numbers from it: a link that is passed on can
 * carry those of another person. Empty where nothing, or a word for nothing, is left.
 *
 * @example `cleanValue('spring-{campaignid}')` → `'spring'`
 */
export function cleanValue(text: string): string {
  let value = cleanText(text, 4 * textLimit);
  for (let before = ''; before !== value;) {
    before = value;
    const rest = value
      .replace(word, (each) => (addressLike.test(each) ? '' : each))
      .replace(telephone, '$1')
      .replace(placeholder, '');
    if (rest !== value) value = rest.replace(looseEnds, '');
  }
  return emptyWord.test(value) ? '' : cleanText(value);
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
