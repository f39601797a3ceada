/** Bulk Import against the sandbox: one item out for each item in, whatever happens to its call. */
import { describe, expect, it } from 'vitest';
import { heapInUse } from '../../packages/relay/test/heap.ts';
import { workbench } from './workbench.ts';

const bench = workbench();

const importOf = (
  items: readonly Readonly<Record<string, unknown>>[],
  parameters: Readonly<Record<string, unknown>> = {},
  more: object = {},
) => bench.run('subscription', 'bulkImport', parameters, { items, ...more });

const readers = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ email: `reader.${index}@example.com` }));

async function subscriptionOf(email: string) {
  const [item] = await bench.run('subscription', 'get', {
    subscription: { mode: 'email', value: email },
    output: 'raw',
    options: { expand: ['custom_fields'] },
  });
  return item?.json;
}

describe('what comes out', () => {
  it('is one item for each item, in their order: taken with import and batch, or left out with the reason', async () => {
    const hints: { message: string }[] = [];
    const items = await importOf(
      [
        { email: 'ada@example.com' },
        { email: 'bo.example.com' },
        { name: 'no address' },
        { email: 'ADA@example.com' },
        { email: 'bo@example.com', tier: 'gold' },
        { email: 'cy@example.com' },
      ],
      {},
      { hints },
    );
    const id = expect.stringMatching(/^\S+$/);
    const none = { import_id: null, batch: null };
    expect(items.map(({ json }) => json)).toEqual([
      { email: 'ada@example.com', status: 'accepted', import_id: id, batch: 1, reason: null },
      { email: 'bo.example.com', status: 'rejected', ...none, reason: expect.stringContaining('e-mail address') },
      { email: null, status: 'rejected', ...none, reason: expect.stringContaining('"email" is missing') },
      {
        email: 'ADA@example.com',
        status: 'duplicate',
        ...none,
        reason: 'An earlier item has the same address: item 0',
      },
      { email: null, status: 'rejected', ...none, reason: '"Tier" must be one of free, premium' },
      { email: 'cy@example.com', status: 'accepted', import_id: id, batch: 1, reason: null },
    ]);
    expect(items.map(({ pairedItem }) => pairedItem)).toEqual([0, 1, 2, 3, 4, 5].map((item) => ({ item })));
    expect(hints.map(({ message }) => message)).toEqual([
      expect.stringContaining('4 of 6 items were not imported (3 rejected, 1 '),
    ]);
    expect(bench.requests('subscriptions.bulkCreate')).toHaveLength(1);
  });

  it('numbers the batches in the order of the items, a thousand each at most', async () => {
    const items = await importOf(readers(2_500));
    expect(items.map(({ json }) => json['batch'])).toEqual(
      readers(2_500).map((_, index) => Math.floor(index / 1000) + 1),
    );
    expect(new Set(items.map(({ json }) => json['import_id'])).size).toBe(3);
  });

  it('keeps to the size of a batch, and tells its progress in the log', async () => {
    const log: string[] = [];
    const items = await importOf(readers(25), { options: { batchSize: 10 } }, { log });
    expect(items.map(({ json }) => json['batch']).filter((batch, index, all) => batch !== all[index - 1])).toEqual([
      1, 2, 3,
    ]);
    expect(log).toContainEqual(expect.stringContaining('25 of 25 items'));
    expect(log.join()).not.toContain('@');
  });

  it('is nothing where nothing comes in', async () => {
    expect(await importOf([])).toEqual([]);
  });
});

