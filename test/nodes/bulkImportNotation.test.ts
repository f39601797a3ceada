/** Bulk Import reads dates, numbers, yes and no as their field of all items writes them, or asks for it once. */
import type { Client } from '@newsletter-kit/core';
import { createSandbox, type Sandbox } from '@newsletter-kit/sandbox';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { clientOf } from './context.ts';
import { workbench } from './workbench.ts';

type Json = Readonly<Record<string, unknown>>;

const bench = workbench();
let sandbox: Sandbox;
let client: Client;
beforeEach(async () => {
  sandbox = createSandbox({ seed: 'empty' });
  client = clientOf(sandbox);
  for (const [display, kind] of Object.entries({ Guide: 'boolean', Price: 'double', Born: 'date' } as const))
    await client.customFields.create({ display, kind });
});
afterEach(() => sandbox.close());

const nobodyLeftBy = 'guide, price, born';
const importOf = (items: readonly Json[], options: Json = {}) =>
  bench.run('subscription', 'bulkImport', { options: { nobodyLeftBy, ...options } }, { items, sandbox });

async function fieldsOf(email: string): Promise<Json> {
  sandbox.clock.advance(3_600_000);
  const { items } = await client.subscriptions.list({ email, expand: ['custom_fields'] });
  return Object.fromEntries((items[0]?.custom_fields ?? []).map(({ name, value }) => [name, value]));
}

const items = [
  { email: 'a@example.com', guide: 'Ja', price: '1.234', born: '01/02/1990' },
  { email: 'b@example.com', guide: 'Nein', price: null, born: '' },
];

it('asks for everything before it sends anything, and reads the items by the answers', async () => {
  await expect(importOf(items)).rejects.toMatchObject({
    message: expect.stringMatching(
      /"guide" \(Ja 1, Nein 1\) does not show which value is yes. .*"price" has numbers.*"born" has dates/,
    ),
    description:
      'Add "Words for Yes and No" in Options, paste `Ja = ?, Nein = ?`, and write yes or no for each "?". Add "Date Order" in Options. Add "Decimal Mark" in Options. Nothing was sent.',
  });
  expect(sandbox.requests().filter(({ operation }) => operation === 'subscriptions.bulkCreate')).toEqual([]);
  const answers = { yesNo: 'Ja = yes, Nein = no', dateOrder: 'dmy', decimalMark: ',' };
  const statuses = (await importOf(items, answers)).map(({ json }) => json['import_status']);
  expect(statuses).toEqual(['accepted', 'accepted']);
  expect(await fieldsOf('a@example.com')).toEqual({ Guide: true, Price: 1234, Born: '1990-02-01' });
  expect(await fieldsOf('b@example.com')).toEqual({ Guide: false });
});

it('reads a text that can be two by the other texts of its field', async () => {
  const others = [{ email: 'c@example.com', guide: 'yes', price: '12,5', born: '31/01/1990' }];
  const [first] = items;
  const output = await importOf([{ ...first, guide: 'no' }, ...others]);
  expect(output.map(({ json }) => json['reason'])).toEqual([null, null]);
  expect(await fieldsOf('a@example.com')).toEqual({ Guide: false, Price: 1234, Born: '1990-02-01' });
});

it('leaves out an item whose value is neither of the two that were answered', async () => {
  const answers = { yesNo: 'Ja = yes, Nein = no' };
  const output = await importOf([{ email: 'a@example.com', guide: 'vielleicht' }], answers);
  expect(output.map(({ json }) => json['reason'])).toEqual([
    '"guide" must be true or false, because it fills the custom field "Guide"',
  ]);
});

it('names an answer that cannot be read', async () => {
  await expect(importOf(items, { yesNo: 'guide' })).rejects.toMatchObject({
    message: expect.stringContaining('Say what "guide" means: guide = yes or no'),
  });
});
