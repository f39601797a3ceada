/** The action node against the sandbox: its requests, its output and its errors. */
import { describe, expect, it } from 'vitest';
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
  it("sends n8n's DateTime as a day to a custom field that is a date", async () => {
    const day = { toISODate: () => '1990-12-10', toISO: () => '1990-12-10T08:00:00.000+02:00' };
    await create('ada@example.com', { Birthday: day });
    expect(await customFieldsOf('ada@example.com')).toMatchObject({ Birthday: '1990-12-10' });
  });

  it('works in an n8n without hints', async () => {
    const [item] = await create('ada@example.com', { 'Shoe size': '39' });
    expect(item?.json['warnings']).toEqual([
      expect.objectContaining({ message: expect.stringContaining('Shoe size') }),
    ]);
  });
});

describe('Subscription: Get Many', () => {
  it('returns Limit records, and requests no more', async () => {
    const items = await run('getMany', { returnAll: false, limit: 7, filters: {}, options: {} });
    expect(items).toHaveLength(7);
    expect(requests('subscriptions.list')).toBe(1);
  });

  it('returns all records, page by page', async () => {
    const items = await run('getMany', { returnAll: true, filters: {}, options: {} });
    expect(items.length).toBeGreaterThan(200);
    expect(new Set(items.map(({ json }) => json['id'])).size).toBe(items.length);
    expect(requests('subscriptions.list')).toBe(Math.ceil(items.length / 100));
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
});

it.each<[what: string, more: Partial<Run>, parameters: Run['parameters'], error: object]>([
  [
    'a wrong key',
    { credential: { apiKey: 'no-such-key' } },
    {},
    { httpCode: '401', description: expect.stringContaining('API Key'), failure: { cause: 'credential-invalid' } },
  ],
  [
    'a publication id of the wrong form',
    {},
    { publicationId: 'my newsletter' },
    { description: expect.stringContaining('Correct the Publication of the node') },
  ],
])('names the remedy for %s, and neither key nor address', async (_, more, parameters, error) => {
  const refused = run(
    'create',
    { email: 'ada@example.com', customFields: {}, additionalFields: {}, ...parameters },
    more,
  );
  await expect(refused).rejects.toMatchObject({ ...error, context: { itemIndex: 0 } });
  const caught: unknown = await refused.catch((reason: unknown) => reason);
  expect(JSON.stringify(caught)).not.toMatch(/no-such-key|sandbox-key|ada@example/);
});

it('offers the custom fields of the publication in the editor, each with an input of its kind', async () => {
  const { fields } = await bench.bundle.newsletter.methods.resourceMapping.getCustomFields.call(
    itemlessContext({ sandbox: bench.sandbox, parameters: {} }),
  );
  expect(fields).toContainEqual(expect.objectContaining({ id: 'Topics', type: 'string' }));
  expect(fields).toContainEqual(expect.objectContaining({ id: 'Birthday', type: 'dateTime' }));
});
