/**
 * Cleans a text that came from an address bar or a stranger's form. It is data, not markup: nothing is HTML-encoded
 * here.
 */

/** Longest value of one attribution parameter or text field, in code points. */
export const textLimit = 500;

/**
 * Composes (NFC), removes control, invisible and direction-override characters, trims, and cuts to `limit` code points
 * without splitting one.
 *
 * @param keepsLines - keeps line ends, each as one line feed: what was typed into a `<textarea>`
 */
export function cleanText(text: string, limit: number = textLimit, keepsLines = false): string {
  // Control characters, invisible separators and bidirectional overrides. U+200D (joins emoji) and U+200C (Persian)
  // stay. Written where it is used: browsers take their time to read a pattern with properties, and a page without a
  // text never needs it.
  const clean = text
    .normalize('NFC')
    .replace(/\r\n?/g, '\n')
    .replace(/[\p{Cc}\p{Bidi_C}\u200B\u2060\uFEFF]/gu, (sign) => (keepsLines && sign === '\n' ? sign : ''))
    .trim();
  return clean.length <= limit ? clean : [...clean].slice(0, limit).join('').trim();
}
