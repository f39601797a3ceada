/** Bulk Import reads dates, numbers, yes and no as their field of all items writes them, or asks for it once. */
import { expect, it } from 'vitest';
import { workbench } from './workbench.ts';

type Json = Readonly<Record<string, unknown>>;

const bench = workbench();
const nobodyLeftBy = 'Wants print, Berth length, Birthday';
const importOf = (items: readonly Json[], options: Json = {}) =>
  bench.run('subscription', 'bulkImport', { options: { nobodyLeftBy, ...options } }, { items });

async function fieldsOf(email: string): Promise<unknown> {
  bench.sandbox.clock.advance(3_600_000);
  return (await bench.run('subscription', 'get', { subscription: email }))[0]?.json['custom_fields'];
}

const items = [
  { email: 'a@example.com', 'Wants print': 'Ja', 'Berth length': '1.234', Birthday: '01/02/1990' },
  { email: 'b@example.com', 'Wants print': 'Nein', 'Berth length': null, Birthday: '' },
];

it('asks for everything before it sends anything, and reads the items by the answers', async () => {
  await expect(importOf(items)).rejects.toMatchObject({
    message: expect.stringMatching(
      /"Wants print" \(Ja 1, Nein 1\) does not show which value is yes. .*"Berth length" has numbers.*"Birthday" has dates/,
    ),
    description:
      'Add "Words for Yes and No" in Options, paste `Ja = ?, Nein = ?`, and write yes or no for each "?". Add "Date Order" in Options. Add "Decimal Mark" in Options. Nothing was sent.',
  });
  expect(bench.requests('subscriptions.bulkCreate')).toEqual([]);
  const answers = { yesNo: 'Ja = yes, Nein = no', dateOrder: 'dmy', decimalMark: ',' };
  const statuses = (await importOf(items, answers)).map(({ json }) => json['import_status']);
  expect(statuses).toEqual(['accepted', 'accepted']);
  expect(await fieldsOf('a@example.com')).toEqual({
    'Wants print': true,
    'Berth length': 1234,
    Birthday: '1990-02-01',
  });
  expect(await fieldsOf('b@example.com')).toEqual({ 'Wants print': false });
});

it('reads a text that can be two by the other texts of its field', async () => {
  const others = [{ email: 'c@example.com', 'Wants print': 'yes', 'Berth length': '12,5', Birthday: '31/01/1990' }];
  const output = await importOf([{ ...items[0], 'Wants print': 'no' }, ...others]);
  expect(output.map(({ json }) => json['reason'])).toEqual([null, null]);
  expect(await fieldsOf('a@example.com')).toEqual({
    'Wants print': false,
    'Berth length': 1234,
    Birthday: '1990-02-01',
  });
});

it('leaves out an item whose value is neither of the two that were answered', async () => {
  const answers = { yesNo: 'Ja = yes, Nein = no' };
  const output = await importOf([{ email: 'a@example.com', 'Wants print': 'vielleicht' }], answers);
  expect(output.map(({ json }) => json['reason'])).toEqual(['The custom field "Wants print" must be true or false']);
});

it('names an answer that cannot be read', async () => {
  await expect(importOf(items, { yesNo: 'guide' })).rejects.toMatchObject({
    message: expect.stringContaining('Say what "guide" means: guide = yes or no'),
  });
});
