/** Custom fields after every node, selected fields, "Created After", and the words of sheets and models. */
import { describe, expect, it } from 'vitest';
import { answerRecords, operation } from '@newsletter-kit/core/contract';
import { resources } from '../../nodes/Newsletter/operations/resources.ts';
import { itemlessContext, type Run } from './context.ts';
import { scenarios } from './scenarios.ts';
import { workbench } from './workbench.ts';

const bench = workbench();
const nova = 'nova@example.com';
const subscription = { mode: 'email', value: nova };
const customFields = { mappingMode: 'defineBelow', value: { 'First Name': 'Nova', 'Team size': 7, Topics: ['boats'] } };

const create = (email: string, more: object = {}) =>
  bench.run('subscription', 'create', { email, customFields, additionalFields: {}, ...more });

describe('custom fields', () => {
  /** Every way to get the record of a subscription, by default. Each is given the ID of the subscription. */
  const ways: Readonly<Record<string, (output: object, id: string) => Promise<object | undefined>>> = {
    Create: async (output) =>
      (await create(nova, { ...output, ifSubscribed: 'passOver', additionalFields: {} }))[0]?.json,
    'Create or Update': async (output) =>
      (await bench.run('subscription', 'createOrUpdate', { email: nova, customFields, ...output }))[0]?.json,
    Update: async (output) =>
      (await bench.run('subscription', 'update', { subscription, customFields, ...output }))[0]?.json,
    'Get by email': async (output) => (await bench.run('subscription', 'get', { subscription, ...output }))[0]?.json,
    'Get by ID': async (output, id) =>
      (await bench.run('subscription', 'get', { subscription: { mode: 'id', value: id }, ...output }))[0]?.json,
    'Get Many': async (output) =>
      (await bench.run('subscription', 'getMany', { filters: { email: nova }, options: {}, ...output }))[0]?.json,
    Trigger: async (output) =>
      (
        await bench.bundle.trigger.poll.call(
          itemlessContext({
            sandbox: bench.sandbox,
            mode: 'manual',
            parameters: { event: 'subscriptionCreated', ...output },
          }),
        )
      )?.[0]?.[0]?.json,
  };

  it.each(Object.keys(ways))('come by default, in one shape, from %s', async (way) => {
    bench.sandbox.clock.advance(60_000);
    const [created] = await create(nova);
    const id = String(created?.json['id']);
    expect(await ways[way]?.({}, id)).toMatchObject({
      id,
      custom_fields: { 'First Name': 'Nova', 'Team size': 7, Topics: ['boats'] },
    });
    expect(await ways[way]?.({ output: 'raw' }, id)).toMatchObject({
      custom_fields: expect.arrayContaining([{ name: 'First Name', kind: 'string', value: 'Nova' }]),
    });
  });

  it('are left out where Include is empty', async () => {
    const [item] = await bench.run('subscription', 'getMany', { limit: 1, options: { expand: [] } });
    expect(item?.json).not.toHaveProperty('custom_fields');
  });
});

describe('Selected Fields', () => {
  const reads = scenarios.filter(({ operation: name }) => name === 'get' || name === 'getMany');

  it.each(reads)('of $resource $operation are returned without Include', async (scenario) => {
    const { resource, operation: name } = scenario;
    const parameters = await scenario.parameters?.(bench);
    const whole = await bench.run(resource, name, { ...parameters, output: 'raw' });
    const record = whole.find(({ json }) => Object.keys(json).length > 0)?.json ?? {};
    const shape = resources[resource]?.operations[name]?.record;
    for (const field of [...(shape?.simple ?? []), ...(shape?.others ?? [])]) {
      if (record[field] === undefined) continue;
      const chosen = { ...parameters, options: {}, output: 'selected', fields: [field] };
      const items = await bench.run(resource, name, chosen);
      expect
        .soft(Object.keys(items[whole.findIndex(({ json }) => json === record)]?.json ?? {}), field)
        .toEqual([field]);
    }
  });

  it('are all that the service is asked for', async () => {
    await bench.run('subscription', 'getMany', { limit: 1, output: 'selected', fields: ['email', 'stats'] });
    await bench.run('subscription', 'getMany', { limit: 1, output: 'selected', fields: ['email'] });
    const asked = bench.sandbox.requests().map(({ query }) => query['expand[]']);
    expect(asked).toEqual(['stats', undefined]);
  });

  it('know every value of Include', () => {
    const { fields } = answerRecords['subscriptions.list'];
    const known = ['newsletter_lists', ...fields] as readonly string[];
    expect(operation('subscriptions.list').expand.filter((value: string) => !known.includes(value))).toEqual([]);
  });
});

