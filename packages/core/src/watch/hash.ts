/** Short numbers that stand for texts. Not for secrets: whoever may choose the texts can make two that agree. Pure. */
import { hashText, type Digest } from '../hash.ts';

/** What an id and a print start from, so that neither tells anything about the other. */
const idSeed: Digest = [1, 1, 1, 1];
const printSeed: Digest = [2, 2, 2, 2];

/** Numbers below 2^48, evenly spread, from any text. */
export function hash48(text: string): number {
  const [low, high] = hashText(text, idSeed);
  return (high & 0xffff) * 0x1_0000_0000 + (low >>> 0);
}

/** Numbers below 2^32, evenly spread, from any text; in no relation to {@link hash48} of it. */
export function hash32(text: string): number {
  return hashText(text, printSeed)[0] >>> 0;
}
