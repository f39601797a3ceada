/** Pairs at rest: recognized without a plan, and only where a plan would have nothing in it. */
import {
  decodeToken,
  planPair,
  prepareMapping,
  readPath,
  type SyncContact,
  type SyncMapping,
} from '@newsletter-kit/core/sync';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAtRest } from '../../src/sync/match/at-rest.ts';

const id = 'sub_00000000-0000-4000-8000-00000000000a';
const customFields = [
  { id: 'text', display: 'Text', kind: 'string' },
  { id: 'number', display: 'Number', kind: 'integer' },
  { id: 'list', display: 'List', kind: 'list' },
  { id: 'flag', display: 'Flag', kind: 'boolean' },
];
const settings = fc.record<SyncMapping>({
  fields: fc.subarray([
    { newsletter: 'text', contact: 'text', direction: 'both', conflict: 'crm' },
    { newsletter: 'number', contact: 'number', direction: 'both' },
    { newsletter: 'list', contact: 'list', direction: 'to_subscription', separator: ',' },
    { newsletter: 'flag', contact: 'flag', direction: 'both' },
    { newsletter: 'status', contact: 'newsletter_status', direction: 'to_contact' },
  ]),
  optOut: fc.constantFrom(undefined, { contact: 'no_mail' }, { contact: 'no_mail', setOnUnsubscribe: false }),
});
const email = fc.constantFrom<string>('ada@example.com', 'ADA@example.com', ' ada@example.com', 'bob@example.com');
const side = fc.record(
  {
    text: fc.constantFrom<string>('Bonn', 'bonn ', 'Bo', ''),
    number: fc.constantFrom<unknown>(7, '7', 'x', null),
    flag: fc.constantFrom<unknown>(true, false, null, undefined),
  },
  { requiredKeys: [] },
);
/** Both sides at one time. */
const sides = fc.record({
  status: fc.constantFrom<string>('active', 'inactive', 'pending'),
  email: fc.oneof(
    { weight: 9, arbitrary: email },
    { weight: 1, arbitrary: fc.constant<string>('gone@redacted.invalid') },
  ),
  newsletter: side,
  list: fc.constantFrom<unknown>(['a', 'b'], 'a,b', []),
  crm: fc.record({
    values: side,
    email,
    list: fc.constantFrom<unknown>('a,b', 'b, a', null, undefined),
    no_mail: fc.constantFrom<unknown>(true, false, 'x', 'perhaps', undefined),
    newsletter_status: fc.constantFrom<string>('active', 'inactive', ''),
  }),
});
type Sides = typeof sides extends fc.Arbitrary<infer Value> ? Value : never;

function recordsOf({ status, email: address, newsletter, list, crm }: Sides) {
  const { values, ...rest } = crm;
  const custom = { Text: newsletter.text, Number: newsletter.number, Flag: newsletter.flag, List: list };
  const custom_fields = Object.entries(custom).map(([name, value]) => ({ name, value }));
  return { subscription: { id, email: address, status, created: 1, custom_fields }, record: { ...values, ...rest } };
}

/** Runs over the same two records until nothing is written, after other ones were agreed on. */
function settledPair(mapping: ReturnType<typeof prepareMapping>, history: readonly Sides[], isEmpty = false) {
  let token: string | undefined;
  let pair = { ...planned(history[0]), isQuiet: false };
  for (const each of history) pair = run(each);
  return { ...pair, token: token ?? '' };

  function planned(given: Sides | undefined) {
    if (!given) throw new Error('A history has at least one entry.');
    const { subscription, record } = recordsOf(given);
    const read = (path: string): unknown => {
      const value = readPath(record, path);
      return value === undefined && isEmpty ? null : value;
    };
    const paths = mapping.fields.map(({ contact: path }) => path);
    const contact: SyncContact = {
      id: 'c1',
      email: record.email.trim(),
      optOut: read('no_mail'),
      token,
      values: Object.fromEntries(paths.map((path) => [path, read(path)])),
      lacks: isEmpty ? paths.filter((path) => readPath(record, path) === undefined) : [],
      row: 1,
    };
    return {
      subscription,
      record,
      plan: planPair({ subscription, contact, base: decodeToken(token, mapping) }, mapping),
    };
  }

  function run(given: Sides) {
    const before = planned(given);
    token = before.plan.contactWrite?.token ?? token;
    const after = planned(given);
    const { contactWrite, subscriptionWrites, findings } = after.plan;
    return { ...after, isQuiet: contactWrite === null && subscriptionWrites.length === 0 && findings.length === 0 };
  }
}

