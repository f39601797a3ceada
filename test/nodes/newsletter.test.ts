/** The action node against the sandbox: its requests, its output and its errors. */
import { beforeEach, describe, expect, it } from 'vitest';
import { itemlessContext, type Run } from './context.ts';
import { workbench } from './workbench.ts';

const bench = workbench();
const run = (operation: string, parameters: Run['parameters'], more: Partial<Run> = {}) =>
  bench.run('subscription', operation, parameters, more);

const create = (
  email: string | ((index: number) => string),
  customFields: Readonly<Record<string, unknown>> = {},
  more: Partial<Run> = {},
  additionalFields = {},
) =>
  run('create', { email, customFields: { mappingMode: 'defineBelow', value: customFields }, additionalFields }, more);

/** The custom fields of an address at the service, by name. */
async function customFieldsOf(email: string): Promise<Record<string, unknown>> {
  const [found] = await run('getMany', { returnAll: true, filters: { email }, options: { expand: ['custom_fields'] } });
  return (found?.json['custom_fields'] ?? {}) as Record<string, unknown>;
}

/** The number of requests of this operation. */
const requests = (operation: string) => bench.requests(operation).length;

describe('Subscription: Create', () => {
  it('returns the subscription, linked to its input item', async () => {
    const [item] = await create(
      'ada+letters@example.com',
      {},
      {},
      { utm_source: 'Küste 🌊', utm_term: '', send_welcome_email: false },
    );
    expect(item).toMatchObject({
      json: {
        id: expect.stringMatching(/^sub_/),
        email: 'ada+letters@example.com',
        utm_source: 'Küste 🌊',
        created: true,
        created_at: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T/),
      },
      pairedItem: { item: 0 },
    });
    expect(item?.json).not.toHaveProperty('warnings');
  });

  it("sends n8n's DateTime as a day to a custom field that is a date", async () => {
    const day = { toISODate: () => '1990-12-10', toISO: () => '1990-12-10T08:00:00.000+02:00' };
    await create('ada@example.com', { Birthday: day });
    expect(await customFieldsOf('ada@example.com')).toMatchObject({ Birthday: '1990-12-10' });
  });

  it('rejects an invalid value before any request, naming field and item', async () => {
    await expect(create('ada@example.com', { Birthday: 'tomorrow' })).rejects.toMatchObject({
      message: 'The custom field "Birthday" must be a day such as 2026-01-31',
      context: { itemIndex: 0 },
    });
    expect(requests('subscriptions.create')).toBe(0);
  });

  it('maps input fields by name with automatic mapping, and ignores the others', async () => {
    await run(
      'create',
      {
        email: 'ada@example.com',
        customFields: { mappingMode: 'autoMapInputData', value: null },
        additionalFields: {},
      },
      { items: [{ email: 'ada@example.com', Topics: ['boats'], Birthday: '1990-12-10', 'Shoe size': 39 }] },
    );
    expect(await customFieldsOf('ada@example.com')).toMatchObject({ Topics: ['boats'], Birthday: '1990-12-10' });
  });

  it('works in an n8n without hints', async () => {
    const [item] = await create('ada@example.com', { 'Shoe size': '39' });
    expect(item?.json['warnings']).toEqual([
      expect.objectContaining({ message: expect.stringContaining('Shoe size') }),
    ]);
  });
});

