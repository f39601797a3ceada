/** The sync token: whole or not at all. */
import { decodeToken, encodeToken, tokenLimit, type Base } from '@newsletter-kit/core/sync';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

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

  it('is refused for an id that is no UUID', () => {
    const given: Base = {
      subscriptionId: 'sub_7',
      address: 0,
      consent: 'unknown',
      optOut: undefined,
      fields: [],
      reported: 0,
    };
    expect(() => encodeToken(given, { signature: 0, fields: [] })).toThrow('is no "sub_" and a UUID');
  });
});
