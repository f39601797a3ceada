/** The sync token: a text that holds the base of a pair, or is rejected as a whole. */
import { decodeToken, encodeToken, tokenLimit, type Base } from '@newsletter-kit/core/sync';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashText } from '../../src/hash.ts';

const print24 = fc.nat({ max: 0xffffff });
const awaited = fc.option(fc.record({ fingerprint: print24, count: fc.integer({ min: 1, max: 63 }) }), {
  nil: undefined,
});
const field = fc
  .record({ agreed: fc.option(print24, { nil: undefined }), toSubscription: awaited, toContact: awaited })
  .map((parts) => Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined)));
const base: fc.Arbitrary<Base> = fc.record({
  subscriptionId: fc.uuid().map((id) => `sub_${id}`),
  address: fc.integer({ min: 0, max: 2 ** 48 - 1 }),
  consent: fc.constantFrom('unknown', 'subscribed', 'left_newsletter', 'opted_out_in_crm'),
  optOut: fc.constantFrom(undefined, true, false),
  fields: fc.array(field, { minLength: 0, maxLength: 13 }),
  reported: print24,
});
const mappingOf = ({ fields }: Base, signature = 4711): Parameters<typeof encodeToken>[1] => ({
  signature,
  fields: fields.map((_, index) => ({
    index,
    newsletter: 'status',
    contact: 'status',
    direction: 'both',
    conflict: 'review',
    kind: 'string',
    separator: undefined,
    customField: undefined,
  })),
});

/** A subscription that was never read before. */
const empty: Base = {
  subscriptionId: 'sub_00000000-0000-4000-8000-00000000000a',
  address: 0,
  consent: 'unknown',
  optOut: undefined,
  fields: [],
  reported: 0,
};

/** Appends the checksum of a token: 24 bits in base64url. */
function sealed(content: string): string {
  const bits = hashText(content, [5, 5, 5, 5])[0] & 0xffffff;
  return content + Buffer.from([bits >> 16, bits >> 8, bits].map((byte) => byte & 0xff)).toString('base64url');
}

describe('a sync token', () => {
  it('decodes to the encoded base, in at most 255 characters', () => {
    fc.assert(
      fc.property(base, (given) => {
        const token = encodeToken(given, mappingOf(given));
        expect(token).toMatch(/^[\w-]+$/);
        expect(token.length).toBeLessThanOrEqual(tokenLimit);
        expect(decodeToken(token, mappingOf(given))).toEqual(given);
      }),
    );
  });

  it('counts as missing once any character is changed, cut or added', () => {
    fc.assert(
      fc.property(base, fc.nat(), fc.constantFrom('A', 'z', '0', '-', ' ', '.'), (given, at, character) => {
        const token = encodeToken(given, mappingOf(given));
        const index = at % token.length;
        const changed = token.slice(0, index) + character + token.slice(index + 1);
        if (changed !== token) expect(decodeToken(changed, mappingOf(given))).toBeUndefined();
        for (const other of [
          token.slice(0, index) + token.slice(index + 1),
          token.slice(0, index),
          token.slice(0, index) + character + token.slice(index),
          token.toUpperCase(),
          token.toLowerCase(),
        ])
          if (other !== token) expect(decodeToken(other, mappingOf(given))).toBeUndefined();
      }),
    );
  });

  it('keeps consent but no values where other fields are mapped', () => {
    fc.assert(
      fc.property(base, (given) => {
        const token = encodeToken(given, mappingOf(given));
        expect(decodeToken(token, mappingOf(given, 42))).toEqual({ ...given, fields: [] });
      }),
    );
  });

  it.each([undefined, null, '', 'no token', 7, {}])('is not decoded from %j', (text) => {
    expect(decodeToken(text, { signature: 0, fields: [] })).toBeUndefined();
  });

  it('is not made for an id that is no UUID', () => {
    const invalid = { ...empty, subscriptionId: 'sub_7' };
    expect(() => encodeToken(invalid, { signature: 0, fields: [] })).toThrow('is no "sub_" and a UUID');
  });

  it('has at most 255 characters', () => {
    const write = { fingerprint: 1, count: 1 };
    const full = { agreed: 1, toSubscription: write, toContact: write };
    const longest = {
      ...empty,
      fields: [...Array<Base['fields'][number]>(14).fill(full), { agreed: 1 }, { agreed: 1 }],
    };
    const token = encodeToken(longest, mappingOf(longest));
    expect(token).toHaveLength(tokenLimit);
    expect(decodeToken(token, mappingOf(longest))).toEqual(longest);
    const tooLong = { ...longest, fields: [...longest.fields.slice(1), { toContact: write }, full] };
    expect(() => encodeToken(tooLong, mappingOf(tooLong))).toThrow('map fewer fields');
  });

  it('is not decoded with another number of fields under the same signature', () => {
    const two = { ...empty, fields: [{ agreed: 1 }, { agreed: 2 }] };
    const one = { ...empty, fields: two.fields.slice(0, 1) };
    expect(decodeToken(encodeToken(two, mappingOf(two)), mappingOf(one))).toBeUndefined();
  });

  it.each([
    ['of another version', (token: string) => `2${token.slice(1)}`],
    ['of a consent that does not exist', (token: string) => `${token.slice(0, 34)}_${token.slice(35)}`],
    ['that is too short', () => '1'],
    ['that is one character too short', (token: string) => token.slice(0, 38)],
  ])('%s is not decoded although its checksum is right', (_, change) => {
    const content = encodeToken(empty, mappingOf(empty)).slice(0, -4);
    expect(decodeToken(sealed(content), mappingOf(empty))).toEqual(empty);
    expect(decodeToken(sealed(change(content)), mappingOf(empty))).toBeUndefined();
  });
});