describe('Created After', () => {
  const getMany = (parameters: Run['parameters'], more: Partial<Run> = {}) =>
    bench.run('subscription', 'getMany', { output: 'raw', returnAll: true, ...parameters }, more);
  const seconds = (iso: string): number => Date.parse(iso) / 1000;

  it('returns what a filter of the service would, in either order and with every limit', async () => {
    const all = (await getMany({})).map(({ json }) => ({ id: json['id'], created: Number(json['created']) }));
    const times = [all[0], all[150], all[299]].map((one) => one?.created ?? 0);
    for (const since of [0, ...times, Math.max(...times) + 1])
      for (const direction of [undefined, 'asc', 'desc'])
        for (const length of [{}, { returnAll: false, limit: 1 }, { returnAll: false, limit: 120 }]) {
          const items = await getMany({
            filters: { created_after: new Date(since * 1000) },
            options: { ...(direction && { direction }) },
            ...length,
          });
          const wanted = all.filter(({ created }) => created >= since);
          const ordered = direction === 'desc' ? wanted.toReversed() : wanted;
          expect
            .soft(
              items.map(({ json }) => json['id']),
              `${since} ${direction} ${JSON.stringify(length)}`,
            )
            .toEqual(ordered.slice(0, 'limit' in length ? length.limit : undefined).map(({ id }) => id));
        }
  });

  it.each([
    ['2026-01-15T21:00:00', 'Asia/Tokyo', '2026-01-15T12:00:00Z'],
    ['2026-01-15', 'America/New_York', '2026-01-15T05:00:00Z'],
    ['2026-01-15T12:00:00Z', 'Asia/Tokyo', '2026-01-15T12:00:00Z'],
    ['2026-01-15T13:00:00.000+01:00', 'UTC', '2026-01-15T12:00:00Z'],
  ])('reads %s in %s as %s', async (entered, timezone, moment) => {
    const filters = { created_after: entered };
    bench.sandbox.clock.advance(1000);
    await create(nova);
    const [newest, ...older] = await getMany({ filters, options: { direction: 'desc' } }, { timezone });
    expect(newest?.json['email']).toBe(nova);
    for (const { json } of older) expect(Number(json['created'])).toBeGreaterThanOrEqual(seconds(moment));
    const count = (await getMany({})).filter(({ json }) => Number(json['created']) >= seconds(moment)).length;
    expect(older).toHaveLength(count - 1);
  });

  it('reads no page beyond the first older subscription', async () => {
    bench.sandbox.clock.advance(60_000);
    await create(nova);
    const before = bench.requests('subscriptions.list').length;
    const items = await getMany({ filters: { created_after: '2026-01-15T12:00:30Z' } });
    expect(items.map(({ json }) => json['email'])).toEqual([nova]);
    expect(bench.requests('subscriptions.list').length - before).toBe(1);
  });

  it('applies together with the other filters', async () => {
    const filters = { created_after: '2000-01-01', status: 'Inactive' };
    const items = await getMany({ filters });
    expect(items.length).toBeGreaterThan(0);
    expect(items).toEqual(await getMany({ filters: { status: 'inactive' } }));
  });

  it('repeats and loses none where the list grows while it is read by page numbers', async () => {
    const created = (index: number) => ({
      id: `sub_${index}`,
      email: `${index}@example.com`,
      status: 'active',
      created: 1_767_312_000 + index,
    });
    const list = Array.from({ length: 250 }, (_, index) => created(250 - index));
    const fetch = async (input: string | URL | Request): Promise<Response> => {
      const page = Number(new URL(String(input)).searchParams.get('page') ?? 1);
      const data = list.slice((page - 1) * 100, page * 100);
      // Between two pages, two more subscribe.
      list.unshift(created(list.length + 2), created(list.length + 1));
      return Response.json({
        data,
        page,
        limit: 100,
        total_pages: Math.ceil(list.length / 100),
        total_results: list.length,
      });
    };
    const items = await getMany({ filters: { created_after: new Date(1_767_312_050_000) } }, { sandbox: { fetch } });
    expect(items.map(({ json }) => json['id'])).toEqual(Array.from({ length: 201 }, (_, index) => `sub_${index + 50}`));
  });

  it('rejects what is no date', async () => {
    for (const created_after of ['yesterday', new Date(Number.NaN), 12])
      await expect(getMany({ filters: { created_after } })).rejects.toThrow(
        '"Created After" must be a date such as 2026-11-20 or 2026-11-20T09:30:00',
      );
    expect(bench.sandbox.requests()).toEqual([]);
  });
});

it('Created On takes the day of a Date in the time zone of the workflow', async () => {
  const day = async (creation_date: unknown, timezone: string): Promise<string | undefined> => {
    await bench.run('subscription', 'getMany', { filters: { creation_date } }, { timezone });
    return bench.sandbox.requests().at(-1)?.query['creation_date'];
  };
  const evening = new Date('2026-11-19T23:00:00Z');
  expect(await day(evening, 'Europe/Berlin')).toBe('2026/11/20');
  expect(await day(evening, 'America/New_York')).toBe('2026/11/19');
  expect(await day('2026-11-20', 'America/New_York')).toBe('2026/11/20');
  expect(await day('2026-11-20T00:00:00', 'America/New_York')).toBe('2026/11/20');
});

describe('words of sheets and models', () => {
  const statusOf = async (new_status: string) =>
    (
      await bench.run('subscription', 'updateStatus', {
        subscription: { mode: 'email', value: 'ada.lovelace@example.com' },
        new_status,
      })
    )[0]?.json['status'];
  const tierOf = async (tier: string) =>
    (
      await bench.run('subscription', 'createOrUpdate', { email: nova, customFields: {}, additionalFields: { tier } })
    )[0]?.json['subscription_tier'];
  const kindOf = async (kind: string) =>
    (await bench.run('customField', 'create', { display: `Field of ${kind}`, kind }))[0]?.json['kind'];
  const importOf = async (tier: string, more: Partial<Run> = {}) =>
    (await bench.run('subscription', 'bulkImport', {}, { items: [{ email: nova, tier }], ...more }))[0]?.json[
      'import_status'
    ];

  it.each([
    ['Active', () => statusOf('Active'), 'active'],
    ['FREE', () => tierOf('FREE'), 'free'],
    ['Date and time', () => kindOf('Date and time'), 'datetime'],
    [' PREMIUM , in a sheet', () => importOf(' PREMIUM '), 'accepted'],
    ['gold, in a sheet', () => importOf('gold'), 'rejected'],
  ])('%s is understood', async (_, done, expected) => {
    expect(await done()).toBe(expected);
  });

  it('is refused where it means no option', async () => {
    await expect(statusOf('paused')).rejects.toThrow('"New Status" must be one of active, inactive');
  });
});
