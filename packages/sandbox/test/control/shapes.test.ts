/** A sandbox that answers in the shapes of a service. */
import { apiKeys, publicationId } from '../../src/index.ts';
import { createSandbox, type SandboxOptions } from '../../src/sandbox.ts';
import { readShapes, ShapesError, type AnswerShapes } from '../../src/control/shapes.ts';
import { describe, expect, onTestFinished, test } from 'vitest';

type Operation = AnswerShapes['operations'][string];
type Json = Record<string, unknown>;

const always = (...types: Operation['body']) => ({ in: 1, of: 1, types });
const shape = (fields: Operation['fields'], rest: Partial<Operation> = {}): Operation => ({
  statuses: { 200: 1 },
  body: ['object'],
  fields,
  ...rest,
});
const envelope = {
  data: always('list'),
  'data[]': always('object'),
  limit: always('integer'),
  has_more: always('boolean'),
  next_cursor: always('null'),
};

function open(operations: AnswerShapes['operations'], options: SandboxOptions = {}) {
  const sandbox = createSandbox({ seed: 'demo', ...options, shapes: { operations } });
  onTestFinished(() => sandbox.close());
  const send = async (path: string, init: RequestInit = {}) => {
    const headers = { Authorization: `Bearer ${apiKeys.workspace}`, 'Content-Type': 'application/json' };
    const answer = await sandbox.fetch(`http://sandbox.test/v2/publications/${publicationId}${path}`, {
      ...init,
      headers,
    });
    const text = await answer.text();
    return { status: answer.status, body: (text === '' ? null : JSON.parse(text)) as Json };
  };
  const list = async (query = '') => (await send(`/subscriptions?${query}`)).body as Json & { data: Json[] };
  return { sandbox, send, list, reasons: () => sandbox.requests().at(-1)?.reasons };
}

describe('fields of records', () => {
  test('that the service never has are left out, others are added with a value of the type', async () => {
    const { list, reasons } = open({
      'subscriptions.list': shape({
        ...envelope,
        'data[].id': always('string'),
        'data[].tags': { in: 0, of: 1, types: [] },
        'data[].plan': always('object'),
        'data[].plan.price': always('number'),
        'data[].plan.name': always('string', 'null'),
        'data[].plan.steps': always('list'),
        'data[].plan.steps[]': always('integer'),
        'data[].plan.steps[].x': { in: 0, of: 1, types: [] },
        'data[].notes': always('null'),
      }),
    });
    const { data } = await list('limit=2&expand[]=tags');
    const added = { plan: { price: 0.5, name: 'text', steps: [1] }, notes: null };
    expect(data).toEqual([{ id: expect.stringMatching(/^sub_/) as string, ...added }, expect.objectContaining(added)]);
    expect(reasons()).toEqual([
      expect.stringMatching(/^Shape: left out "data\[\]\.email", .*"data\[\]\.tags"/),
      expect.stringContaining('Shape: added "data[].plan"'),
    ]);
  });

  test('take a type of the service where their own is none of its types, and null where it has nothing else', async () => {
    const { list } = open({
      'subscriptions.list': shape({
        ...envelope,
        'data[].id': always('integer'),
        'data[].email': always('null'),
        'data[].status': always('list'),
        'data[].created': always('null', 'string'),
        'data[].utm_source': always('object'),
        'data[].utm_medium': always('boolean', 'string'),
        'data[].stats': always('object'),
        'data[].stats.open_rate': always('string', 'null'),
        'data[].stats.emails_received': always('number'),
      }),
    });
    const { data } = await list('limit=3&expand[]=stats');
    for (const record of data)
      expect(record).toMatchObject({
        email: null,
        status: [expect.any(String)],
        created: expect.stringMatching(/^\d{10}$/) as string,
        utm_source: {},
        utm_medium: expect.any(String) as string,
        stats: { open_rate: expect.any(String) as string, emails_received: expect.any(Number) as number },
      });
    expect(new Set(data.map(({ id }) => id)).size).toBe(3);
    expect(data.every(({ id }) => Number.isInteger(id))).toBe(true);
  });

  test('that some records have are in a like share of them, the same ones every time', async () => {
    const { list, send, reasons } = open({
      'subscriptions.list': shape({
        ...envelope,
        'data[].id': always('string'),
        'data[].email': always('string'),
        'data[].utm_source': { in: 3, of: 4, types: ['string'] },
        'data[].vip': { in: 10, of: 100, types: ['boolean'] },
        'data[].tags': { in: 1, of: 4, types: ['list'] },
      }),
      'subscriptions.create': shape({ 'data.referral_code': { in: 1, of: 2, types: ['string'] } }, { body: [] }),
    });
    const { data } = await list('limit=100');
    expect(data.filter((record) => 'utm_source' in record)).toHaveLength(75);
    expect(data.filter((record) => 'vip' in record)).toHaveLength(10);
    expect(reasons()).toContain('Shape: left out of some records "data[].utm_source".');
    expect((await list('limit=50')).data).toEqual(data.slice(0, 50));
    expect((await list('limit=100&expand[]=tags')).data.filter((record) => 'tags' in record)).toHaveLength(25);
    expect((await list(`email=${String(data[9]?.['email'])}`)).data).toEqual([data[9]]);
    const created = [];
    for (const name of ['a', 'b', 'c', 'd']) {
      const { body } = await send('/subscriptions', {
        method: 'POST',
        body: JSON.stringify({ email: `${name}@example.com` }),
      });
      created.push('referral_code' in (body['data'] as Json));
    }
    expect(created.filter(Boolean)).toHaveLength(2);
  });

  test.each([0, 1, 2, 3, 4, 5, 6])(
    'that the sandbox itself has in some records only are in those, after %d other records',
    async (others) => {
      const { send, list, reasons } = open({
        'subscriptions.list': shape({ ...envelope, 'data[].id': always('string') }),
        'customFields.list': shape({
          data: always('list'),
          'data[]': always('object'),
          'data[].kind': always('string'),
          'data[].options': { in: 1, of: 7, types: ['list'] },
        }),
      });
      if (others > 0) await list(`limit=${others}`);
      const { body } = await send('/custom_fields');
      const fields = body['data'] as Json[];
      expect(fields.filter((field) => 'options' in field).map(({ kind }) => kind)).toEqual(['list']);
      expect(reasons()).not.toContain('Shape: left out of some records "data[].options".');
    },
  );

  test('that have to be asked for are not added, and lists that were always empty stay as they are', async () => {
    const { list } = open({
      'subscriptions.list': shape({
        data: always('list'),
        'data[]': { in: 0, of: 1, types: [] },
        'data[].stats': always('object'),
      }),
    });
    expect((await list('limit=1')).data[0]).toMatchObject({ email: expect.any(String) as string });
    expect((await list('limit=1')).data[0]).not.toHaveProperty('stats');
  });
});

