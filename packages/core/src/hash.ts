/**
 * A 128-bit hash of a text: MurmurHash3 (x86, 128) over its UTF-16 code units. Not for secrets. Pure.
 */

/** Four 32-bit words. */
export type Digest = readonly [number, number, number, number];

const [c1, c2, c3, c4] = [0x239b961b, 0xab0e9789, 0x38b34ae5, 0xa1e38b93];

/**
 * Hashes a text. The digest of one text as the seed of the next makes a digest of the whole sequence.
 *
 * @param seed - where the four lanes start; the reference algorithm starts all of them with one number
 */
export function hashText(text: string, seed: Digest): Digest {
  let [h1, h2, h3, h4] = seed;
  const whole = text.length - (text.length % 8);
  for (let at = 0; at < whole; at += 8) {
    h1 ^= mixed(wholePair(text, at), c1, 15, c2);
    h1 = (Math.imul(rotated(h1, 19) + h2, 5) + 0x561ccd1b) | 0;
    h2 ^= mixed(wholePair(text, at + 2), c2, 16, c3);
    h2 = (Math.imul(rotated(h2, 17) + h3, 5) + 0x0bcaa747) | 0;
    h3 ^= mixed(wholePair(text, at + 4), c3, 17, c4);
    h3 = (Math.imul(rotated(h3, 15) + h4, 5) + 0x96cd1c35) | 0;
    h4 ^= mixed(wholePair(text, at + 6), c4, 18, c1);
    h4 = (Math.imul(rotated(h4, 13) + h1, 5) + 0x32ac3b17) | 0;
  }
  // What is left; beyond the end stand zeros, and a zero mixes to zero.
  h4 ^= mixed(pair(text, whole + 6), c4, 18, c1);
  h3 ^= mixed(pair(text, whole + 4), c3, 17, c4);
  h2 ^= mixed(pair(text, whole + 2), c2, 16, c3);
  h1 ^= mixed(pair(text, whole), c1, 15, c2);

  const bytes = text.length * 2;
  h1 ^= bytes;
  h2 ^= bytes;
  h3 ^= bytes;
  h4 ^= bytes;
  // Every word is added to every other, before and after the last mixing. Written out: lists of words would be most of
  // what a run over many records allocates.
  h1 = (h1 + h2 + h3 + h4) | 0;
  h2 = finished((h2 + h1) | 0);
  h3 = finished((h3 + h1) | 0);
  h4 = finished((h4 + h1) | 0);
  h1 = finished(h1);
  h1 = (h1 + h2 + h3 + h4) | 0;
  return [h1, (h2 + h1) | 0, (h3 + h1) | 0, (h4 + h1) | 0];
}

/** The digest as 32 hexadecimal digits. */
export function hex(digest: Digest): string {
  return digest.map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

/** Two code units as one little-endian word. */
function wholePair(text: string, at: number): number {
  return text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16);
}

/** The same; beyond the end stand zeros. */
function pair(text: string, at: number): number {
  return at + 1 < text.length ? wholePair(text, at) : at < text.length ? text.charCodeAt(at) : 0;
}

function rotated(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by));
}

function mixed(word: number, before: number, by: number, after: number): number {
  return Math.imul(rotated(Math.imul(word, before), by), after);
}

function finished(word: number): number {
  let w = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  w = Math.imul(w ^ (w >>> 13), 0xc2b2ae35);
  return w ^ (w >>> 16);
}