describe('Subscription: Get Many', () => {
  let earlier = 0;
  beforeEach(async () => {
    const emails = Array.from({ length: 230 }, (_, index) => `reader${index}@example.com`);
    await run(
      'create',
      { email: (index: number) => emails[index], customFields: {}, additionalFields: {} },
      { items: emails.map(() => ({})) },
    );
    earlier = requests('subscriptions.list');
  });

  it('returns Limit records, and requests no more', async () => {
    const items = await run('getMany', { returnAll: false, limit: 7, filters: {}, options: {} });
    expect(items).toHaveLength(7);
    expect(requests('subscriptions.list') - earlier).toBe(1);
  });

  it('returns all records, page by page', async () => {
    const items = await run('getMany', { returnAll: true, filters: {}, options: {} });
    expect(items.length).toBeGreaterThanOrEqual(230);
    expect(new Set(items.map(({ json }) => json['id'])).size).toBe(items.length);
    expect(requests('subscriptions.list') - earlier).toBe(Math.ceil(items.length / 100));
  });

  it('sends filters and Include, also an address with a plus sign', async () => {
    await create('ada+letters@example.com');
    const items = await run('getMany', {
      returnAll: true,
      filters: { email: 'ADA+letters@example.com', status: 'all' },
      options: { expand: ['stats'] },
    });
    expect(items.map(({ json }) => json)).toEqual([
      expect.objectContaining({ email: 'ada+letters@example.com', stats: expect.any(Object) }),
    ]);
  });

  it.each([
    { filters: { status: 'asleep' }, message: '"Status" must be one of' },
    { filters: { creation_date: 'yesterday' }, message: '"Created On" must be a date such as 2026-11-20' },
  ])('names the invalid filter: $filters', async ({ filters, message }) => {
    await expect(run('getMany', { returnAll: true, filters, options: {} })).rejects.toMatchObject({
      message: expect.stringContaining(message),
    });
  });

  it('accepts the day of a date picker', async () => {
    const items = await run('getMany', {
      returnAll: true,
      filters: { creation_date: '1999-01-01T00:00:00' },
      options: {},
    });
    expect(items).toEqual([]);
  });
});

describe('errors', () => {
  const refusals: readonly { what: string; more: Partial<Run>; parameters?: Run['parameters']; error: object }[] = [
    {
      what: 'a wrong key',
      more: { credential: { apiKey: 'no-such-key' } },
      error: {
        httpCode: '401',
        description: expect.stringContaining('Check the API Key of the credential'),
        failure: { cause: 'credential-invalid' },
      },
    },
    {
      what: 'a publication that does not exist',
      more: { credential: { publicationId: 'pub_00000000-0000-4000-8000-00000000dead' } },
      error: {
        httpCode: '404',
        description: expect.stringContaining('Check the Publication'),
        failure: { cause: 'configuration-invalid' },
      },
    },
    {
      what: 'a publication id of the wrong form',
      more: {},
      parameters: { publicationId: 'my newsletter' },
      error: { description: expect.stringContaining('Correct the Publication of the node') },
    },
    {
      what: 'an answer that is a web page',
      more: {
        sandbox: { fetch: async () => new Response('<h1>Welcome</h1>', { headers: { 'content-type': 'text/html' } }) },
      },
      error: { message: expect.stringContaining('could not be read') },
    },
  ];

  /** Time limit in milliseconds: an unreadable answer is retried a few times with growing pauses. */
  const repeated = 20_000;

  it.each(refusals)(
    'names the remedy for $what',
    async ({ more, parameters, error }) => {
      const thrown = run(
        'create',
        { email: 'ada@example.com', customFields: {}, additionalFields: {}, ...parameters },
        more,
      );
      await expect(thrown).rejects.toMatchObject({ ...error, context: { itemIndex: 0 } });
      await thrown.catch((caught: Error) => {
        expect(JSON.stringify(caught)).not.toMatch(/no-such-key|sandbox-key|ada@example/);
      });
    },
    repeated,
  );
});

describe('the custom fields in the editor', () => {
  it('are the fields of the publication, each with an input of its kind', async () => {
    const { fields } = await bench.bundle.newsletter.methods.resourceMapping.getCustomFields.call(
      itemlessContext({ sandbox: bench.sandbox, parameters: {} }),
    );
    expect(fields).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: 'Topics', type: 'string' }),
        expect.objectContaining({ id: 'Birthday', type: 'dateTime' }),
      ]),
    );
  });
});
