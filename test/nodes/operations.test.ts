/** The operations of the node: output, refusals, list searches, and those of other resources than subscriptions. */
import { describe, expect, it } from 'vitest';
import { fillings, offered } from './parameters.ts';
import { workbench } from './workbench.ts';

const bench = workbench();
const ada = { mode: 'email', value: 'ada.lovelace@example.com' };

describe('the output', () => {
  const get = (more: object) => bench.run('subscription', 'get', { subscription: ada, ...more });

  it('is simplified by default: readable times, custom fields by name, ten fields and the included ones', async () => {
    const [item] = await get({});
    expect(item?.json).toMatchObject({
      email: ada.value,
      created: expect.stringMatching(/^20\d\d-.*Z$/),
      custom_fields: { 'First Name': 'Ada', Topics: ['boats', 'history'] },
    });
    expect(Object.keys(item?.json ?? {})).toHaveLength(11);
  });

  it('is the answer of the service with Raw', async () => {
    const [item] = await get({ output: 'raw' });
    expect(item?.json).toMatchObject({
      created: expect.any(Number),
      utm_channel: expect.any(String),
      custom_fields: expect.arrayContaining([{ name: 'First Name', kind: 'string', value: 'Ada' }]),
    });
  });

  it('has the selected fields alone, with readable times', async () => {
    const [item] = await get({ output: 'selected', fields: ['created', 'utm_term'] });
    expect(item?.json).toEqual({ created: expect.stringMatching(/Z$/), utm_term: expect.any(String) });
  });

  it('rejects an unknown field before any request', async () => {
    await expect(get({ output: 'selected', fields: ['shoe_size'] })).rejects.toMatchObject({
      message: expect.stringContaining('"Fields" must be one of'),
      context: { itemIndex: 0 },
    });
    expect(bench.requests('subscriptions.list')).toEqual([]);
  });
});

describe('Data Deletion: Request', () => {
  const request = (email: string, emailConfirmation: string, run: object = {}) =>
    bench.run('dataDeletion', 'request', { email, emailConfirmation }, run);

  it('rejects a different confirmation of the address', async () => {
    await expect(request(ada.value, 'ada.lovelace@example.org')).rejects.toMatchObject({
      message: expect.stringContaining('"Email" and "Confirm Email" are not the same'),
    });
    await expect(request(ada.value, '')).rejects.toMatchObject({ message: '"Confirm Email" is empty' });
    expect(bench.requests('deletionRequests.create')).toEqual([]);
  });

  it('explains the refusal of a restricted key and of a second request', async () => {
    await expect(
      request(ada.value, ada.value, { credential: { apiKey: 'sandbox-key-restricted' } }),
    ).rejects.toMatchObject({
      httpCode: '403',
      description: expect.stringContaining('must not be restricted to publications'),
    });
    await request(ada.value, ada.value);
    await expect(request(ada.value, ada.value)).rejects.toMatchObject({
      httpCode: '409',
      description: expect.stringContaining('already requested'),
    });
  });
});

describe('refusals of the service', () => {
  it('names the access that publication fields need', async () => {
    const refused = bench.run('publicationField', 'getMany', {}, { credential: { apiKey: 'sandbox-key-restricted' } });
    await expect(refused).rejects.toMatchObject({
      httpCode: '403',
      description: expect.stringContaining('every publication'),
    });
  });

  it.each([
    ['automation', 'get', { automationId: { mode: 'list', value: '' } }, '"Automation" is empty'],
    ['customField', 'create', { display: ' ', kind: 'string' }, '"Name" is empty'],
    ['customField', 'create', { display: 'Colour', kind: 'colour' }, '"Kind" must be one of'],
    [
      'subscription',
      'updateStatus',
      { subscription: { value: '' }, new_status: 'inactive' },
      '"Subscription" is empty',
    ],
    ['subscription', 'getMany', { returnAll: false, limit: 0 }, '"Limit" must be a number from 1'],
  ])('names the invalid parameter of %s %s', async (resource, operation, parameters, message) => {
    await expect(bench.run(resource, operation, parameters)).rejects.toMatchObject({
      message: expect.stringContaining(message),
      context: { itemIndex: 0 },
    });
    expect(bench.sandbox.requests()).toEqual([]);
  });

  it('reports a custom field as missing after its deletion', async () => {
    const customFieldId = { mode: 'list', value: await bench.first('searchCustomFields') };
    expect((await bench.run('customField', 'delete', { customFieldId }))[0]?.json).toEqual({ deleted: true });
    await expect(bench.run('customField', 'get', { customFieldId })).rejects.toMatchObject({ httpCode: '404' });
  });
});

