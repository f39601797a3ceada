/**
 * Ids: the fixed ones of every standard seed, and generated ones. A generated id is a pure function of the id seed, the
 * kind and the number of the record, so two equal runs give equal ids, and a restart repeats none.
 */
export type Ids = ReturnType<typeof createIds>;

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** @param seed - any whole number; another seed gives other ids */
export function createIds(seed: number) {
  return {
    /** A pseudorandom number from 0 up to 1 for the `n`th decision of this kind. */
    fraction: (kind: string, n: number): number => fraction(seed, kind, n),
    /** A version-4-shaped UUID for the `n`th record of this kind. */
    uuid(kind: string, n: number): string {
      const hex = lanes(seed, kind, n)
        .map((lane) => lane.toString(16).padStart(8, '0'))
        .join('');
      const variant = '89ab'[Number.parseInt(hex.charAt(16), 16) & 3];
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
    },
    /** Ten letters and digits for the `n`th record of this kind. */
    code(kind: string, n: number): string {
      const [high = 0, low = 0] = lanes(seed, `${kind}#`, n);
      let rest = BigInt(high) * 0x1_0000_0000n + BigInt(low);
      let code = '';
      for (let i = 0; i < 10; i += 1) {
        code += alphabet.charAt(Number(rest % 62n));
        rest /= 62n;
      }
      return code;
    },
    /** 43 letters, digits, `-` and `_` for the `n`th record of this kind. */
    token(kind: string, n: number): string {
      const bytes = new DataView(new ArrayBuffer(32));
      for (const [index, lane] of lanes(seed, `${kind}#`, n, 8).entries()) bytes.setUint32(index * 4, lane);
      return Buffer.from(bytes.buffer).toString('base64url');
    },
  };
}

/** Well-mixed 32-bit numbers. */
function lanes(seed: number, kind: string, n: number, count = 4): number[] {
  let base = mix(seed ^ 0x9e3779b9);
  for (let i = 0; i < kind.length; i += 1) base = mix(base ^ Math.imul(kind.charCodeAt(i), 0x01000193));
  return Array.from({ length: count }, (_, index) => index + 1).map((lane) =>
    mix(mix(base + Math.imul(lane, 0x85ebca6b)) ^ mix(n + Math.imul(lane, 0x27d4eb2f))),
  );
}

/** The finalizer of MurmurHash3: every input bit reaches every output bit. */
function mix(value: number): number {
  let hash = value >>> 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** A pseudorandom number from 0 up to 1 for the `n`th decision of this kind. */
export function fraction(seed: number, kind: string, n: number): number {
  const [lane = 0] = lanes(seed, kind, n);
  return lane / 0x1_0000_0000;
}

/** The publication of every standard seed. */
export const publicationId = 'pub_00000000-0000-4000-8000-000000000001';

/** API keys of every standard seed: one for the whole workspace, one for that publication only. */
export const apiKeys = { workspace: 'sandbox-key', restricted: 'sandbox-key-restricted' } as const;

/** OAuth clients of every standard seed. */
export const oauthClients = {
  confidential: { uid: 'sandbox-app', secret: 'sandbox-secret' },
  public: { uid: 'sandbox-public', secret: null },
} as const;
