/** Successes that are none, or hold what no service should send: an error or a warning each, and nothing is lost. */
import { describe, expect, it } from 'vitest';
import { createClient, deviationText, InvalidAnswerError, type Deviation } from '../src/index.ts';

function answered(body: string, type = 'application/json') {
  const told: Deviation[] = [];
  const client = createClient({
    baseUrl: 'http://api.test/v2',
    publicationId: 'pub_1',
    token: 'k',
    retry: false,
    fetch: async () => new Response(body, { headers: { 'content-type': type } }),
    onDeviation: (deviation) => told.push(deviation),
  });
  return { client, texts: () => told.map(deviationText) };
}

const subscription = { id: 'sub_1', email: 'ada@example.com', status: 'active', created: 1 };
const page = (record: string) => `{"data":[${record}],"limit":10,"has_more":false,"next_cursor":null}`;

describe('a success that is none', () => {
  it.each([
    ['a page in HTML', '<!doctype html><title>Sign in</title>', 'text/html'],
    ['half of a body', JSON.stringify({ data: subscription }).slice(0, 40), undefined],
    ['nothing', '', undefined],
    ['a text', '"created"', undefined],
    ['a list', JSON.stringify([subscription]), undefined],
    ['the answer of another operation', JSON.stringify({ message: 'Accepted', import_id: 'x' }), undefined],
    ['a list where an object belongs', JSON.stringify({ data: [subscription] }), undefined],
  ])('is one error: %s', async (_, body, type) => {
    const { client, texts } = answered(body, type);
    const error: unknown = await client.subscriptions
      .create({ email: 'ada@example.com' })
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(InvalidAnswerError);
    expect(String(error)).not.toContain('ada@example.com');
    expect(texts()).toEqual([]);
  });
});

describe('an odd record', () => {
  it('of 10 MB of unknown keys is given as it came', async () => {
    const more = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`key_${index}`, 'x'.repeat(90)]));
    const { client, texts } = answered(page(JSON.stringify({ ...subscription, ...more })));
    const { items } = await client.subscriptions.list();
    expect(Object.keys(items[0] ?? {})).toHaveLength(100_004);
    expect(texts()).toEqual([]);
  });

  it('with keys such as __proto__ changes no other object', async () => {
    const keys = '"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}';
    const { client } = answered(page(`{"id":7,"created":"2026-01-01T00:00:00Z",${keys}}`));
    const { items } = await client.subscriptions.list({}, { reader: 'client' });
    expect(Object.keys(items[0] ?? {})).toEqual(['id', 'created', '__proto__', 'constructor']);
    expect(items[0]?.id).toBe('7');
    expect({}).not.toHaveProperty('polluted');
    expect(items[0]).not.toHaveProperty('polluted');
  });

  it('with numbers beyond 2^53 and times as text is given, and each field is told once', async () => {
    const odd = '{"id":"sub_1","email":"a@b.test","status":"active","created":1e30}';
    const text = '{"id":"sub_2","email":"a@b.test","status":"active","created":"2026-01-01T00:00:00Z"}';
    const { client, texts } = answered(page(`${odd},${text}`).replace('10', '90071992547409930'));
    const { items, limit } = await client.subscriptions.list();
    expect([items.length, limit]).toEqual([2, null]);
    expect(texts()).toEqual([
      'subscriptions.list: answered "limit": expected number.',
      'subscriptions.list: answered "data[].created": expected number, received string.',
    ]);
  });
});
