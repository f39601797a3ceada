/** Running several items: their order, their errors, and the contexts they share. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Run } from './context.ts';
import { workbench } from './workbench.ts';

const bench = workbench();

/**
 * A sandbox with delayed answers, which counts concurrent requests.
 *
 * @param takes - turns of the event loop that the answer to the n-th request takes
 */
function slowSandbox(takes: (n: number) => number) {
  const seen = { now: 0, most: 0, begun: 0 };
  const sandbox: Run['sandbox'] = {
    async fetch(input, init) {
      seen.most = Math.max(seen.most, ++seen.now);
      for (let turns = takes(seen.begun++); turns > 0; turns -= 1) await new Promise(setImmediate);
      seen.now -= 1;
      return bench.sandbox.fetch(input, init);
    },
  };
  return { seen, sandbox };
}

/** Creates or updates the subscription of each address; its first name is the number of the item. */
function createAll(addresses: readonly string[], sandbox: Run['sandbox']) {
  const parameters = {
    email: (index: number) => addresses[index],
    customFields: (index: number) => ({ mappingMode: 'defineBelow', value: { 'First Name': `item ${index}` } }),
  };
  return bench.run('subscription', 'createOrUpdate', parameters, {
    sandbox,
    items: addresses.map((email) => ({ email })),
  });
}

/** The first name of an address at the service. */
async function firstNameOf(email: string): Promise<unknown> {
  const [item] = await bench.run('subscription', 'get', {
    subscription: email,
    options: { expand: ['custom_fields'] },
  });
  return (item?.json['custom_fields'] as Readonly<Record<string, unknown>> | undefined)?.['First Name'];
}

it('returns the items in their order; for a repeated address the last item wins', async () => {
  const address = fc.constantFrom(
    'a@example.com',
    'A@example.com',
    ' a@example.com',
    'b@example.com',
    'c@example.com',
    'd@example.com',
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(address, { minLength: 1, maxLength: 12 }),
      fc.array(fc.nat(3), { minLength: 1, maxLength: 5 }),
      async (addresses, delays) => {
        const { sandbox } = slowSandbox((n) => delays[n % delays.length] ?? 0);
        const items = await createAll(addresses, sandbox);
        expect(items.map(({ pairedItem }) => pairedItem)).toEqual(addresses.map((_, item) => ({ item })));
        const last = new Map(addresses.map((email, index) => [email.trim().toLowerCase(), index]));
        for (const [email, index] of last) expect(await firstNameOf(email)).toBe(`item ${index}`);
      },
    ),
    { numRuns: 15 },
  );
});

it('sends several requests at a time, and at most ten', async () => {
  const { seen, sandbox } = slowSandbox(() => 2);
  await createAll(
    Array.from({ length: 60 }, (_, index) => `person.${index}@example.com`),
    sandbox,
  );
  expect(seen.most).toBeGreaterThan(2);
  expect(seen.most).toBeLessThanOrEqual(10);
});

it('starts no item after the first failure', async () => {
  const addresses = Array.from({ length: 60 }, (_, index) =>
    index === 3 ? 'no address' : `person.${index}@example.com`,
  );
  const { sandbox } = slowSandbox((n) => (n < 5 ? 0 : 20));
  await expect(createAll(addresses, sandbox)).rejects.toThrow(/address|email/i);
  expect(bench.requests('subscriptions.create').length).toBeLessThan(15);
});

it('runs the items of an operation without a record one after the other', async () => {
  const { seen, sandbox } = slowSandbox(() => 2);
  const items = Array.from({ length: 5 }, () => ({}));
  await bench.run(
    'customField',
    'create',
    { display: (n: number) => `Field ${n}`, kind: 'string' },
    { sandbox, items },
  );
  expect(seen.most).toBe(1);
  expect(seen.begun).toBe(5);
});

it('evaluates the address of each item once', async () => {
  const reads: string[] = [];
  const email = (index: number) => `person.${index}@example.com`;
  await bench.run('subscription', 'createOrUpdate', { email, customFields: {} }, { reads, items: [{}, {}, {}] });
  expect(reads.filter((name) => name === 'email')).toHaveLength(3);
});

