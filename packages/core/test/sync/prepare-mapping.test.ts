/** Prepared mappings: defaults, names and kinds of custom fields, and fingerprints. */
import { MappingError, prepareMapping, type FieldMapping, type SyncSubscription } from '@newsletter-kit/core/sync';
import { describe, expect, it } from 'vitest';
import { addressFingerprint, readSubscription, valueFingerprint } from '../../src/sync/mapping/prepare-mapping.ts';

const customFields = [
  { id: 'f1', display: 'City', kind: 'string' },
  { id: 'f2', display: 'Size', kind: 'integer' },
  { id: 'f3', display: 'Colour', kind: 'a kind of tomorrow' },
];
const field = (newsletter: string, more: Partial<FieldMapping> = {}): FieldMapping => ({
  newsletter,
  contact: newsletter,
  direction: 'to_contact',
  ...more,
});

describe('prepareMapping', () => {
  it('fills in the defaults', () => {
    expect(prepareMapping({ fields: [], optOut: { contact: 'no_mail' } }, [], 'key')).toMatchObject({
      fields: [],
      vanished: [],
      paths: { id: 'id', email: 'email', token: 'newsletter_sync_token' },
      optOut: { contact: 'no_mail', setOnUnsubscribe: true },
      subscribe: 'never',
      consent: undefined,
      situations: {
        newSubscription: 'create_contact',
        addressChangedInNewsletter: 'write',
      },
      emptyValue: null,
      breaker: { share: 0.05, atLeast: 20 },
    });
    expect(prepareMapping({ fields: [] }, [], 'key').optOut).toBeUndefined();
  });

  it('keeps the settings of the mapping', () => {
    const settings = {
      contact: { id: 'a', email: 'b', token: 'c' },
      optOut: { contact: 'no_mail', setOnUnsubscribe: false },
      subscribe: 'on_consent',
      consent: 'agreed',
      situations: {
        newSubscription: 'leave',
        addressChangedInNewsletter: 'report',
      },
      emptyValue: '',
      breaker: { share: 0, atLeast: 0 },
    } as const;
    const { contact: paths, ...rest } = settings;
    expect(prepareMapping({ fields: [], ...settings }, [], 'key')).toMatchObject({ ...rest, paths });
  });

  it('looks up name and kind of each custom field by its id', () => {
    const fields = [field('f2', { conflict: 'crm', separator: ';' }), field('f3'), field('created'), field('f9')];
    const { fields: ready, vanished } = prepareMapping({ fields }, customFields, 'key');
    expect(ready).toMatchObject([
      {
        index: 0,
        newsletter: 'f2',
        contact: 'f2',
        kind: 'integer',
        customField: 'Size',
        conflict: 'crm',
        separator: ';',
      },
      { index: 1, kind: 'string', customField: 'Colour', conflict: 'review' },
      { index: 2, kind: 'datetime', customField: undefined },
      { index: 3, kind: 'string', customField: '' },
    ]);
    expect(vanished).toEqual(['f9']);
  });

  it('rejects the name of a custom field in place of its id', () => {
    const mapping = { fields: [field('City'), field('f1', { contact: 'x' })] };
    expect(() => prepareMapping(mapping, customFields, 'key')).toThrow(MappingError);
    expect(() => prepareMapping(mapping, customFields, 'key')).toThrow(
      '"City" is the name of a custom field. Names change: use its id, f1.',
    );
  });

  it('rejects invalid settings', () => {
    expect(() => prepareMapping({ fields: [field('')] }, [], 'key')).toThrow(MappingError);
  });

  // Tokens in the CRM hold these numbers: with others, the next run forgets what both sides agreed on.
  it('has the same numbers in every version of the package', () => {
    const fields = [field('f1', { contact: 'city', direction: 'both' }), field('status')];
    const { publication, fields: ready } = prepareMapping({ fields }, customFields, 'key');
    expect([publication, ...ready.map(({ identity }) => identity)]).toEqual([250_588, 4578, 1032]);
  });

  it('numbers a publication by the key', () => {
    const numbers = ['pub_1', 'pub_2', 'newsletter'].map((key) => prepareMapping({ fields: [] }, [], key).publication);
    expect(new Set(numbers).size).toBe(3);
    for (const number of numbers) expect(number).toBe(number & 0x3ffff);
  });

  it('numbers a field by newsletter, contact, direction and kind, in whatever row it is', () => {
    const identityOf = (row: FieldMapping, kind = 'string', before: readonly FieldMapping[] = []) =>
      prepareMapping({ fields: [...before, row] }, [{ id: 'f1', display: 'City', kind }], 'key').fields.at(-1)
        ?.identity;
    const identities = [
      identityOf(field('f1')),
      identityOf(field('f1', { contact: 'x' })),
      identityOf(field('f1', { direction: 'both' })),
      identityOf(field('f1'), 'integer'),
      identityOf(field('status')),
    ];
    expect(new Set(identities).size).toBe(identities.length);
    expect(identityOf(field('f1', { conflict: 'crm' }))).toBe(identities[0]);
    expect(identityOf(field('f1'), 'string', [field('status'), field('created')])).toBe(identities[0]);
  });

  it('gives the next free number where two fields would have one', () => {
    const rows = Array.from({ length: 400 }, (_, index) => field('status', { contact: `c${index}` }));
    const identityOf = (row: FieldMapping) => prepareMapping({ fields: [row] }, [], 'key').fields[0]?.identity ?? 0;
    const byNumber = Map.groupBy(rows, identityOf);
    const [one, two] = [...byNumber.values()].find(({ length }) => length > 1) ?? [];
    if (!one || !two) throw new Error('No two of the fields have one number.');
    const both = prepareMapping({ fields: [one, two] }, [], 'key').fields.map(({ identity }) => identity);
    expect(both).toEqual([identityOf(one), identityOf(one) + 1]);
  });
});

