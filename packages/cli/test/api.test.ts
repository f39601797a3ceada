import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createClient } from '@newsletter-kit/core';
import { operations, shapes, type Shape } from '@newsletter-kit/core/contract';
import { test as base, type SandboxOnPort } from '@newsletter-kit/sandbox/vitest';
import { describe, expect, it } from 'vitest';
import { fieldsToArguments, readField } from '../src/commands/api/fields.ts';
import { events, run, start } from './command.ts';
import { scratchFolder } from '../../../test/support/scratch-folder.ts';

const test = base.extend({ sandboxOptions: { seed: 'demo' } });

const api = (sandbox: SandboxOnPort, ...args: string[]) => run(['api', ...args], sandbox.env);

describe('fields', () => {
  it('are converted to the types of their shape', async () => {
    const text: Shape = { is: 'string' };
    const value: Shape = { is: 'union', of: [text, { is: 'number' }], optional: true, nullable: true };
    const shape: Shape = {
      is: 'object',
      of: {
        items: { is: 'array', of: { is: 'object', of: { name: text, value } } },
        limit: { is: 'integer' },
        on: { is: 'boolean' },
        tags: { is: 'array', of: text },
      },
    };
    const texts = [
      'items[0][name]=7',
      'items[0][value]=7',
      'items[1][value]=7',
      'limit=7',
      'on=true',
      'tags=a',
      'tags=7',
    ];
    expect(
      await fieldsToArguments(
        texts.map((each) => readField(each, each.startsWith('items[1]'))),
        shape,
      ),
    ).toEqual({
      items: [{ name: '7', value: '7' }, { value: 7 }],
      limit: 7,
      on: true,
      tags: ['a', '7'],
    });
  });

  const read = (...texts: string[]) =>
    fieldsToArguments(texts.map((text) => readField(text.replace(/^F /, ''), text.startsWith('F '))));

  it.each([
    [['a=1', 'b=true', 'c='], { a: '1', b: 'true', c: '' }],
    [
      ['F a=1', 'F b=true', 'F c=null', 'F d=1.5', 'F e=x', 'F f=-2', 'F g=007'],
      { a: 1, b: true, c: null, d: 1.5, e: 'x', f: -2, g: '007' },
    ],
    [['a[b][c]=1', 'a[b][d]=2'], { a: { b: { c: '1', d: '2' } } }],
    [['a[]=1', 'a[]=2'], { a: ['1', '2'] }],
    [['a[0][n]=x', 'a[0][v]=1', 'a[1][n]=y'], { a: [{ n: 'x', v: '1' }, { n: 'y' }] }],
    [['a[][n]=x', 'a[][v]=1', 'a[][n]=y'], { a: [{ n: 'x', v: '1' }, { n: 'y' }] }],
    [['a=b=c'], { a: 'b=c' }],
    [['a[append]=x'], { a: { append: 'x' } }],
  ])('%j', async (texts, expected) => {
    expect(await read(...texts)).toEqual(expected);
  });

  it.each([
    [['a'], 'A field is written KEY=VALUE'],
    [['=1'], 'A field is written KEY=VALUE'],
    [['a[=1'], 'cannot be read'],
    [['__proto__[x]=1'], 'cannot be read'],
    [['a=1', 'a[b]=2'], 'contradicts an earlier one'],
    [['a[]=1', 'a[b]=2'], 'contradicts an earlier one'],
    [['a[1]=1'], 'leaves out an element'],
  ])('refuses %j', async (texts, message) => {
    await expect((async () => read(...texts))()).rejects.toThrow(message);
  });
});

test('creates a subscription from fields, converted to the types of the operation', async ({
  sandboxOnPort: sandbox,
}) => {
  const fields = ['email=ada@example.com', 'send_welcome_email=false', 'utm_campaign=2026'].flatMap((each) => [
    '-f',
    each,
  ]);
  const first = ['-f', 'custom_fields[0][name]=First Name', '-f', 'custom_fields[0][value]=Ada'];
  const second = ['-F', 'custom_fields[1][name]=Team size', '-F', 'custom_fields[1][value]=3'];
  const { code, stdout, stderr } = await api(sandbox, 'subscriptions.create', ...fields, ...first, ...second);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(JSON.parse(stdout)).toMatchObject({ data: { email: 'ada@example.com', utm_campaign: '2026' } });
  const client = createClient(sandbox.clientOptions);
  const { items } = await client.subscriptions.list({ email: 'ada@example.com', expand: ['custom_fields'] });
  expect(items[0]?.custom_fields).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ name: 'First Name', value: 'Ada' }),
      expect.objectContaining({ name: 'Team size', value: 3 }),
    ]),
  );
});

