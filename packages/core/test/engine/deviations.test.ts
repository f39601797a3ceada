/** Records that a program can or cannot use, times in several forms, and deviations that are told once. */
import { describe, expect, it } from 'vitest';
import { deviationText, messagesIn, neededFields, readRecords, type Deviation } from '../../src/engine/index.ts';
import { deviationWarning, tellOnce } from '../../src/engine/deviations.ts';
import { nearMiss } from '../../src/engine/near-miss.ts';
import { json } from './scripted-host.ts';
import { engineOn } from './calling.ts';

const deviation: Deviation = {
  operation: 'subscriptions.list',
  part: 'answer',
  field: 'data[].created',
  problem: 'expected number',
  records: 1,
};

describe('the records of a list', () => {
  const left = 'missing or of no use; a program that needs it leaves the record out';

  it('are used where they have what their reader needs', () => {
    const records = [{ id: 'a' }, { id: 'b', more: null }];
    expect(readRecords(records, 'client')).toEqual({ items: records, leftOut: [], deviations: [] });
    expect(readRecords(records, 'client').items[0]).toBe(records[0]); // no copies
  });

  it('are left out, named and counted where they have not', () => {
    const odd = [null, 'x', {}, { id: '' }, { id: null }, { id: ['a'] }, { id: 1.5 }];
    expect(readRecords([{ id: 'a' }, ...odd], 'client')).toEqual({
      items: [{ id: 'a' }],
      leftOut: odd,
      deviations: [
        { field: 'data[]', problem: 'is no object; left out', records: 2 },
        { field: 'data[].id', problem: left, records: 5 },
      ],
    });
  });

  it('are read in other forms that mean the same', () => {
    const records = [
      { id: 7, status: 'active', created: '2026-01-02T03:04:05.678Z', email: null },
      { id: 'b', status: 'active', created: '1767323045' },
      { id: 'c', status: null, created: 1_767_323_045 },
      { id: 'd', status: 'active', created: 1 },
      { id: 'e', status: 'active', created: '3' },
    ];
    expect(readRecords(records, 'watch')).toEqual({
      items: [
        { id: '7', status: 'active', created: 1_767_323_045, email: null },
        { id: 'b', status: 'active', created: 1_767_323_045 },
        { id: 'd', status: 'active', created: 1 },
      ],
      leftOut: [records[2], records[4]],
      deviations: [
        { field: 'data[].id', problem: 'came in another form, and was read', records: 1 },
        { field: 'data[].created', problem: 'came in another form, and was read', records: 2 },
        { field: 'data[].status', problem: left, records: 1 },
        { field: 'data[].created', problem: 'lies before 1995', records: 1 },
        { field: 'data[].created', problem: left, records: 1 },
      ],
    });
  });

  it.each(Object.entries(neededFields))('of %s need exactly these fields', (reader, needed) => {
    const whole: Record<string, unknown> = { id: 'a', email: 'a@b.test', status: 's', created: 1, display: 'd' };
    for (const name of Object.keys(whole)) {
      const { items } = readRecords([{ ...whole, [name]: undefined }], reader as keyof typeof neededFields);
      expect(items.length === 0, name).toBe(name in needed);
    }
  });

  it('that were left out are with their page, which goes on', async () => {
    const told: Deviation[] = [];
    const { engine } = engineOn(
      [
        json({ data: [{ id: 'a' }, { email: 'x' }], has_more: true, next_cursor: 'c' }),
        json({ data: [{ id: null }, { id: 'b' }], has_more: false }),
      ],
      { onDeviation: (each) => told.push(each) },
    );
    const pages = [];
    for await (const page of engine.list('subscriptions.list', {}).pages()) pages.push(page);
    expect(pages.map(({ items }) => items)).toEqual([[{ id: 'a' }], [{ id: 'b' }]]);
    expect(pages.map(({ leftOut }) => leftOut)).toEqual([[{ email: 'x' }], [{ id: null }]]);
    expect(told.map(deviationText)).toEqual([`subscriptions.list: answered "data[].id": ${left}.`]);
    expect(pages[1]?.response.warnings).toEqual([{ code: 'deviation', message: `"data[].id": ${left}` }]);
    expect([await pages[0]?.place(), await pages[1]?.place()]).toEqual(['c', null]);
  });
});

it('a deviation is told once for its operation, part and field', () => {
  const told: Deviation[] = [];
  const tell = tellOnce((each) => told.push(each));
  const others = [
    { ...deviation, operation: 'customFields.list' as const },
    { ...deviation, part: 'request' as const },
    { ...deviation, field: 'data[].id' },
  ];
  for (const each of [deviation, { ...deviation, problem: 'else', records: 9 }, ...others, deviation]) tell(each);
  expect(told).toEqual([deviation, ...others]);
  expect(() => tellOnce(undefined)(deviation)).not.toThrow();
});

it('no more are told after 10,000: a caller may make up names without end', () => {
  let told = 0;
  const tell = tellOnce(() => (told += 1));
  for (let field = 0; field <= 10_000; field += 1) tell({ ...deviation, field: `data[].x${field}` });
  expect(told).toBe(10_000);
});

it('its texts name the field and the number of records', () => {
  expect(deviationText(deviation)).toBe('subscriptions.list: answered "data[].created": expected number.');
  expect(deviationText({ ...deviation, part: 'request', records: 3 })).toBe(
    'subscriptions.list: sent "data[].created": expected number (3 records).',
  );
  expect(deviationWarning({ ...deviation, records: 3 }).message).toBe('"data[].created": expected number (3 records)');
});

it('messages of the service are read in any form', () => {
  expect(messagesIn([{ message: 'a', code: 'B' }, 'c', { message: 7 }, null, 5])).toEqual([
    { message: 'a', code: 'B' },
    { message: 'c', code: '' },
    { message: '', code: '' },
  ]);
  for (const none of [undefined, null, {}, 'text', 3]) expect(messagesIn(none)).toEqual([]);
});

describe('a misspelt name', () => {
  const known = ['limit', 'email', 'order_by', 'double_opt_override', 'payments_customer_id', 'tier'];

  it.each([
    ['limt', 'limit'],
    ['limits', 'limit'],
    ['lmiit', 'limit'],
    ['Limit', 'limit'],
    ['order-by', 'order_by'],
    ['orderBy', 'order_by'],
    ['double_opt_overide', 'double_opt_override'],
    ['doubel_opt_overide', 'double_opt_override'],
    ['payment_customer_ids', 'payments_customer_id'],
    ['emaals', 'email'], // two letters, from six on
  ])('%s means %s', (name, meant) => {
    expect(nearMiss(name, known)).toBe(meant);
  });

  it.each(['stripe_customer_id', 'tags', 'segment', 'tie', 'mail_id', 'limitation', 'lymyt', 'lmxit', 'lxiit', ''])(
    '%j means none',
    (name) => {
      expect(nearMiss(name, known.slice(0, 5))).toBeUndefined();
    },
  );
});
