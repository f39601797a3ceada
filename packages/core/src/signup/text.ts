/** Cleans text and parses URLs from untrusted sources: address bar, browser storage, forms. */

/** Longest value of one attribution parameter or text field, in code points. */
export const textLimit = 500;

/**
 * Composes (NFC), removes control, invisible and direction-override characters, trims, and cuts to `limit` code points
 * without splitting one.
 *
 * @param keepsLines - keeps line ends, each as one line feed: text typed into a `<textarea>`
 */
export function cleanText(text: string, limit: number = textLimit, keepsLines = false): string {
  // Control characters, invisible separators and bidirectional overrides. U+200D (joins emoji) and U+200C (Persian)
  // stay. The pattern is inside the function because browsers compile patterns with Unicode properties slowly, and a
  // page without text input never needs this one.
  const clean = text
    .normalize('NFC')
    .replace(/\r\n?/g, '\n')
    .replace(/[\p{Cc}\p{Bidi_C}\u200B\u2060\uFEFF]/gu, (sign) => (keepsLines && sign === '\n' ? sign : ''))
    .trim();
  return clean.length <= limit ? clean : [...clean].slice(0, limit).join('').trim();
}

/** Parses an absolute URL, or a relative one against `base`; undefined where it is invalid. */
export function parseUrl(url: string, base?: string): URL | undefined {
  return URL.canParse(url, base) ? new URL(url, base) : undefined;
}