test('prints one page of a list, all pages as lines, and all pages as one array', async ({
  sandboxOnPort: sandbox,
}) => {
  const page = await api(sandbox, 'subscriptions.list', '-f', 'limit=2', '-f', 'expand=stats', '-f', 'expand=tags');
  const { data } = JSON.parse(page.stdout) as { data: readonly unknown[] };
  expect(data).toHaveLength(2);
  expect(data[0]).toMatchObject({ stats: expect.anything(), tags: expect.anything() });
  const lines = await api(sandbox, 'subscriptions.list', '-f', 'limit=100', '--paginate');
  expect(new Set(events(lines.stdout).map(({ id }) => id)).size).toBe(300);
  const array = await api(sandbox, 'subscriptions.list', '-f', 'limit=100', '--paginate', '--slurp');
  expect(JSON.parse(array.stdout)).toEqual(events(lines.stdout));
  const none = await api(sandbox, 'subscriptions.list', '-f', 'email=no@example.com', '--paginate', '--slurp');
  expect(JSON.parse(none.stdout)).toEqual([]);
});

test('calls paths that begin with /, like operations', async ({ sandboxOnPort: sandbox }) => {
  const path = '/publications/{publicationId}/subscriptions';
  const list = await api(sandbox, path, '--method', 'GET', '-f', 'limit=2', '-f', 'expand[]=stats');
  expect((JSON.parse(list.stdout) as { data: readonly unknown[] }).data).toHaveLength(2);
  const lines = await api(sandbox, `${path}?limit=100`, '--paginate');
  expect(events(lines.stdout)).toHaveLength(300);
  const created = await api(sandbox, path, '-f', 'email=grace@example.com', '-F', 'send_welcome_email=false');
  expect(JSON.parse(created.stdout)).toMatchObject({ data: { email: 'grace@example.com' } });
  const unknown = await api(sandbox, '/publications/{publicationId}/nothing', '--json');
  expect(unknown).toMatchObject({ code: 66, stdout: '' });
  expect(JSON.parse(unknown.stderr)).toMatchObject({
    error: { type: 'NotFoundError', status: 404, operation: 'GET /publications/{publicationId}/nothing' },
  });
});

test('reads the body from stdin or a file, and adds fields to it', async ({ sandboxOnPort: sandbox }) => {
  const body = '{"email":"ada@example.com","utm_source":"stdin"}';
  const piped = await start(
    ['api', 'subscriptions.create', '--input', '-', '-f', 'utm_medium=web'],
    { ...sandbox.env, BODY: body },
    'printf %s "$BODY" | "$@"',
  ).ended;
  expect(JSON.parse(piped.stdout)).toMatchObject({ data: { utm_source: 'stdin', utm_medium: 'web' } });
  const file = join(scratchFolder(), 'body.json');
  writeFileSync(file, body);
  const path = '/publications/{publicationId}/subscriptions';
  expect((await api(sandbox, path, '--input', file)).code).toBe(0);
  writeFileSync(file, '{"email": ada@example.com}');
  const broken = await api(sandbox, path, '--input', file);
  expect(broken).toMatchObject({ code: 64, stderr: expect.stringContaining('is not valid JSON') });
  expect(broken.stderr).not.toContain('ada@');
});

test('prints a line for each request with --verbose, without secrets and addresses', async ({
  sandboxOnPort: sandbox,
}) => {
  sandbox.faults.add({ match: 'subscriptions.list', effect: { status: 503 }, times: 1 });
  const { code, stderr } = await api(sandbox, 'subscriptions.list', '-f', 'email=ada@example.com', '--verbose');
  expect(code).toBe(0);
  expect(stderr).toMatch(
    /^subscriptions.list: attempt 1 answered 503 after \d+ ms; again in \d+ ms\nsubscriptions.list: attempt 2 answered 200 after \d+ ms\n$/,
  );
});

