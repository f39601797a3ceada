/** Bulk Import against the sandbox: one output item for each input item, also when a request fails. */
import { describe, expect, it } from 'vitest';
import { heapInUse } from '../../packages/relay/test/heap.ts';
import { importRows, mappedManually, mistakes } from './importMistakes.ts';
import { workbench } from './workbench.ts';

const bench = workbench();

const importOf = (
  items: readonly Readonly<Record<string, unknown>>[],
  { options, ...parameters }: Readonly<Record<string, unknown>> = {},
  more: object = {},
) =>
  bench.run(
    'subscription',
    'bulkImport',
    { options: { allowLargeImport: true, ...(options as object) }, ...parameters },
    { items, ...more },
  );

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

describe('the output', () => {
  it('has one item per input item in order: accepted with import and batch, or left out with the reason', async () => {
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
      { options: { nobodyLeftBy: 'name' } },
      { hints },
    );
    const id = expect.stringMatching(/^\S+$/);
    const none = { import_id: null, batch: null };
    expect(items.map(({ json }) => json)).toEqual([
      { email: 'ada@example.com', import_status: 'accepted', import_id: id, batch: 1, reason: null },
      {
        email: 'bo.example.com',
        import_status: 'rejected',
        ...none,
        reason: expect.stringContaining('e-mail address'),
      },
      { email: null, import_status: 'rejected', ...none, reason: expect.stringContaining('"email" is missing') },
      {
        email: 'ADA@example.com',
        import_status: 'duplicate',
        ...none,
        reason: 'An earlier item has the same address: item 1',
      },
      { email: 'bo@example.com', import_status: 'rejected', ...none, reason: '"tier" must be one of free, premium' },
      { email: 'cy@example.com', import_status: 'accepted', import_id: id, batch: 1, reason: null },
    ]);
    expect(items.map(({ pairedItem }) => pairedItem)).toEqual([0, 1, 2, 3, 4, 5].map((item) => ({ item })));
    expect(hints.map(({ message }) => message)).toEqual([
      expect.stringContaining('4 of 6 items were not imported (3 rejected, 1 '),
    ]);
    // It names fields that the items have.
    const named = hints.flatMap(({ message }) => Array.from(message.matchAll(/"(\w+)"/g), ([, name]) => name));
    expect(named).toEqual(['import_status', 'reason']);
    for (const { json } of items) expect(Object.keys(json)).toEqual(expect.arrayContaining(named));
    expect(bench.requests('subscriptions.bulkCreate')).toHaveLength(1);
  });

  it('respects Batch Size, and logs its progress', async () => {
    const log: string[] = [];
    const items = await importOf(readers(25), { options: { batchSize: 10 } }, { log });
    expect(items.map(({ json }) => json['batch'])).toEqual(readers(25).map((_, index) => Math.floor(index / 10) + 1));
    expect(new Set(items.map(({ json }) => json['import_id'])).size).toBe(3);
    expect(log).toContainEqual(expect.stringContaining('25 of 25 items'));
    expect(log.join()).not.toContain('@');
  });

  it('has the reason alone at the error output, where n8n adds the input', async () => {
    const hints: { message: string }[] = [];
    const items = await importOf(
      [{ email: 'ada@example.com' }, { 'E-Mail': 'bo.example.com' }, { email: 'Ada@example.com' }],
      {},
      { onError: 'continueErrorOutput', hints },
    );
    expect(items.map(({ json, error }) => [json['import_status'] ?? json, error])).toEqual([
      ['accepted', undefined],
      [{ error: '"E-Mail" must be an e-mail address such as name@example.com' }, undefined],
      [{ error: 'An earlier item has the same address: item 1' }, undefined],
    ]);
    expect(hints.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^2 of 3 items were not imported \(1 rejected, 1 .*They are at the error output/),
    ]);
  });
});