describe('the mapping', () => {
  it('takes automatically what bears the name of a field, and sends custom fields by their kind', async () => {
    await importOf([
      {
        Email: ' ada@example.com ',
        'UTM Source': 'fair',
        'Team size': '12',
        Topics: 'boats, food',
        'Shoe size': 39,
        tier: 'free',
      },
    ]);
    bench.sandbox.clock.advance(60_000);
    expect(await subscriptionOf('ada@example.com')).toMatchObject({
      utm_source: 'fair',
      custom_fields: expect.arrayContaining([
        expect.objectContaining({ name: 'Team size', value: 12 }),
        expect.objectContaining({ name: 'Topics', value: ['boats', 'food'] }),
      ]),
    });
  });

  it.each([[[{ name: 'Team size', value: 7 }]], [{ 'Team size': 7 }]])(
    'takes custom fields as subscriptions have them: %j',
    async (custom_fields) => {
      await importOf([{ email: 'ada@example.com', custom_fields }]);
      bench.sandbox.clock.advance(60_000);
      expect(await subscriptionOf('ada@example.com')).toMatchObject({
        custom_fields: [expect.objectContaining({ name: 'Team size', value: 7 })],
      });
    },
  );

  it('takes field by field what the parameters say, item by item', async () => {
    const items = await importOf([{ who: 'ada@example.com' }, { who: 'bo@example.com' }, { who: '' }], {
      mapping: 'defineBelow',
      email: (index: number) => ['ada@example.com', 'bo@example.com', ''][index],
      customFields: { mappingMode: 'defineBelow', value: { 'First Name': 'Nova' } },
      additionalFields: (index: number) => ({ utm_source: `row-${index}` }),
    });
    expect(items.map(({ json }) => [json['status'], json['reason']])).toEqual([
      ['accepted', null],
      ['accepted', null],
      ['rejected', '"Email" is empty'],
    ]);
    bench.sandbox.clock.advance(60_000);
    expect(await subscriptionOf('bo@example.com')).toMatchObject({
      utm_source: 'row-1',
      custom_fields: [expect.objectContaining({ value: 'Nova' })],
    });
  });

  it('reads parameters that only name input fields without n8n, and all others with it', async () => {
    const rows = [
      { 'E-Mail': 'ada@example.com', team: '12', from: 'pier' },
      { 'E-Mail': 'bo@example.com', team: null, from: 7 },
      { 'E-Mail': '' },
    ];
    const evaluated: string[] = [];
    const run = async (stored: Readonly<Record<string, unknown>>) => {
      evaluated.length = 0;
      const note = (name: string, value: (row: (typeof rows)[number]) => unknown) => (index: number) => (
        evaluated.push(name),
        value(rows[index] ?? rows[0]!)
      );
      const parameters = {
        mapping: 'defineBelow',
        email: note('email', (row) => row['E-Mail']),
        customFields: note('customFields', ({ team }) => ({
          mappingMode: 'defineBelow',
          value: { 'Team size': team },
        })),
        additionalFields: note('additionalFields', ({ from }) => ({ utm_source: from, tier: 'free' })),
      };
      const items = await importOf(rows, parameters, { stored });
      bench.sandbox.clock.advance(60_000);
      return [
        items.map(({ json }) => [json['email'], json['status'], json['reason']]),
        await subscriptionOf('ada@example.com'),
        await subscriptionOf('bo@example.com'),
      ];
    };
    const plain = {
      email: '={{ $json["E-Mail"] }}',
      customFields: { mappingMode: 'defineBelow', value: { 'Team size': '={{ $json.team }}' } },
      additionalFields: { utm_source: '={{$json.from}}', tier: 'free' },
    };
    const quick = await run(plain);
    expect(evaluated).toEqual([]);
    expect(quick[0]).toEqual([
      ['ada@example.com', 'accepted', null],
      ['bo@example.com', 'accepted', null],
      [null, 'rejected', '"Email" is empty'],
    ]);
    for (const email of ['={{ $json["E-Mail"].trim() }}', '={{ $json["E-Mail"] }} ', '=a{{ $json.x }}', undefined]) {
      const slow = await run({ ...plain, email });
      expect(evaluated).toContain('email');
      expect(slow).toEqual(quick);
    }
  });

  it('rejects the item whose custom field is of the wrong kind, and no other', async () => {
    const items = await importOf([
      { email: 'ada@example.com', 'Team size': 'many' },
      { email: 'bo@example.com', 'Team size': 3 },
    ]);
    expect(items.map(({ json }) => [json['status'], json['reason']])).toEqual([
      ['rejected', 'The custom field "Team size" must be a whole number'],
      ['accepted', null],
    ]);
  });
});

