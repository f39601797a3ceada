/** `newsletter probe --out`: the shapes of a service's answers, and nothing of what they hold. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { apiKeys, createSandbox, publicationId, type AnswerShapes } from '@newsletter-kit/sandbox';
import { test as base } from '@newsletter-kit/sandbox/vitest';
import { describe, expect, test } from 'vitest';
import { scratchFolder } from '../../../test/support/scratch-folder.ts';
import type { RecordedAnswer } from '../src/commands/probe/read-everything.ts';
import { formatShapes, shapesOf } from '../src/commands/probe/shapes.ts';
import { events, run } from './command.ts';

const answer = (body: unknown, rest: Partial<RecordedAnswer> = {}): RecordedAnswer => ({
  operation: 'subscriptions.list',
  variant: null,
  status: 200,
  headers: { 'content-type': 'application/json' },
  body,
  ...rest,
});
const shapeOf = (...answers: readonly RecordedAnswer[]) => shapesOf(answers).operations['subscriptions.list'];

describe('shapesOf', () => {
  test('counts records and types, the most frequent type first, and names what never came', () => {
    const shape = shapeOf(
      answer({
        data: [
          { id: 'sub_1', created: '2026', stats: { open_rate: 1.5 } },
          { id: 'sub_2', created: 7 },
        ],
      }),
      answer({ data: [{ id: null, created: 8, extra: [{ x: 1 }, true] }] }, { status: 206 }),
    );
    expect(shape?.statuses).toEqual({ 200: 1, 206: 1 });
    expect(shape?.body).toEqual(['object']);
    expect(shape?.fields).toMatchObject({
      data: { in: 2, of: 2, types: ['list'] },
      'data[]': { in: 2, of: 2, types: ['object'] },
      'data[].id': { in: 3, of: 3, types: ['string', 'null'] },
      'data[].created': { in: 3, of: 3, types: ['integer', 'string'] },
      'data[].stats': { in: 1, of: 3, types: ['object'] },
      'data[].stats.open_rate': { in: 1, of: 1, types: ['number'] },
      'data[].extra': { in: 1, of: 3, types: ['list'] },
      'data[].extra[]': { in: 1, of: 1, types: ['object', 'boolean'] },
      'data[].extra[].*': { in: 1, of: 1, types: ['integer'] },
      'data[].email': { in: 0, of: 3, types: [] },
    });
  });

  test('shows the words of enumerations alone, and only those that look like words', () => {
    const shape = shapeOf(
      answer({
        data: [
          { status: 'active', utm_source: 'spring', utm_channel: 'Ada Lovelace' },
          { status: 'on_hold', utm_channel: 'ada@example.com' },
        ],
      }),
    );
    expect(shape?.fields['data[].status']?.words).toEqual(['active', 'on_hold']);
    expect(shape?.fields['data[].utm_channel']).not.toHaveProperty('words');
    expect(shape?.fields['data[].utm_source']).not.toHaveProperty('words');
  });

  test('hides names that may be data: keys of free objects, odd names, and names that are values elsewhere', () => {
    const shape = shapeOf(
      answer({
        data: [
          {
            custom_fields: [{ name: 'Favourite tea', value: 'oolong' }],
            favourite_tea: 'oolong',
            'ada@example.com': 1,
            sub_0123: 1,
            labels: { beta: ['x'], has_more: true },
            stripe_customer_id: 'cus_1',
          },
        ],
      }),
    );
    const names = Object.keys(shape?.fields ?? {});
    expect(names).toEqual(
      expect.arrayContaining(['data[].*', 'data[].labels.*', 'data[].labels.has_more', 'data[].stripe_customer_id']),
    );
    expect(names.join()).not.toMatch(/tea|ada|0123|beta/);
  });

  test('shows the values of headers only where they hold numbers or a media type', () => {
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'ratelimit-limit': '180',
      'ratelimit-policy': '"ws_77";q=180',
      link: '<https://example.com/?cursor=abc>',
      'x-total-count': '12',
      'x-request-id': '0123',
      date: 'Thu',
    };
    expect(shapeOf(answer({ data: [] }, { headers }))?.headers).toEqual([
      'content-type: application/json; charset=utf-8',
      'date',
      'link',
      'ratelimit-limit: 180',
      'ratelimit-policy',
      'x-request-id',
      'x-total-count: 12',
    ]);
  });

  test('takes any body: text, lists, nothing, and keys of Object.prototype', () => {
    const body: unknown = JSON.parse('{"__proto__":{"constructor":1},"data":[null,[[1]],"x"]}');
    expect(shapeOf(answer('<html>'))).toMatchObject({ body: ['string'], fields: {} });
    expect(shapeOf(answer([1]))?.body).toEqual(['list']);
    expect(shapeOf(answer(body))?.fields).toMatchObject({
      'data[]': { types: ['null', 'list', 'string'] },
      'data[][][]': { in: 1, of: 1, types: ['integer'] },
      '*': { in: 1, of: 1, types: ['object'] },
    });
    expect(shapeOf(answer({ errors: [{ message: 'private' }] }, { status: 404 }))).toMatchObject({
      statuses: { 404: 1 },
      body: [],
      fields: {},
    });
  });

  test('is written with one line per field', () => {
    const text = formatShapes(shapesOf([answer({ data: [{ id: 'sub_1' }] })]));
    expect(JSON.parse(text)).toEqual(shapesOf([answer({ data: [{ id: 'sub_1' }] })]));
    expect(text.split('\n')).toContain('        "data[].id": {"in":1,"of":1,"types":["string"]},');
  });
});

/** Texts that are found again wherever they come out. */
const secrets = [
  'marigold',
  'zephyr',
  'quokka',
  'Tasmania',
  'obsidian',
  'pangolin',
  'vermilion',
  'snorkel',
  'tangerine',
  'wombat',
];
const seed = {
  publications: [
    {
      id: publicationId,
      name: 'The obsidian letter',
      custom_fields: [
        { display: 'Quokka size', kind: 'string' },
        { display: 'snorkel', kind: 'list', options: ['tangerine', 'blue'] },
      ],
      authors: [{ name: 'Vermilion Smith', social_media_links: { pangolin_handle: 'pangolin' } }],
      subscriptions: [
        {
          email: 'marigold@zephyr.example',
          utm_source: 'tangerine',
          utm_campaign: 'wombat',
          referring_site: 'https://zephyr.example/wombat',
          tags: ['wombat'],
          custom_fields: [{ name: 'Quokka size', value: 'Tasmania' }],
        },
        { email: 'second@zephyr.example' },
      ],
    },
  ],
  keys: [{ key: apiKeys.workspace }],
};

