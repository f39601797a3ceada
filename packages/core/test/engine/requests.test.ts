/** Refuses invalid requests before they are sent; sends raw requests. */
import { describe, expect, it } from 'vitest';
import { operation } from '../../src/contract/index.ts';
import { encodeBody, encodeQuery, sortArguments, withCustomerId } from '../../src/engine/prepare.ts';
import {
  createEngine,
  InvalidAnswerError,
  InvalidRequestError,
  ServerError,
  type RequestOptions,
} from '../../src/engine/index.ts';
import { json, scriptedHost } from './scripted-host.ts';
import { calling, headers } from './calling.ts';

describe('a request that the contract does not describe', () => {
  it('is sent with authorization, the publication and a JSON body, and returns the JSON of the answer', async () => {
    const { engine, host } = calling(json({ data: { id: 'post_1' } }, { headers }), json([1]));
    const call = engine.request<{ data: { id: string } }>('POST', '/publications/{publicationId}/posts', {
      body: { title: 'Ada' },
      query: { draft: true, 'expand[]': ['stats'] },
      headers: { 'X-Trace': 't1' },
    });
    expect(await call).toEqual({ data: { id: 'post_1' } });
    expect((await call.withResponse()).requestId).toBe('req_7');
    expect(host.sent[0]).toMatchObject({
      method: 'POST',
      url: 'http://api.test/v2/publications/pub_1/posts?draft=true&expand%5B%5D=stats',
      body: '{"title":"Ada"}',
      headers: { authorization: 'Bearer key-0123456789', 'content-type': 'application/json', 'x-trace': 't1' },
    });
    expect(await engine.request('GET', '/tiers?limit=2', { query: { page: 3 } })).toEqual([1]);
    expect(host.sent[1]?.url).toBe('http://api.test/v2/tiers?limit=2&page=3');
  });

  it.each([
    ['GET', 3],
    ['HEAD', 3],
    ['PUT', 3],
    ['DELETE', 3],
    ['POST', 1],
    ['PATCH', 1],
  ] as const)('%s after a lost answer is sent %i times', async (method, times) => {
    const { engine, host } = calling({ status: 500 }, { status: 502 }, { status: 200 });
    const call = engine.request(method, '/polls');
    await (times === 3 ? call : expect(call).rejects.toBeInstanceOf(ServerError));
    expect(host.sent).toHaveLength(times);
  });

  it('is retried by its retryClass', async () => {
    const { engine, host } = calling({ status: 500 }, json({}));
    await engine.request('POST', '/search', { retryClass: 'safe', body: {} });
    expect(host.sent).toHaveLength(2);
  });

  it('is named in its errors by method and path, without address and query', async () => {
    const error: unknown = await calling({ status: 404 })
      .engine.request('GET', '/publications/{publicationId}/subscriptions/by_email/ada@example.com?x=ada@example.com')
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ operation: 'GET /publications/{publicationId}/subscriptions/by_email/[address]' });
    expect(String(error)).not.toContain('ada');
    const forbidden = calling({ status: 403 }).engine.request('GET', '/polls');
    await expect(forbidden).rejects.toThrow('GET /polls: the service answered 403');
  });

  it('returns null for an empty answer, and an error for an HTML page', async () => {
    expect(await calling({ status: 204 }).engine.request('DELETE', '/polls/1')).toBeNull();
    await expect(calling({ body: '<html>' }).engine.request('GET', '/polls', { retry: false })).rejects.toBeInstanceOf(
      InvalidAnswerError,
    );
  });

  const badPath =
    'the path must begin with one "/" and stay below the base URL: no other address, no "..", no fragment.';
  it.each<[method: string, path: string, options: RequestOptions, problem: string]>([
    ...[
      'polls',
      '//evil.test/polls',
      'http://evil.test/v2/polls',
      '/../v1/polls',
      '/polls/%2e%2E/../x',
      '/polls/.%2e/x',
      '/polls/./x',
      '/a/..',
      '/polls\\..\\x',
      '/po lls',
      '/polls#a',
      '/polls\n',
    ].map((path): [string, string, RequestOptions, string] => ['GET', path, {}, badPath]),
    ['TRACE', '/polls', {}, 'the method must be one of GET, HEAD, PUT, DELETE, POST, PATCH.'],
    ['toString', '/polls', {}, 'the method must be one of'],
    ['GET', '/polls', { body: {} }, 'a GET request has no body.'],
    ['HEAD', '/polls', { body: null }, 'a HEAD request has no body.'],
    ['GET', '/polls/{id}', {}, '"{id}" in the path has no value: write the value itself.'],
    ['GET', '/{publicationId}', { publicationId: 'mine' }, '"publicationId" must look like pub_<uuid>.'],
  ])('is refused: %s %j with %j', async (method, path, options, problem) => {
    const { engine, host } = calling();
    const error: unknown = await engine.request(method as 'GET', path, options).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(String(error)).toContain(`the request was not sent: ${problem}`);
    expect(host.sent).toHaveLength(0);
  });

  it('is refused where its path asks for a publication and none is named', async () => {
    const engine = createEngine({ host: scriptedHost([]), baseUrl: 'http://api.test/v2' });
    await expect(engine.request('GET', '/{publicationId}/polls')).rejects.toThrow('"publicationId" is missing.');
  });

  it('stays at the host of the base URL, whatever the path looks like', async () => {
    const { engine, urls } = calling(json({}), json({}));
    await engine.request('GET', '/@evil.test');
    await engine.request('GET', '/a%2Fb//c');
    expect(urls()).toEqual(['GET http://api.test/v2/@evil.test', 'GET http://api.test/v2/a%2Fb//c']);
  });
});