describe('a pair at rest', () => {
  it('has nothing to write and nothing to report', () => {
    let found = 0;
    fc.assert(
      fc.property(
        settings,
        fc.array(sides, { minLength: 1, maxLength: 3 }),
        sides,
        fc.boolean(),
        (given, history, next, isEmpty) => {
          const mapping = prepareMapping(given, customFields, 'pub_1');
          const last = history.at(-1);
          for (const each of [
            history,
            [...history, next],
            last ? [...history, { ...last, status: next.status }] : history,
          ]) {
            const { subscription, record, token, isQuiet } = settledPair(mapping, each, isEmpty);
            const pair = { subscription, record, token, isEmpty: () => isEmpty };
            if (token === '' || !isAtRest(pair, mapping)) continue;
            found += 1;
            expect(isQuiet).toBe(true);
          }
        },
      ),
      { numRuns: 3000 },
    );
    expect(found).toBeGreaterThan(300);
  });

  const mapping = prepareMapping(
    {
      fields: [
        { newsletter: 'text', contact: 'text', direction: 'both' },
        { newsletter: 'number', contact: 'number', direction: 'both' },
        { newsletter: 'list', contact: 'list', direction: 'to_contact', separator: ',' },
        { newsletter: 'status', contact: 'newsletter_status', direction: 'to_contact' },
      ],
      optOut: { contact: 'no_mail' },
    },
    customFields,
    'pub_1',
  );
  const agreed: Sides = {
    status: 'active',
    email: 'ada@example.com',
    newsletter: { text: 'Bonn', number: 7 },
    list: ['a', 'b'],
    crm: {
      values: { text: 'Bonn ', number: '7' },
      email: 'ADA@example.com',
      list: 'b,a',
      no_mail: false,
      newsletter_status: 'active',
    },
  };
  const left = { ...agreed, status: 'inactive', crm: { ...agreed.crm, newsletter_status: 'inactive', no_mail: true } };

  it.each([
    ['that agrees', agreed],
    ['whose person has left', left],
  ])('is one %s, whatever spelling each side has', (_, given) => {
    const { subscription, record, token } = settledPair(mapping, [given, given]);
    expect(isAtRest({ subscription, record, token }, mapping)).toBe(true);
    const another = prepareMapping({ fields: [], optOut: { contact: 'no_mail' } }, customFields, 'pub_2');
    expect(isAtRest({ subscription, record, token }, another)).toBe(false);
  });

  it('is not one where any part differs from what was agreed on', () => {
    const { token } = settledPair(mapping, [agreed]);
    for (const change of [
      { status: 'inactive' },
      { email: 'bob@example.com' },
      { newsletter: { text: 'Ulm', number: 7 } },
      { newsletter: { text: 'Ulm', number: 7 }, crm: { ...agreed.crm, values: { text: 'Ulm', number: 7 } } },
      { list: ['a'] },
      { crm: { ...agreed.crm, no_mail: true } },
      { crm: { ...agreed.crm, no_mail: 'perhaps' } },
      { crm: { ...agreed.crm, email: 'bob@example.com' } },
    ]) {
      const { subscription, record } = recordsOf({ ...agreed, ...change });
      expect(isAtRest({ subscription, record, token }, mapping), JSON.stringify(change)).toBe(false);
    }
  });
});
