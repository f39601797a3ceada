/** The sync token: a text that holds the base of a pair, or is rejected as a whole. */
import { decodeToken, encodeToken, tokenLimit, type Base } from '@newsletter-kit/core/sync';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isForeign, isWhole, type TokenLayout } from '../../src/sync/mapping/token.ts';

const print24 = fc.nat({ max: 0xffffff });
const side = fc.constantFrom('newsletter', 'crm');
const agreed = fc.integer({ min: 1, max: 0xffffff });
const reported = fc.constantFrom({}, { reported: true });
/** What a field remembers; undefined for nothing. */
const field = fc.oneof(
  fc.constant(undefined),
  fc
    .tuple(
      fc.oneof(
        fc.record({ agreed }),
        fc.record({ agreed, again: fc.constant(true) }),
        fc.record({ agreed, awaits: side }, { requiredKeys: ['awaits'] }),
        fc.record({ agreed, shows: fc.record({ side, fingerprint: print24 }) }, { requiredKeys: ['shows'] }),
      ),
      reported,
    )
    .map(([state, told]) => ({ ...state, ...told })),
);
const base: fc.Arbitrary<Base> = fc.record({
  subscriptionId: fc.uuid().map((id) => `sub_${id}`),
  address: print24,
  contact: fc.option(fc.integer({ min: 1, max: 0xffffff }), { nil: undefined }),
  consent: fc.constantFrom('unknown', 'subscribed', 'left_newsletter', 'opted_out_in_crm'),
  optOut: fc.constantFrom(undefined, true, false),
  fields: fc.array(field, { minLength: 0, maxLength: 11 }),
  reported: print24,
});
/** The layout of fields that are numbered from 1. */
const layoutOf = ({ fields }: Base, publication = 4711): TokenLayout => ({
  publication,
  fields: fields.map((_, index) => ({ index, identity: index + 1 })),
});

/** A subscription that was never read before. */
const empty: Base = {
  subscriptionId: 'sub_00000000-0000-4000-8000-00000000000a',
  address: 0,
  contact: undefined,
  consent: 'unknown',
  optOut: undefined,
  fields: [],
  reported: 0,
};

/** Appends the checksum of a token: 24 bits of FNV-1a, xor-folded, in base64url. */
function sealed(content: string): string {
  const sum = [...content].reduce((bits, character) => {
    const mixed = (BigInt(bits) ^ BigInt(character.charCodeAt(0))) * 0x01000193n;
    return Number(mixed % 0x1_0000_0000n);
  }, 0x811c9dc5);
  const bits = (sum ^ (sum >>> 24)) & 0xffffff;
  return content + Buffer.from([bits >> 16, bits >> 8, bits].map((byte) => byte & 0xff)).toString('base64url');
}

describe('a sync token', () => {
  it('decodes to the encoded base, in at most 255 characters', () => {
    fc.assert(
      fc.property(base, (given) => {
        const token = encodeToken(given, layoutOf(given));
        expect(token).toMatch(/^[\w-]+$/);
        expect(token.length).toBeLessThanOrEqual(tokenLimit);
        expect(decodeToken(token, layoutOf(given))).toEqual(given);
      }),
    );
  });

  it('counts as missing once any character is changed, cut or added', () => {
    fc.assert(
      fc.property(base, fc.nat(), fc.constantFrom('A', 'z', '0', '-', ' ', '.'), (given, at, character) => {
        const token = encodeToken(given, layoutOf(given));
        const index = at % token.length;
        const changed = token.slice(0, index) + character + token.slice(index + 1);
        if (changed !== token) expect(decodeToken(changed, layoutOf(given))).toBeUndefined();
        for (const other of [
          token.slice(0, index) + token.slice(index + 1),
          token.slice(0, index),
          token.slice(0, index) + character + token.slice(index),
          token.toUpperCase(),
          token.toLowerCase(),
        ])
          if (other !== token) expect(decodeToken(other, layoutOf(given))).toBeUndefined();
      }),
    );
  });

  it('keeps what it says of every field that is still mapped, in whatever row', () => {
    const rows = fc.tuple(base, fc.integer(), fc.nat({ max: 3 })).map(([given, seed, added]) => {
      const kept = given.fields.map((_, index) => index).filter((index) => ((seed >>> index) & 1) === 0);
      const order = seed % 2 === 0 ? kept : kept.toReversed();
      // Rows that the token does not know.
      return {
        given,
        order,
        identities: [...order.map((index) => index + 1), ...Array.from({ length: added }, (_, index) => 100 + index)],
      };
    });
    fc.assert(
      fc.property(rows, ({ given, order, identities }) => {
        const token = encodeToken(given, layoutOf(given));
        const layout = { publication: 4711, fields: identities.map((identity, index) => ({ index, identity })) };
        const known = order.map((index) => given.fields[index]);
        const unknown = identities.slice(order.length).map(() => undefined);
        expect(decodeToken(token, layout)).toEqual({ ...given, fields: [...known, ...unknown] });
      }),
    );
  });

  it('of another publication is whole and foreign, and no base', () => {
    fc.assert(
      fc.property(base, (given) => {
        const token = encodeToken(given, layoutOf(given));
        expect([
          isWhole(token),
          isForeign(token, { publication: 42 }),
          isForeign(token, { publication: 4711 }),
        ]).toEqual([true, true, false]);
        expect(decodeToken(token, layoutOf(given, 42))).toBeUndefined();
      }),
    );
  });

  it.each([undefined, null, '', 'no token', 7, {}])('is not decoded from %j', (text) => {
    expect(decodeToken(text, { publication: 0, fields: [] })).toBeUndefined();
  });

  it('is not made for an id that is no UUID', () => {
    const invalid = { ...empty, subscriptionId: 'sub_7' };
    expect(() => encodeToken(invalid, { publication: 0, fields: [] })).toThrow('is no "sub_" and a UUID');
  });

  it('has no characters for a field with nothing to remember', () => {
    const layout = layoutOf({ ...empty, fields: [undefined, {}, { agreed: 1 }] });
    const token = encodeToken({ ...empty, fields: [undefined, {}, { agreed: 1 }] }, layout);
    expect(token).toHaveLength(43 + 7);
    expect(decodeToken(token, layout)?.fields).toEqual([undefined, undefined, { agreed: 1 }]);
  });

  it('has at most 255 characters', () => {
    const full = { agreed: 1, shows: { side: 'crm', fingerprint: 1 }, reported: true } as const;
    const longest = { ...empty, fields: Array<Base['fields'][number]>(19).fill(full) };
    const token = encodeToken(longest, layoutOf(longest));
    expect(token).toHaveLength(43 + 19 * 11);
    expect(decodeToken(token, layoutOf(longest))).toEqual(longest);
    const tooLong = { ...longest, fields: [...longest.fields, { agreed: 1 }] };
    expect(() => encodeToken(tooLong, layoutOf(tooLong))).toThrow('map fewer fields');
  });

  it.each([
    ['of another version', (token: string) => `1${token.slice(1)}`],
    ['of a consent that does not exist', (token: string) => `${token.slice(0, 34)}_${token.slice(35)}`],
    ['that ends within a field', (token: string) => `${token}AAB`],
    ['that is too short', () => '2'],
    ['that is one character too short', (token: string) => token.slice(0, 38)],
  ])('%s is not decoded although its checksum is right', (_, change) => {
    const content = encodeToken(empty, layoutOf(empty)).slice(0, -4);
    expect(decodeToken(sealed(content), layoutOf(empty))).toEqual(empty);
    expect(decodeToken(sealed(change(content)), layoutOf(empty))).toBeUndefined();
  });
});