describe('newsletter probe --out', () => {
  const withSecrets = base.extend({ sandboxOptions: { seed } });

  withSecrets(
    'writes shapes that a sandbox takes, and none of the values',
    async ({ sandboxOnPort: { env, requests } }) => {
      const file = join(scratchFolder(), 'shapes.json');
      const { code, stdout, stderr } = await run(['probe', '--out', file, '--json'], env);
      expect(code, stderr).toBe(0);
      const text = await readFile(file, 'utf8');
      const shapes = JSON.parse(text) as AnswerShapes;
      expect(shapes.operations['subscriptions.list']?.fields['data[].utm_source']).toEqual({
        in: 5,
        of: 5,
        types: ['string'],
      });
      expect(shapes.operations['subscriptions.list']?.fields['data[].status']?.words).toEqual(['active']);
      for (const secret of secrets) expect(text.toLowerCase()).not.toContain(secret.toLowerCase());
      expect(text).not.toMatch(/@|sandbox-key|_[0-9a-f]{8}|[0-9a-f]{8}-|https?:/);
      expect(events(stdout).at(-1)).toMatchObject({ type: 'probed', shapes: file, customer_id: [] });
      expect(requests().every(({ method }) => method === 'GET')).toBe(true);
      createSandbox({ shapes }).close();
    },
  );

  withSecrets('says what the file holds and that nothing was sent', async ({ sandboxOnPort: { env } }) => {
    const file = join(scratchFolder(), 'shapes.json');
    const { stdout } = await run(['probe', '--out', file], env);
    expect(stdout).toContain(`to ${file}: types, counts, statuses, names of headers and words of enumerations`);
    expect(stdout).toContain('Nothing was sent anywhere');
    expect(stdout).toContain('customer id  neither stripe_customer_id nor payments_customer_id');
  });

  const customerId = { in: 1, of: 1, types: ['string' as const] };
  const shape = { statuses: {}, headers: [], body: [], fields: { 'data[].stripe_customer_id': customerId } };
  const withCustomerId = base.extend({
    sandboxOptions: { seed: 'demo', shapes: { operations: { 'subscriptions.list': shape } } },
  });

  withCustomerId('says which customer id is answered', async ({ sandboxOnPort: { env } }) => {
    const { stdout } = await run(['probe'], env);
    expect(stdout).toContain('customer id  stripe_customer_id');
    expect(events((await run(['probe', '--json'], env)).stdout).at(-1)).toMatchObject({
      shapes: null,
      customer_id: ['stripe_customer_id'],
    });
  });
});
