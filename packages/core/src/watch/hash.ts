/** Short numbers that stand for texts. Not for secrets: whoever may choose the texts can make two that agree. Pure. */

/** Numbers below 2^48, evenly spread, from any text. */
export function hash48(text: string): number {
  const [low, high] = lanes(text);
  return (high & 0xffff) * 0x1_0000_0000 + low;
}

/** Numbers below 2^32, evenly spread, from any text; in no relation to {@link hash48} of it. */
export function hash32(text: string): number {
  const [low, high] = lanes(`fingerprint:${text}`);
  return (low ^ Math.imul(high, 0x9e3779b1)) >>> 0;
}

/** Two lanes of 32 bits that take in each code unit and are stirred into each other at the end. */
function lanes(text: string): readonly [low: number, high: number] {
  let a = 0x243f6a88 ^ text.length;
  let b = 0x13198a2e;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    a = Math.imul(turn(a ^ unit, 13), 0xcc9e2d51);
    b = Math.imul(turn(b ^ unit, 17), 0x1b873593) + a;
  }
  const low = stir(a ^ turn(b, 16));
  return [low, stir(b ^ Math.imul(low, 0x85ebca6b))];
}

function turn(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

/** Lets every bit of the input reach every bit of the output. */
function stir(value: number): number {
  const once = Math.imul(value ^ (value >>> 16), 0x7feb352d);
  const twice = Math.imul(once ^ (once >>> 15), 0x846ca68b);
  return (twice ^ (twice >>> 16)) >>> 0;
}
