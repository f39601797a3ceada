/** Filters of signups: parsing, errors, and formatting. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { signupStates } from '../../src/index.ts';
import { readFilter, writeFilter } from '../../src/ops/signup-filter.ts';

const now = Date.parse('2026-03-01T12:00:00Z');

describe('a filter of signups', () => {
  test.for([
    [{ state: 'dead,review' }, { states: ['dead', 'review'] }],
    [{ since: '2h' }, { receivedFrom: now - 7_200_000 }],
    [
      { since: '7d', until: '30m' },
      { receivedFrom: now - 604_800_000, receivedUntil: now - 1_800_000 },
    ],
    [{ until: '2026-03-01' }, { receivedUntil: Date.parse('2026-03-01') }],
    [{ reason: 'custom field', form: '' }, { reason: 'custom field' }],
    [
      { state: 'unconfirmed,sent', email: 'Ada@Example.com' },
      { states: ['unconfirmed', 'sent'], email: 'Ada@Example.com' },
    ],
    [{}, {}],
  ] as const)('reads %j', ([given, filter]) => {
    expect(readFilter(given, now)).toEqual({ ok: true, filter });
  });

  test('reports all errors at once', () => {
    const read = readFilter({ state: 'lost', since: 'yesterday', colour: 'red' }, now);
    expect(read).toMatchObject({
      ok: false,
      errors: expect.arrayContaining([
        expect.stringContaining('"state"'),
        expect.stringContaining('"since"'),
        expect.stringContaining('"colour"'),
      ]),
    });
  });

  test('is equal after it was formatted as a query and parsed again', () => {
    const part = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
    const moment = fc
      .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
      .map((date) => date.getTime());
    const filters = fc.record({
      states: part(fc.uniqueArray(fc.constantFrom(...signupStates), { minLength: 1 })),
      form: part(fc.string({ minLength: 1 })),
      reason: part(fc.string({ minLength: 1 })),
      email: part(fc.emailAddress()),
      receivedFrom: part(moment),
      receivedUntil: part(moment),
      ids: part(fc.array(fc.uuid(), { minLength: 1, maxLength: 3 })),
    });
    fc.assert(
      fc.property(filters, (given) => {
        const filter = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
        const written = Object.fromEntries(new URLSearchParams(writeFilter(filter)));
        expect(readFilter(written, now)).toEqual({ ok: true, filter });
      }),
    );
  });
});