describe('the mapping', () => {
  it.each([
    [{ custom_fields: [{ name: 'Team size', value: 7 }] }],
    [{ custom_fields: { 'Team size': 7 } }],
    [{ 'custom:TEAM_SIZE': '7', Subscriber: '' }],
  ])('accepts custom fields by name and as subscriptions have them: %j', async (fields) => {
    await importOf([{ 'E-Mail': ' ada@example.com ', ...fields }]);
    bench.sandbox.clock.advance(60_000);
    expect(await subscriptionOf('ada@example.com')).toMatchObject({
      custom_fields: [expect.objectContaining({ name: 'Team size', value: 7 })],
    });
  });

  it('evaluates constants and columns once, and every other expression for each item', async () => {
    const rows = [
      { 'E-Mail': 'ada@example.com', team: '12', likes: ['boats', 'food'], from: 'pier' },
      { 'E-Mail': 'bo@example.com', team: null, likes: 'a, b', from: 7 },
      { 'E-Mail': '', likes: { not: 'a list' } },
      { 'E-Mail': 'cy@example.com', team: 'many', from: { a: 'b' } },
      { 'E-Mail': 'di@example.com', from: { a: 'b' } },
    ];
    const run = async (email: string, team: string, source: string) => {
      const reads: string[] = [];
      const stored = {
        mapping: 'defineBelow',
        email,
        customFields: { mappingMode: 'defineBelow', value: { 'Team size': team, Topics: '={{ $json["likes"] }}' } },
        additionalFields: { utm_source: source, tier: 'free' },
      };
      const items = await importOf(rows, { options: { nobodyLeftBy: 'team' } }, { reads, stored });
      const count = (name: string): number => reads.filter((read) => read === name).length;
      bench.sandbox.clock.advance(60_000);
      return {
        counts: ['email', 'customFields.value', 'additionalFields', 'customFields.mappingMode'].map(count),
        came: [
          items.map(({ json }) => [json['email'], json['import_status'], json['reason']]),
          ...(await Promise.all(['ada@example.com', 'bo@example.com'].map(subscriptionOf))),
        ],
      };
    };
    const quick = await run('={{ $json["E-Mail"] }}', '={{$json.team}}', "={{ $json['from'] }}");
    expect(quick.counts).toEqual([1, 1, 1, 1]);
    expect(quick.came[0]).toEqual([
      ['ada@example.com', 'accepted', null],
      ['bo@example.com', 'accepted', null],
      [null, 'rejected', '"Email" is empty'],
      ['cy@example.com', 'rejected', '"UTM Source" must be a text'],
      ['di@example.com', 'rejected', '"UTM Source" must be a text'],
    ]);
    expect(quick.came[1]).toMatchObject({
      utm_source: 'pier',
      custom_fields: [{ value: 12 }, { value: ['boats', 'food'] }],
    });

    const slow = await run('={{ $json["E-Mail"].trim() }}', '={{ [$json.team][0] }}', '={{ $input.item.json.from }}');
    expect(slow.counts).toEqual([5, 2, 5, 1]); // nothing more of an item is read after a value that does not fit
    expect(slow.came).toEqual(quick.came);
  });

  it('reads the publication for each item', async () => {
    const other = 'pub_00000000-0000-4000-8000-000000000009';
    const publications = ['pub_00000000-0000-4000-8000-000000000001', other, other];
    await importOf(
      publications.map((pub, index) => ({ email: `reader.${index}@example.com`, pub })),
      { options: { nobodyLeftBy: 'pub' } },
      { stored: { publicationId: { __rl: true, mode: 'id', value: '={{ $json.pub }}' } }, continueOnFail: true },
    );
    const paths = bench.sandbox.requests().map(({ path }) => path);
    for (const publication of publications) expect(paths).toContainEqual(expect.stringContaining(publication));
  });

  it('passes names of Object.prototype on to n8n, which rejects them', async () => {
    const stored = {
      mapping: 'defineBelow',
      email: '={{ $json.constructor }}',
      customFields: {},
      additionalFields: {},
    };
    const [item] = await importOf([{ email: 'ada@example.com' }], {}, { stored, continueOnFail: true });
    expect(item?.json['error']).toContain('constructor');
  });

  it('reports input fields that match no field, and custom fields that do not exist', async () => {
    const hints: { message: string }[] = [];
    const items = await importOf(
      [
        { email: 'ada@example.com', notes: 'fair', custom_fields: { 'Given name': ['Ada'], 'Team size': 3 } },
        { email: 'bo@example.com', notes: 'pier', LEID: 7, 'custom:Berth': 'A' },
      ],
      {},
      { hints },
    );
    expect(items.map(({ json }) => [json['import_status'], json['reason']])).toEqual([
      ['accepted', 'The publication has no custom field "Given name"; the rest of the item was imported'],
      ['accepted', 'The publication has no custom field "Berth"; the rest of the item was imported'],
    ]);
    expect(hints.map(({ message }) => message)).toEqual([
      'The publication has no custom field "Given name" or "Berth"; the values were left out. If a field was renamed, choose it again in Custom Fields. Custom Field: Create makes a new one.',
      'No parameter of the operation and no custom field is named like the input fields "notes" and "LEID"; they were left out.',
    ]);
  });

  it('reports a custom field that was renamed while the import ran', async () => {
    const [field] = (await bench.run('customField', 'getMany', { returnAll: true })).filter(
      ({ json }) => json['display'] === 'First Name',
    );
    const customFieldId = { mode: 'id', value: field?.json['id'] };
    const renaming = bench.before('POST', (_, times) =>
      times === 2 ? bench.run('customField', 'update', { customFieldId, display: 'Given name' }) : undefined,
    );
    const hints: { message: string }[] = [];
    const rows = readers(4).map((row) => ({ ...row, 'First Name': 'Ada', 'Team size': 3 }));
    const options = { batchSize: 1, nobodyLeftBy: 'First Name, Team size' };
    await importOf(rows, { options }, { ...renaming, hints });
    expect(hints.map(({ message }) => message)).toEqual([
      'The custom field "First Name" was renamed or deleted while the import ran; accepted items may lack its value. Import them again with its new name.',
    ]);
  });
});