describe('paging fields', () => {
  test('stay what the request makes them, also where the service was seen at its last page only', async () => {
    const { list } = open({
      'subscriptions.list': shape({
        ...envelope,
        'data[].id': always('string'),
        has_more: { in: 1, of: 2, types: ['boolean'] },
        page: { in: 1, of: 2, types: ['integer'] },
        total_pages: { in: 1, of: 2, types: ['string'] },
      }),
    });
    const first = await list('limit=100');
    expect(first).toMatchObject({ has_more: true, next_cursor: expect.any(String) as string });
    expect(await list('page=1')).toEqual({ data: expect.any(Array) as unknown, limit: 10, page: 1, total_pages: '30' });
  });

  test('move with the object that they are in', async () => {
    const { list } = open({
      'subscriptions.list': shape({
        data: always('list'),
        pagination: always('object'),
        'pagination.has_more': { in: 1, of: 2, types: ['boolean'] },
        'pagination.next_cursor': { in: 1, of: 2, types: ['null'] },
        'pagination.page': { in: 1, of: 2, types: ['integer'] },
      }),
    });
    expect(await list()).toEqual({
      data: expect.any(Array) as unknown,
      pagination: { has_more: true, next_cursor: expect.any(String) as string },
    });
  });
});

describe('statuses', () => {
  test('are those of the service', async () => {
    const { send, reasons } = open({
      'subscriptions.create': shape({}, { statuses: { 201: 2, 400: 3 }, body: [] }),
      'customFields.list': shape({}, { statuses: { 403: 1 }, body: [] }),
      'customFields.create': shape({}, { statuses: { 403: 1 }, body: [] }),
      'subscriptions.bulkUpdate': shape({}, { statuses: { 204: 1 }, body: [] }),
    });
    const post = { method: 'POST', body: '{"email":"ada@example.com"}' };
    expect((await send('/subscriptions', post)).status).toBe(201);
    expect(reasons()).toContain('Shape: the status is 201.');
    expect(await send('/custom_fields')).toMatchObject({ status: 403, body: { errors: [{ code: 'SHAPE' }] } });
    // What a write does cannot be taken back.
    const field = { method: 'POST', body: '{"kind":"string","display":"Shoes"}' };
    expect((await send('/custom_fields', field)).status).toBe(200);
    expect((await send('/subscriptions/none')).status).toBe(404);
  });
});

test('other operations and errors are answered as ever, and nothing is noted where nothing changes', async () => {
  const { send, list, reasons } = open({ 'authors.list': shape({}) });
  expect((await list('limit=1')).data).toHaveLength(1);
  expect(reasons()).toEqual([]);
  expect((await send('/subscriptions?limit=0')).status).toBe(400);
});

test('shapes, assumptions and faults add up', async () => {
  const operations = { 'subscriptions.list': shape({ 'data[].extra': always('string') }, { body: [] }) };
  const { sandbox, list } = open(operations, { assumptions: { pagination_fields: 'nested' } });
  sandbox.faults.add({ match: 'subscriptions.list', effect: { field: 'data[].extra', change: 'null' } });
  const { data, pagination } = await list('limit=2');
  expect(pagination).toMatchObject({ limit: 2 });
  expect(data.map(({ extra }) => extra)).toEqual([null, 'text']);
  sandbox.reset();
  expect((await list('limit=1')).data[0]?.['extra']).toBe('text');
});

test.each([
  [null, 'must hold one JSON object.'],
  [{}, /^is wrong at operations: /],
  [{ operations: { 'posts.list': shape({}) } }, 'has an operation that there is not: "posts.list".'],
  [
    { operations: { 'authors.list': shape({ data: { in: 1, of: 1, types: ['text' as 'string'] } }) } },
    /^is wrong at operations > authors\.list > fields > data > types > 0: /,
  ],
])('%j are no shapes', (value, says) => {
  expect(() => readShapes(value)).toThrow(ShapesError);
  expect(() => readShapes(value)).toThrow(says);
});