describe('a call that fails', () => {
  const failing = () =>
    bench.sandbox.faults.add({ match: 'subscriptions.bulkCreate', effect: { status: 403 }, nth: 2, times: 1 });
  const parameters = { options: { batchSize: 10 } };

  it('comes out as failed items, and does not keep the others from being told', async () => {
    failing();
    const items = await importOf(readers(20), parameters, { continueOnFail: true });
    expect(items).toHaveLength(20);
    expect(items.slice(0, 10).every(({ json }) => json['status'] === 'accepted')).toBe(true);
    expect(items.slice(10).every(({ json, error }) => error !== undefined && typeof json['error'] === 'string')).toBe(
      true,
    );
    expect(items.map(({ pairedItem }) => pairedItem?.item)).toEqual(readers(20).map((_, index) => index));
    // One error for all of them: of twenty thousand items no twenty thousand errors are made.
    expect(new Set(items.slice(10).map(({ error }) => error)).size).toBe(1);
  });

  it('lets the node fail once everything was tried, and says how many', async () => {
    failing();
    await expect(importOf(readers(20), parameters)).rejects.toMatchObject({
      message: expect.stringMatching(/^10 of 20 items were not imported: /),
      description: expect.stringContaining('set On Error in the Settings'),
    });
    expect(
      bench
        .requests('subscriptions.bulkCreate')
        .map(({ status }) => status)
        .toSorted(),
    ).toEqual([200, 403]);
  });

  it('is divided where the service refuses it, so that only the items at fault are rejected', async () => {
    /** A service that is stricter than the sandbox: it knows no quiet.example. */
    const fetch: typeof bench.sandbox.fetch = async (input, init) => {
      const { subscriptions = [] } = JSON.parse(typeof init?.body === 'string' ? init.body : '{}') as {
        subscriptions?: { email: string }[];
      };
      const at = subscriptions.findIndex(({ email }) => email.endsWith('@quiet.example'));
      if (at < 0) return bench.sandbox.fetch(input, init);
      return Response.json(
        {
          status: 400,
          statusText: 'Bad Request',
          errors: [{ message: `subscriptions[${at}].email is undeliverable.`, code: 'INVALID' }],
        },
        { status: 400 },
      );
    };
    const items = await importOf(
      [...readers(3), { email: 'bo@quiet.example' }, { email: 'cy@example.com' }],
      {},
      { sandbox: { fetch } },
    );
    expect(items.map(({ json }) => json['status'])).toEqual([
      'accepted',
      'accepted',
      'accepted',
      'rejected',
      'accepted',
    ]);
    expect(items[3]?.json['reason']).toContain('the service refused it');
  });

  it('costs only the item whose expression fails', async () => {
    const email = (index: number) => {
      if (index === 1) throw new Error('Referenced node is not there');
      return `reader.${index}@example.com`;
    };
    const items = await importOf(
      readers(3),
      { mapping: 'defineBelow', email, customFields: {}, additionalFields: {} },
      { continueOnFail: true },
    );
    expect(items.map(({ json }) => json['status'] ?? json['error'])).toEqual([
      'accepted',
      'Referenced node is not there',
      'accepted',
    ]);
  });
});

it('goes no further once the execution is stopped, and tells what was not sent', async () => {
  const stop = new AbortController();
  const fetch = async (...request: Parameters<typeof bench.sandbox.fetch>) => {
    const answer = await bench.sandbox.fetch(...request);
    if (request[1]?.method === 'POST') stop.abort();
    return answer;
  };
  const items = await importOf(
    readers(100),
    { options: { batchSize: 10 } },
    { signal: stop.signal, sandbox: { fetch }, continueOnFail: true },
  );
  expect(items).toHaveLength(100);
  const taken = items.filter(({ json }) => json['status'] === 'accepted').length;
  expect(taken).toBeGreaterThanOrEqual(10);
  expect(taken).toBeLessThan(100);
  expect(items.at(-1)?.json['error']).toContain('stopped before the item was sent');
});

it('keeps little of 20,000 items', async () => {
  const before = heapInUse();
  const items = await importOf(readers(20_000));
  expect(items.filter(({ json }) => json['status'] === 'accepted')).toHaveLength(20_000);
  expect(heapInUse() - before).toBeLessThan(300);
  expect(bench.requests('subscriptions.bulkCreate')).toHaveLength(20);
});