it('fails only the item whose address cannot be evaluated', async () => {
  const email = (index: number) => {
    if (index === 1) throw new Error('The expression failed');
    return `person.${index}@example.com`;
  };
  const items = await bench.run(
    'subscription',
    'createOrUpdate',
    { email, customFields: {} },
    { items: [{}, {}, {}], continueOnFail: true },
  );
  expect(items.map(({ json }) => json['error'] ?? json['email'])).toEqual([
    'person.0@example.com',
    'The expression failed',
    'person.2@example.com',
  ]);
});

it('shows equal hints of several items once', async () => {
  const customFields = { mappingMode: 'defineBelow', value: { 'Shoe size': '39' } };
  const email = (index: number) => `person.${index}@example.com`;
  const hints: { message: string; type?: string; location?: string }[] = [];
  const run = (more: Partial<Run>) =>
    bench.run('subscription', 'create', { email, customFields }, { items: [{}, {}], ...more });
  expect(await run({ hints })).toHaveLength(2);
  expect(hints).toEqual([
    { message: expect.stringContaining('with a warning of the service'), type: 'warning', location: 'outputPane' },
  ]);
});

it('returns the records of each item in the form of Output', async () => {
  const parameters = { output: 'selected', fields: ['id'], limit: 2 };
  const items = await bench.run('automation', 'getMany', parameters, { items: [{}, {}] });
  expect(items.map(({ pairedItem }) => pairedItem?.item)).toEqual([0, 0, 1, 1]);
  for (const { json } of items) expect(Object.keys(json)).toEqual(['id']);
});

it('returns the output of an operation without Output unchanged', async () => {
  const [field] = await bench.run('customField', 'getMany', { limit: 1 });
  const deleted = await bench.run('customField', 'delete', { customFieldId: field?.json['id'] });
  expect(deleted).toEqual([{ json: { deleted: true }, pairedItem: { item: 0 } }]);
});

it('stops with the execution', async () => {
  const signal = AbortSignal.abort();
  await expect(bench.run('automation', 'getMany', {}, { signal })).rejects.toThrow(/stopped|aborted/i);
  expect(bench.sandbox.requests()).toEqual([]);
});

describe('an item with an error', () => {
  const wrongKey: Partial<Run> = { credential: { apiKey: 'no-such-key' }, items: [{}, {}] };
  const run = (more: Partial<Run>) => bench.run('automation', 'getMany', {}, { ...wrongKey, ...more });

  it('has message and remedy, and the error itself', async () => {
    const items = await run({ onError: 'continueRegularOutput' });
    expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
    for (const { json, error } of items) {
      expect(error).toMatchObject({ description: expect.stringContaining('Check the API Key') });
      expect(json).toEqual({ error: expect.stringMatching(/^[^.]+\. Check the API Key of the credential/) });
    }
  });

  it('has the remedy once where several items share an error', async () => {
    const items = [{ email: 'a@example.com' }, { email: 'b@example.com' }];
    const output = await bench.run('subscription', 'bulkImport', {}, { ...wrongKey, items, continueOnFail: true });
    for (const { json } of output) expect(String(json['error']).match(/Check the API Key/g)).toHaveLength(1);
  });

  it('does not stop the other items', async () => {
    const email = (index: number) => ['ada@example.com', 'no address', 'grace@example.com'][index];
    const parameters = { email, customFields: {}, additionalFields: {} };
    const items = await bench.run('subscription', 'create', parameters, { items: [{}, {}, {}], continueOnFail: true });
    expect(items.map(({ pairedItem }) => pairedItem?.item)).toEqual([0, 1, 2]);
    expect(items[1]).toMatchObject({ json: { error: expect.any(String) }, error: { httpCode: '400' } });
    expect(items[2]?.json).toMatchObject({ email: 'grace@example.com' });
  });

  it('has the message alone where there is no remedy', async () => {
    const items = await bench.run('automation', 'get', { automationId: '' }, { continueOnFail: true });
    expect(items.map(({ json }) => json)).toEqual([{ error: '"Automation" is empty' }]);
  });

  it('has one period between a message of the service and the remedy', async () => {
    const errors = [{ message: 'Not in v2.1 today.', code: 'NO' }];
    const fetch = async () => Response.json({ status: 400, statusText: 'bad_request', errors }, { status: 400 });
    const [item] = await bench.run('automation', 'getMany', {}, { sandbox: { fetch }, continueOnFail: true });
    expect(item?.json['error']).toMatch(/^Not in v2\.1 today\. Correct the fields/);
  });

  it('has no error object at the error output, where n8n adds the input', async () => {
    const [item] = await run({ onError: 'continueErrorOutput' });
    expect(item).toEqual({ json: { error: expect.stringContaining('Check the API Key') }, pairedItem: { item: 0 } });
  });
});