describe('the list searches of the editor', () => {
  it('continue at the cursor of the service until the last page', async () => {
    const shown: string[] = [];
    let token: string | undefined = '';
    for (let pages = 0; token !== undefined && pages < 10; pages++) {
      const { results, paginationToken } = await bench.search('searchSubscriptions', '', token);
      shown.push(...results.map(({ value }) => value));
      token = paginationToken;
    }
    expect(new Set(shown).size).toBe(300);
    expect(shown).toHaveLength(300);
  });

  it('continue at the next page number where the service counts pages', async () => {
    const pages = 3;
    const fetch = async (input: string | URL | Request): Promise<Response> => {
      const page = Number(new URL(String(input)).searchParams.get('page') ?? 1);
      return Response.json({
        data: [{ id: `aut_${page}`, name: `Automation ${page}`, status: 'live', trigger_events: [] }],
        page,
        limit: 1,
        total_pages: pages,
        total_results: pages,
      });
    };
    const first = await bench.search('searchAutomations', '', '', { sandbox: { fetch } });
    const second = await bench.search('searchAutomations', '', first.paginationToken, { sandbox: { fetch } });
    expect([...first.results, ...second.results].map(({ value }) => value)).toEqual(['aut_1', 'aut_2']);
    // A search reads pages until it finds something.
    expect(await bench.search('searchAutomations', 'tion 3', '', { sandbox: { fetch } })).toEqual({
      results: [{ name: 'Automation 3 (live)', value: 'aut_3' }],
    });
  });

  it.each([
    ['searchAutomations', 'COME BACK', ['Come back (live)']],
    ['searchAutomations', 'welcome', ['Welcome aboard (running, Add by API)']],
    ['searchAuthors', 'johanna', ['Johanna Petersen (user)']],
    ['searchCustomFields', 'birth', ['Birthday (date)']],
    ['searchSubscriptions', 'ADA.lovelace@example.com', ['ada.lovelace@example.com (active)']],
    ['searchConditionSets', 'nothing of the kind', []],
  ])('%s finds "%s"', async (method, filter, names) => {
    expect((await bench.search(method, filter)).results.map(({ name }) => name)).toEqual(names);
  });

  it('name the remedy for a wrong key', async () => {
    await expect(
      bench.search('searchAutomations', '', '', { credential: { apiKey: 'no-such-key' } }),
    ).rejects.toMatchObject({ description: expect.stringContaining('Check the API Key') });
  });
});

describe('the parameters marked as required', () => {
  it('are exactly those that reject an empty value', async () => {
    // Bulk Import reports invalid rows in the output.
    const operations = offered(bench.bundle).filter(({ operation }) => operation !== 'bulkImport');
    const named = new Set(['string', 'resourceLocator', 'multiOptions', 'fixedCollection']);
    for (const { resource, operation, properties, ...rest } of operations) {
      const [filled = {}] = fillings({ resource, operation, properties, ...rest });
      for (const { name, displayName, type, required = false, displayOptions } of properties) {
        if (!named.has(type) || name === 'publicationId') continue;
        const shown = Object.entries(displayOptions?.show ?? {}).filter(([key]) => /^\w+$/.test(key));
        const others = Object.fromEntries(shown.map(([key, values]) => [key, values[0]]));
        const ran = bench.run(resource, operation, { ...filled, ...others, [name]: type === 'multiOptions' ? [] : '' });
        const message = await ran.then(String, ({ message: said }: Error) => said);
        expect.soft(message.includes(`"${displayName}" is empty`), `${resource} ${operation}: ${name}`).toBe(required);
      }
    }
  });
});