describe('readSubscription', () => {
  const subscription: SyncSubscription = { id: 'sub_1', email: 'ada@example.com', status: 'active', created: 0 };
  const [city, status, vanished] = prepareMapping(
    { fields: [field('f1'), field('status'), field('f9')] },
    customFields,
    'key',
  ).fields;
  const read = (of: typeof city, custom_fields?: SyncSubscription['custom_fields']): unknown =>
    of && readSubscription(of, { ...subscription, ...(custom_fields !== undefined && { custom_fields }) });

  it.each([
    ['a property of the subscription', status, [], 'active'],
    [
      'a custom field by its name',
      city,
      [
        { name: 'Size', value: 7 },
        { name: 'City', value: 'Bonn' },
      ],
      'Bonn',
    ],
    ['a custom field without a value as empty', city, [{ name: 'City' }], ''],
    ['a missing custom field as empty', city, [], ''],
    ['a custom field as absent where none were listed', city, null, undefined],
    ['a field that the publication no longer has as absent', vanished, [], undefined],
  ])('reads %s', (_, of, custom_fields, expected) => {
    expect(read(of, custom_fields)).toEqual(expected);
  });

  it('reads a custom field as absent where the list was not asked for them', () => {
    expect(read(city)).toEqual(undefined);
  });
});

describe('the fingerprints', () => {
  const mapping = prepareMapping({ fields: [] }, [], 'pub_1');
  const other = prepareMapping({ fields: [] }, [], 'pub_2');

  it('of an address are the same for all its spellings, and have 24 bits', () => {
    const fingerprint = addressFingerprint(mapping, 'ada@example.com');
    expect(addressFingerprint(mapping, 'ADA@Example.COM')).toBe(fingerprint);
    expect(addressFingerprint(mapping, 'bob@example.com')).not.toBe(fingerprint);
    expect(addressFingerprint(other, 'ada@example.com')).not.toBe(fingerprint);
    const all = Array.from({ length: 50 }, (_, index) => addressFingerprint(mapping, `reader-${index}@example.com`));
    expect(all.every((each) => Number.isSafeInteger(each) && each >= 0 && each < 2 ** 24)).toBe(true);
    expect(Math.max(...all)).toBeGreaterThan(2 ** 23);
  });

  it('of a value have 24 bits', () => {
    const all = Array.from({ length: 50 }, (_, index) => valueFingerprint(mapping, `value ${index}`));
    expect(new Set(all).size).toBe(50);
    expect(all.every((each) => each >= 0 && each < 2 ** 24)).toBe(true);
    expect(Math.max(...all)).toBeGreaterThan(2 ** 23);
  });

  it('of an address are the same in every spelling', () => {
    const spellings = ['josé@bücher.example', ' JOSE\u0301＠BÜCHER。example ', 'josé@xn--bcher-kva.example'];
    expect(new Set(spellings.map((address) => addressFingerprint(mapping, address))).size).toBe(1);
  });
});