describe('the selected operation', () => {
  it.each([
    ['subscription', 'merge'],
    ['invoice', 'getMany'],
  ])('is rejected where the node has none: %s %s', async (resource, operation) => {
    await expect(bench.run(resource, operation)).rejects.toMatchObject({
      message: `This version of the node has no operation "${operation}" for "${resource}"`,
      description: expect.stringContaining('Choose a Resource and an Operation'),
    });
  });

  it('shares one engine between the items of a publication', async () => {
    const publicationId = (index: number) => (index % 2 === 0 ? '' : 'pub_00000000-0000-4000-8000-000000000001');
    await bench.run(
      'subscription',
      'createOrUpdate',
      {
        publicationId,
        email: (index: number) => `person.${index}@example.com`,
        customFields: { mappingMode: 'defineBelow', value: { 'First Name': 'Nova' } },
      },
      { items: [{}, {}, {}, {}] },
    );
    expect(bench.requests('customFields.list')).toHaveLength(2);
  });

  it.each([
    ['publicationField', 0],
    ['automation', 1],
  ])('reads no publication where it takes none: %s', async (resource, count) => {
    const reads: string[] = [];
    await bench.run(resource, 'getMany', {}, { reads });
    expect(reads.filter((name) => name === 'publicationId')).toHaveLength(count);
  });
});

const known = async (count: number): Promise<readonly string[]> =>
  (await bench.run('subscription', 'getMany', { limit: count })).map(({ json }) => String(json['id']));

/** A publication whose expression fails for the item at this index, so that the item has no context. */
const failingAt = (failing: number) => (index: number) => {
  if (index === failing) throw new Error('The expression failed');
  return '';
};

describe.each([
  ['bulkUpdate', 'subscriptions.bulkUpdate'],
  ['updateStatus', 'subscriptions.updateStatus'],
  ['bulkImport', 'subscriptions.bulkCreate'],
])('%s of an item without a context', (operation, request) => {
  const run = async (continueOnFail: boolean, failing = 1) => {
    const ids = await known(3);
    return bench.run(
      'subscription',
      operation,
      {
        publicationId: failingAt(failing),
        subscription: (index: number) => ({ mode: 'id', value: ids[index] }),
        new_status: 'inactive',
        customFields: {},
        updateFields: { tier: 'premium' },
      },
      { items: ids.map((_, index) => ({ email: `person.${index}@example.com` })), continueOnFail },
    );
  };

  it('fails the node before any request', async () => {
    await expect(run(false)).rejects.toMatchObject({
      message: 'The expression failed',
      context: { itemIndex: 1 },
    });
    expect(bench.requests(request)).toEqual([]);
  });

  it('does not fail the node where every item has one', async () => {
    expect(await run(false, -1)).toHaveLength(3);
    expect(bench.requests(request)).toHaveLength(1);
  });

  it('runs the other items with Continue On Fail, and returns all in their order', async () => {
    const items = await run(true);
    expect(items.map(({ pairedItem, json }) => [pairedItem?.item, 'error' in json])).toEqual([
      [0, false],
      [1, true],
      [2, false],
    ]);
    expect(items[1]?.json['error']).toBe('The expression failed');
    expect(bench.requests(request)).toHaveLength(1);
  });
});
