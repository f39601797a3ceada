/** Contacts by dotted paths: reading a record's values, and making a record of values. */
import { createReconciler, prepareMapping, readPath, recordOf, startSync } from '@newsletter-kit/core/sync';
import { describe, expect, it } from 'vitest';

describe('readPath', () => {
  it.each([
    ['a property', { email: 'ada@example.com' }, 'email', 'ada@example.com'],
    ['a nested property', { properties: { address: { city: 'Bonn' } } }, 'properties.address.city', 'Bonn'],
    ['a property whose name has a dot before a nested one', { 'a.b': 1, a: { b: 2 } }, 'a.b', 1],
    ['null where the property is null', { a: { b: null } }, 'a.b', null],
    ['undefined where the property is missing', { a: {} }, 'a.b', undefined],
    ['undefined below a text', { a: 'text' }, 'a.length', undefined],
    ['undefined below a list', { a: [1] }, 'a.0', undefined],
    ['undefined for a property that every object has', {}, 'constructor', undefined],
    ['undefined for a nested property that every object has', { a: {} }, 'a.constructor.name', undefined],
    ['undefined for anything but a record', 'text', 'length', undefined],
  ])('reads %s', (_, record, path, value) => {
    expect(readPath(record, path)).toBe(value);
    expect(readPath(record, path)).toBe(value);
  });
});

describe('recordOf', () => {
  it('nests the values at dotted paths, several below one name', () => {
    const record = recordOf([
      ['id', 7],
      ['properties.email', 'ada@example.com'],
      ['properties.address.city', 'Bonn'],
      ['properties.address.zip', '53111'],
    ]);
    expect(record).toEqual({
      id: 7,
      properties: { email: 'ada@example.com', address: { city: 'Bonn', zip: '53111' } },
    });
  });

  it('keeps a path whole that is the name of a property in a record of the same CRM', () => {
    expect(recordOf([['a.b', 1]], { 'a.b': 0 })).toEqual({ 'a.b': 1 });
    expect(recordOf([['a.b', 1]], { a: { b: 0 } })).toEqual({ a: { b: 1 } });
    expect(recordOf([['constructor.name', 1]], {})).toEqual({ constructor: { name: 1 } });
  });

  it('replaces a value that another path nests into', () => {
    const record = recordOf([
      ['a', 1],
      ['a.b', 2],
      ['a', 3],
    ]);
    expect(record).toEqual({ a: 3 });
  });

  it('sets properties of its own for names such as __proto__', () => {
    const record = recordOf([['__proto__.polluted', true]]);
    expect(Object.hasOwn(record, '__proto__')).toBe(true);
    expect(Object.keys(record)).toEqual(['__proto__']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    record['__proto__'] = 1;
    expect(delete record['__proto__']).toBe(true);
  });
});

describe('the paths of a contact', () => {
  const subscription = { id: 'sub_00000000-0000-4000-8000-000000000001', status: 'active', created: 1 };

  it('are id, email and newsletter_sync_token unless the mapping names others', () => {
    const mapping = prepareMapping({ fields: [], optOut: { contact: 'no_mail' } }, [], 'pub_1');
    const reconciler = createReconciler({ mapping, state: startSync(), now: 0 });
    reconciler.addContact({ id: 'c1', email: 'ada@example.com', no_mail: true, newsletter_sync_token: 'damaged' });
    reconciler.addSubscriptions([{ ...subscription, email: 'ada@example.com' }]);
    const { pairs, findings } = reconciler.finish();
    expect(pairs).toMatchObject([{ contactWrites: [{ id: 'c1' }], subscriptionWrites: [{ unsubscribe: true }] }]);
    expect(findings.map(({ code }) => code)).toEqual(['token_damaged']);
  });

  it.each([undefined, null, ''])('leave a token of %j unreported', (token) => {
    const mapping = prepareMapping({ fields: [] }, [], 'pub_1');
    const reconciler = createReconciler({ mapping, state: startSync(), now: 0 });
    reconciler.addContact({ id: 'c1', email: 'ada@example.com', newsletter_sync_token: token });
    reconciler.addSubscriptions([{ ...subscription, email: 'ada@example.com' }]);
    expect(reconciler.finish()).toMatchObject({ findings: [], pairs: [] });
  });
});
