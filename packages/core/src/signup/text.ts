/** Cleans a text that came from an address bar or a stranger's form. It is data, not markup: nothing is HTML-encoded here. */

/** Longest value of one attribution parameter or text field, in code points. */
export const textLimit = 500;

// Control characters, invisible separators and bidirectional overrides. U+200D (joins emoji) and U+200C (Persian) stay.
// oxlint-disable-next-line no-control-regex -- the control characters are the point
const unwanted = /[\u0000-\u001F\u007F-\u009F\u200B\u200E\u200F\u202A-\u202E\u2060\u2066-\u2069\uFEFF]/g;

/**
 * Composes (NFC), removes control, invisible and direction-override characters, trims, and cuts to `limit` code points
 * without splitting one.
 */
export function cleanText(text: string, limit: number = textLimit): string {
  const clean = text.normalize('NFC').replace(unwanted, '').trim();
  return clean.length <= limit ? clean : [...clean].slice(0, limit).join('').trim();
}