describe('the arguments of an operation', () => {
  const sorted = (id: Parameters<typeof operation>[0], args: Readonly<Record<string, unknown>>) =>
    sortArguments(operation(id), args);

  it('are sorted into path, query and body', () => {
    expect(
      sorted('subscriptions.list', { publicationId: 'pub_a-1', expand: ['stats'], cursor: 'x', limit: undefined }),
    ).toStrictEqual({
      path: '/publications/pub_a-1/subscriptions',
      query: { expand: ['stats'], cursor: 'x' },
      body: null,
      unknown: [],
    });
    expect(sorted('subscriptions.list', { publicationId: 'pub_1', segment: 's' })).toMatchObject({
      query: { segment: 's' },
      unknown: [{ field: 'segment' }],
    });
    expect(sorted('journeys.enroll', { publicationId: 'pub_1', automationId: 'a b', email: 'a@b.c' })).toEqual({
      path: '/publications/pub_1/automations/a%20b/journeys',
      query: {},
      body: { email: 'a@b.c' },
      unknown: [],
    });
    expect(
      sorted('subscriptions.create', { publicationId: 'pub_1', email: 'a@b.c', stripe_customer_id: 'c' }),
    ).toMatchObject({
      path: '/publications/pub_1/subscriptions',
      query: {},
      body: { email: 'a@b.c', stripe_customer_id: 'c' },
      unknown: [{ field: 'stripe_customer_id' }],
    });
  });

  it('have their address normalized, and nothing else', () => {
    const bodyOf = (args: object) =>
      sorted('journeys.enroll', { publicationId: 'pub_1', automationId: 'a', ...args }).body;
    expect(bodyOf({ email: ' Ada@EXAMPLE.com ' })).toEqual({ email: 'Ada@example.com' });
    // Blanks alone stay: without its address, a list would be that of everybody.
    expect(bodyOf({ email: '  ' })).toEqual({ email: '  ' });
    expect(bodyOf({ email: ['A@B.C'] })).toEqual({ email: ['A@B.C'] });
    expect(bodyOf({ email: 'a@b.c', double_opt: ' A@B.C ' })).toMatchObject({ double_opt: ' A@B.C ' });
    expect(bodyOf({ email: 'a@b.c', subscription_id: ' SUB@1 ' })).toMatchObject({ subscription_id: ' SUB@1 ' });
  });

  it.each<[name: 'payments_customer_id' | 'stripe_customer_id', body: object | null, sent: object | null]>([
    ['payments_customer_id', { payments_customer_id: 'c' }, { payments_customer_id: 'c' }],
    ['stripe_customer_id', null, null],
    ['stripe_customer_id', { payments_customer_id: 'c', email: 'a' }, { stripe_customer_id: 'c', email: 'a' }],
    ['stripe_customer_id', { email: 'a' }, { email: 'a' }],
    ['stripe_customer_id', { subscriptions: 'odd' }, { subscriptions: 'odd' }],
    [
      'stripe_customer_id',
      { subscriptions: [{ payments_customer_id: 'c' }, { email: 'a' }, null] },
      { subscriptions: [{ stripe_customer_id: 'c' }, { email: 'a' }, null] },
    ],
  ])('name the customer id %s in %j', (name, body, sent) => {
    expect(withCustomerId(body as Record<string, unknown> | null, name)).toStrictEqual(sent);
  });

  it('name the customer id as the specification does by default', () => {
    const body = { payments_customer_id: 'c', subscriptions: [{ payments_customer_id: 'd' }] };
    expect(withCustomerId(body)).toBe(body);
  });

  it.each<[id: Parameters<typeof operation>[0], args: Readonly<Record<string, unknown>>, problems: readonly string[]]>([
    ['customFields.get', { publicationId: 'pub_1' }, ['"id" is missing']],
    ['customFields.get', { publicationId: 'pub_1', id: '' }, ['"id" is missing']],
    ['customFields.get', { publicationId: 'pub_1', id: 7 }, ['"id" is missing']],
    ['customFields.get', { publicationId: 'pub_', id: 'f' }, ['"publicationId" must look like pub_<uuid>']],
    ['customFields.get', { publicationId: 'pub_1 ', id: 'f' }, ['"publicationId" must look like pub_<uuid>']],
    ['customFields.get', { publicationId: 'my_pub_1', id: 'f' }, ['"publicationId" must look like pub_<uuid>']],
    [
      'subscriptions.list',
      { publicationId: 'pub_1', limt: 1, orderBy: 'created', 'expand[]': [] },
      [
        '"limt" is not known here; did you mean "limit"?',
        '"orderBy" is not known here; did you mean "order_by"?',
        '"expand[]" is not known here; did you mean "expand"?',
      ],
    ],
    ['customFields.create', { publicationId: 'pub_1', kind: '' }, ['"kind" is missing', '"display" is missing']],
    ['journeys.enroll', { publicationId: 'pub_1', automationId: 'a' }, ['"email" or "subscription_id" is missing']],
    [
      'journeys.enroll',
      { publicationId: 'pub_1', automationId: 'a', email: '' },
      ['"email" or "subscription_id" is missing'],
    ],
    [
      'subscriptions.list',
      { publicationId: 'pub_1', cursor: 'x', page: 1 },
      ['"cursor" and "page" cannot be combined; leave out "page", which is deprecated'],
    ],
  ])('of %s: %j is refused', (id, args, problems) => {
    expect(() => sorted(id, args)).toThrow(new InvalidRequestError(id, problems));
  });

  it('become a query without empty values', () => {
    const list = operation('subscriptions.list');
    expect(encodeQuery(list, {})).toBe('');
    expect(encodeQuery(list, { expand: ['stats', '', null], email: 'a b', limit: 0, cursor: '' })).toBe(
      '?expand%5B%5D=stats&email=a%20b&limit=0',
    );
    expect(encodeQuery(list, { limit: 5 }, { limit: 6, 'x y': false, none: null })).toBe('?limit=6&x%20y=false');
  });

  it('become a body in the encoding of the operation', () => {
    const refresh = operation('oauth.refresh');
    expect(encodeBody(refresh, { grant_type: 'a b', code: 'c&d' })).toBe('grant_type=a%20b&code=c%26d');
    const create = operation('customFields.create');
    expect(encodeBody(create, { kind: 'string' }, { kind: 'list' })).toBe('{"kind":"list"}');
    expect(encodeBody(create, null)).toBeUndefined();
    const remove = operation('customFields.delete');
    expect(encodeBody(remove, {})).toBeUndefined();
    expect(encodeBody(remove, null, { a: 1 })).toBe('{"a":1}');
    for (const method of ['GET', 'HEAD'] as const)
      expect(() => encodeBody({ ...remove, method }, null, { a: 1 })).toThrow(
        `"extraBody" cannot be sent: a ${method} request has no body`,
      );
  });
});