test('prints status and headers with --include, and sends headers', async ({ sandboxOnPort: sandbox }) => {
  const { stdout } = await api(sandbox, 'customFields.list', '--include', '-H', 'X-Trace: t1');
  expect(stdout).toMatch(/^HTTP 200\n(?:[\w-]+: .*\n)*content-type: application\/json.*\n(?:[\w-]+: .*\n)*\n\{"data":/);
});

test.runIf(existsSync('/dev/full'))('reports that stdout cannot be written', async ({ sandboxOnPort: sandbox }) => {
  const { code, stderr } = await start(['api', 'customFields.list'], sandbox.env, 'exec "$@" > /dev/full').ended;
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^newsletter: stdout cannot be written: ENOSPC/),
  });
});

test('accepts ids as arguments or fields, and prints nothing for an empty response', async ({
  sandboxOnPort: sandbox,
}) => {
  const created = await api(sandbox, 'customFields.create', '-f', 'display=Shoe size', '-f', 'kind=integer');
  const { data } = JSON.parse(created.stdout) as { data: { id: string } };
  expect((await api(sandbox, 'customFields.get', '-f', `id=${data.id}`)).stdout).toContain('Shoe size');
  expect(await api(sandbox, 'customFields.delete', data.id)).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(await api(sandbox, 'customFields.get', data.id, '--json')).toMatchObject({
    code: 66,
    stderr: expect.stringMatching(/^\{"error":\{"type":"NotFoundError",.*"status":404/),
  });
});

test('reports usage errors before it sends a request', async ({ sandboxOnPort: sandbox }) => {
  for (const [args, text] of [
    [['automations.get'], 'automationId is missing: newsletter api automations.get automationId.'],
    [['automations.get', 'aut_1', 'more'], '"more" is one argument too many'],
    [['subscriptions.list', '-f', 'limit=1000'], '"limit" must be at most 100'],
    [['subscriptions.list', '-f', 'limt=1'], '"limt" is not known here'],
    [['subscriptions.create', '-f', 'email=ada@example.com', '--paginate'], 'does not return a list'],
  ] as const) {
    const { code, stdout, stderr } = await api(sandbox, ...args);
    expect({ args, code, stdout, stderr }).toEqual({
      args,
      code: 64,
      stdout: '',
      stderr: expect.stringContaining(text),
    });
  }
  expect(sandbox.requests()).toEqual([]);
});

it('lists all operations, and prints the fields of each by --help', async () => {
  const list = await run(['api', '--list', '--json']);
  expect(events(list.stdout).map(({ operation }) => operation)).toEqual(operations.map(({ id }) => id));
  for (const id of ['subscriptions.create', 'subscriptions.list', 'journeys.enroll'] as const) {
    const { code, stdout } = await run(['api', id, '--help']);
    expect(code).toBe(0);
    const { query, body } = shapes[id];
    for (const name of Object.keys({ ...query?.of, ...body?.of }))
      expect(stdout).toMatch(new RegExp(`^ {2}${name} `, 'm'));
    expect(stdout.includes('--paginate')).toBe(id.includes('.list'));
    for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(120);
  }
});

test('refuses endless lists of a path, and OAuth operations without the base URL of the app', async ({
  sandboxOnPort: sandbox,
}) => {
  for (const paging of ['"next_cursor":"a","has_more":true', '"has_more":true']) {
    const server = createServer((_request, response) => response.end(`{"data":[{"id":1}],${paging}}`));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const env = { ...sandbox.env, NEWSLETTER_API_URL: `http://127.0.0.1:${port}/v2` };
    const { code, stderr } = await run(['api', '/posts', '--paginate'], env);
    server.closeAllConnections();
    server.close();
    expect({ code, stderr }).toEqual({ code: 64, stderr: expect.stringContaining('cannot be read to its end') });
  }
  const { code, stderr } = await run(['api', 'oauth.tokenInfo'], { ...sandbox.env, NEWSLETTER_APP_URL: '' });
  expect({ code, stderr }).toEqual({ code: 64, stderr: expect.stringContaining('NEWSLETTER_APP_URL is missing') });
});