describe('2,000 rows with mistakes', () => {
  it.each([
    ['Map Automatically', 'automatically', undefined],
    ['Map Each Column Manually', 'manually', mappedManually],
  ] as const)(
    '%s: imports every valid row, and names the field at fault in every other row',
    async (_, way, stored) => {
      const kinds = mistakes.filter((mistake) => mistake[way] !== undefined);
      const rows = importRows(2_000, kinds);
      const total = async (): Promise<number> => {
        const response = await bench.sandbox.fetch('http://sandbox.test/_sandbox/subscriptions?limit=1', {
          headers: { authorization: 'Bearer sandbox-key' },
        });
        return ((await response.json()) as { total: number }).total;
      };
      const before = await total();
      const hints: { message: string }[] = [];
      const items = await importOf(
        rows.map(({ row }) => row),
        { options: { nobodyLeftBy: 'Wants print, Birthday, Last visit, Topics, Berth length, first_name' } },
        { hints, ...(stored && { stored }) },
      );
      const bad = rows.filter(({ mistake }) => mistake !== undefined);
      expect(new Set(bad.map(({ mistake }) => mistake)).size).toBe(kinds.length);
      const wrong = rows.flatMap(({ row, mistake }, index) => {
        const { import_status: status, reason, email } = items[index]?.json ?? {};
        const fits =
          mistake === undefined
            ? status === 'accepted' && reason === null && email === row['E-Mail']
            : status !== 'accepted' && String(reason).startsWith(mistake[way] ?? '');
        return fits ? [] : [{ index, mistake: mistake?.name, status, reason }];
      });
      expect(wrong).toEqual([]);
      expect(hints.map(({ message }) => message)).toEqual([
        expect.stringContaining(`${bad.length} of 2000 items were not imported`),
      ]);

      bench.sandbox.clock.advance(3_600_000);
      expect((await total()) - before).toBe(rows.length - bad.length);
      const [first] = rows.filter(({ mistake }) => mistake === undefined).slice(-1);
      expect(await subscriptionOf(String(first?.row['E-Mail']))).toMatchObject({
        utm_source: 'import',
        custom_fields: expect.arrayContaining([
          expect.objectContaining({ name: 'Wants print' }),
          expect.objectContaining({ name: 'Topics', value: ['boats', 'food'] }),
          expect.objectContaining({ name: 'Last visit', value: '2026-01-10T09:30:00Z' }),
        ]),
      });
    },
  );
});

describe('a call that fails', () => {
  const failing = () =>
    bench.sandbox.faults.add({ match: 'subscriptions.bulkCreate', effect: { status: 403 }, nth: 2, times: 1 });
  const parameters = { options: { batchSize: 10 } };

  it('returns failed items, and the outcome of the others', async () => {
    failing();
    const items = await importOf(readers(20), parameters, { continueOnFail: true });
    expect(items).toHaveLength(20);
    expect(items.slice(0, 10).every(({ json }) => json['import_status'] === 'accepted')).toBe(true);
    expect(items.slice(10).every(({ json, error }) => error !== undefined && typeof json['error'] === 'string')).toBe(
      true,
    );
    expect(items.map(({ pairedItem }) => pairedItem?.item)).toEqual(readers(20).map((_, index) => index));
    // All items of a failed request share one error.
    expect(new Set(items.slice(10).map(({ error }) => error)).size).toBe(1);
  });

  it('fails the node after all items were tried, with the number of failures', async () => {
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

  it('is divided after a refusal, so that only the invalid items are rejected', async () => {
    /** A service that is stricter than the sandbox: it rejects addresses at quiet.example. */
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
    expect(items.map(({ json }) => json['import_status'])).toEqual([
      'accepted',
      'accepted',
      'accepted',
      'rejected',
      'accepted',
    ]);
    expect(items[3]?.json['reason']).toContain('the service refused it');
  });
});

it('stops when the execution is stopped, and reports the items that were not sent', async () => {
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
  const taken = items.filter(({ json }) => json['import_status'] === 'accepted').length;
  expect(taken).toBeGreaterThanOrEqual(10);
  expect(taken).toBeLessThan(100);
  expect(items.at(-1)?.json['error']).toContain('stopped before the item was sent');
});

it('imports 20,000 items with little memory', async () => {
  const before = heapInUse();
  const items = await importOf(readers(20_000));
  expect(items.filter(({ json }) => json['import_status'] === 'accepted')).toHaveLength(20_000);
  expect(heapInUse() - before).toBeLessThan(300);
  expect(bench.requests('subscriptions.bulkCreate')).toHaveLength(20);
});
