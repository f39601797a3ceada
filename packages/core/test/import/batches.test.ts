/** The batches of an import: rows that can be sent, bytes, and the parts of a refused batch. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { divide, namedRows, utf8Length } from '../../src/import/batch.ts';
import { checkRequest } from '../../src/import/request.ts';

const seed = [1, 2, 3, 4] as const;

it('divides a batch into ordered parts that hold every row once', () => {
  const refused = fc.record({
    size: fc.integer({ min: 2, max: 40 }),
    named: fc.array(fc.nat({ max: 50 }), { maxLength: 6 }),
    gap: fc.nat({ max: 3 }),
  });
  fc.assert(
    fc.property(refused, ({ size, named, gap }) => {
      const rows = Array.from({ length: size }, (_, index) => ({
        ordinal: 5 + index * (gap + 1),
        row: index,
        request: { email: 'a@b.c' },
        original: null,
        digest: seed,
      }));
      const batch = { first: 3, last: rows.at(-1)?.ordinal ?? 0, rows, resent: true };
      const messages = named.map((index) => `subscriptions[${index}].email is wrong`);
      const parts = divide(batch, namedRows(batch, messages));
      expect(parts.flatMap((part) => part.rows)).toEqual(rows);
      expect(parts.length).toBeGreaterThan(1);
      for (const [index, part] of parts.entries()) {
        expect(part.first).toBe(index === 0 ? 3 : (parts[index - 1]?.last ?? 0) + 1);
        expect(part.last).toBe(part.rows.at(-1)?.ordinal);
      }
    }),
  );
});

it('counts the bytes of any text as an encoder does', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => utf8Length(text) === new TextEncoder().encode(text).length),
  );
  // Each last and first character of a length, and both ends of the surrogates.
  const lengths = ['\u{7f}', '\u{80}', '\u{7ff}', '\u{800}', '\u{d7ff}', '\u{10000}', '\u{103ff}', '\u{10ffff}'].map(
    utf8Length,
  );
  expect(lengths).toEqual([1, 2, 2, 3, 3, 4, 4, 4]);
});

describe('a row that cannot be sent', () => {
  const email = 'ada@example.com';
  const nameless = '"custom_fields[1].name" must be the display text of a custom field';
  const noValue = '"custom_fields[0].value" must be a text, a number, true, false or a list of texts';
  const field = { name: 'Team', value: 'Red' };

  it.each<[unknown, string]>([
    ['ada@example.com', 'the row must be an object with at least "email"'],
    [null, 'the row must be an object with at least "email"'],
    [{ utm_source: 'fair' }, '"email" is missing'],
    [{ email: null }, '"email" is missing'],
    [{ email: '' }, '"email" is missing'],
    [{ email: 7 }, '"email" must be an e-mail address such as name@example.com'],
    [{ email: 'nope' }, '"email" must be an e-mail address such as name@example.com'],
    [
      { email, 'bo@example.com': 1 },
      '"[address]" is no field of a subscription; what the publication defined itself belongs into "custom_fields"',
    ],
    [{ email, send_welcome_email: 'yes' }, '"send_welcome_email" must be true or false'],
    [{ email, utm_source: 7 }, '"utm_source" must be a text'],
    [{ email, tier: 'gold' }, '"tier" must be one of "free", "premium"'],
    [{ email, complimentary_gift_id: 'gift_1' }, '"complimentary_gift_id" must look like comp_access_<uuid>'],
    [{ email, complimentary_gift_id: 'comp_access_' }, '"complimentary_gift_id" must look like comp_access_<uuid>'],
    [{ email, premium_tiers: 'Gold' }, '"premium_tiers" must be a list of texts'],
    [{ email, premium_tiers: ['Gold', 7] }, '"premium_tiers[1]" must be a text'],
    [{ email, automation_ids: ['aut_1', 'tier_1'] }, '"automation_ids[1]" must look like aut_<uuid>'],
    [{ email, automation_ids: ['aut_1 '] }, '"automation_ids[0]" must look like aut_<uuid>'],
    [{ email, automation_ids: ['aut_ 1'] }, '"automation_ids[0]" must look like aut_<uuid>'],
    [{ email, custom_fields: field }, '"custom_fields" must be a list of {name, value}'],
    [{ email, custom_fields: ['Red'] }, '"custom_fields[0]" must be an object'],
    [
      { email, custom_fields: [field, { ...field, kind: 'string' }] },
      '"custom_fields[1].kind" is no part of a custom field, which has a name and a value',
    ],
    [{ email, custom_fields: [field, { value: 'Red' }] }, nameless],
    [{ email, custom_fields: [field, { ...field, name: '' }] }, nameless],
    [{ email, custom_fields: [{ name: 'Team', value: {} }] }, noValue],
    [{ email, custom_fields: [{ name: 'Team', value: Number.NaN }] }, noValue],
    [{ email, custom_fields: [{ name: 'Team', value: ['Red', 7] }] }, noValue],
  ])('%j is described without its values', (row, problem) => {
    expect(checkRequest(row)).toEqual({ problem });
  });

  it('is no row with whole ids of every kind', () => {
    const ids = {
      automation_ids: ['aut_12-a', 'aut_b'],
      complimentary_gift_id: 'comp_access_1B',
      premium_tier_ids: [],
    };
    expect(checkRequest({ email, ...ids })).toEqual({ request: { email, ...ids } });
  });

  it('reads the words of enumerations in any case', () => {
    const words = { tier: ' Premium ', double_opt_override: 'ON' };
    expect(checkRequest({ email, ...words })).toEqual({
      request: { email, tier: 'premium', double_opt_override: 'on' },
    });
  });

  it('leaves out what is null or undefined, and normalises the address', () => {
    const fields = ['Red', 7, true, ['a'], null, undefined].map((value) => ({ name: 'Team', value }));
    expect(
      checkRequest({ email: ' Ada@EXAMPLE.com', tier: null, utm_source: undefined, custom_fields: fields }),
    ).toEqual({ request: { email: 'Ada@example.com', custom_fields: fields } });
  });
});

describe('the parts of a refused batch', () => {
  const rows = Array.from({ length: 5 }, (_, index) => ({
    ordinal: index + 1,
    row: index,
    request: { email: 'a@b.c' },
    original: null,
    digest: seed,
  }));
  const batch = { first: 1, last: 7, rows, resent: true };
  const partsOf = (...messages: readonly string[]) =>
    divide(batch, namedRows(batch, messages)).map(({ first, last, resent, rows: part }) => [
      first,
      last,
      resent,
      part.length,
    ]);

  it('are its halves where no row is named', () => {
    const halves = [
      [1, 2, false, 2],
      [3, 5, false, 3],
    ];
    expect(partsOf('No.')).toEqual(halves);
    expect(partsOf('subscriptions[5] is one too many')).toEqual(halves);
    expect(partsOf('mysubscriptions[1] and subscriptions[x]')).toEqual(halves);
  });

  it('are each named row, and the rows between them', () => {
    expect(partsOf('subscriptions[3].email and subscriptions[1]', 'subscriptions[4]: no')).toEqual([
      [1, 1, false, 1],
      [2, 2, false, 1],
      [3, 3, false, 1],
      [4, 4, false, 1],
      [5, 5, false, 1],
    ]);
    expect(partsOf('subscriptions[0]')).toEqual([
      [1, 1, false, 1],
      [2, 5, false, 4],
    ]);
  });
});
