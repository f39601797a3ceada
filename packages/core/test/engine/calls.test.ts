/** Calls: the response behind the data, extra fields, and requests that the contract does not describe. */
import { describe, expect, it } from 'vitest';
import { isRecord } from '../../src/is-record.ts';
import { operation } from '../../src/contract/index.ts';
import { ApiPromise, responseInfo } from '../../src/engine/api-promise.ts';
import {
  encodeBody,
  encodeQuery,
  isHeaderValue,
  rawRequest,
  requestHeaders,
  sortArguments,
} from '../../src/engine/request.ts';
import {
  createEngine,
  InvalidAnswerError,
  InvalidRequestError,
  NotFoundError,
  PagePromise,
  ServerError,
  type Validator,
} from '../../src/engine/index.ts';
import { json, scriptedHost, type Scripted } from './scripted-host.ts';

function calling(...script: readonly Scripted[]) {
  const host = scriptedHost(script);
  const engine = createEngine({ host, baseUrl: 'http://api.test/v2', token: 'key-0123456789', publicationId: 'pub_1' });
  return { host, engine, urls: () => host.sent.map(({ method, url }) => `${method} ${url}`) };
}

const headers = {
  'x-request-id': 'req_7',
  'x-pagination-warning': 'Offset pagination is deprecated',
  'x-pagination-migration-guide': 'https://docs.test/cursors',
};
const announced = [
  { code: 'x-pagination-warning', message: 'Offset pagination is deprecated' },
  { code: 'x-pagination-migration-guide', message: 'https://docs.test/cursors' },
];

describe('a call', () => {
  it('is a Promise of its data, and gives status, headers, request id and warnings on request', async () => {
    const { engine, host } = calling(json({ data: { id: 'aut_1' } }, { status: 201, headers }));
    const call = engine.call('automations.get', { automationId: 'aut_1' });
    expect(call).toBeInstanceOf(Promise);
    expect(call).toBeInstanceOf(ApiPromise);
    expect(await call.withResponse()).toEqual({
      data: { data: { id: 'aut_1' } },
      status: 201,
      headers,
      requestId: 'req_7',
      warnings: announced,
    });
    expect(await call).toEqual({ data: { id: 'aut_1' } });
    expect(await Promise.all([call, call.finally(() => {})])).toHaveLength(2);
    expect(host.sent).toHaveLength(1);
  });

  it('that fails names the id under which the service logged it', async () => {
    const { engine } = calling({ status: 404, headers });
    await expect(engine.call('automations.get', { automationId: 'aut_1' })).rejects.toMatchObject({
      requestId: 'req_7',
    });
  });

  it('that fails rejects once, however it is read, and derived promises are plain ones', async () => {
    const { engine } = calling({ status: 404 });
    const call = engine.call('automations.get', { automationId: 'aut_1' });
    await expect(call.withResponse()).rejects.toBeInstanceOf(NotFoundError);
    expect(await call.catch((error: unknown) => error)).toBeInstanceOf(NotFoundError);
    const derived = call.finally(() => {});
    expect(derived.constructor).toBe(Promise);
    await expect(derived).rejects.toBeInstanceOf(NotFoundError);
  });

  it('leaves no rejection unhandled where only its response is read', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    const { engine } = calling({ status: 404 }, { status: 404 });
    await engine
      .call('automations.get', { automationId: 'aut_1' })
      .withResponse()
      .catch(() => {});
    await engine
      .list('automations.list', {})
      .withResponse()
      .catch(() => {});
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });

  it('sends extra fields unchanged, in body, query and headers', async () => {
    const { engine, host } = calling(json({ data: {} }), json({ data: {} }));
    await engine.call(
      'journeys.enroll',
      { automationId: 'aut_1', email: 'ada@example.com' },
      {
        extraBody: { note: { from: 'fair' } },
        extraQuery: { dry_run: true, 'tags[]': ['a', 'b'], left_out: undefined },
        extraHeaders: { 'X-Trace': 't1', Authorization: 'Bearer other' },
      },
    );
    expect(host.sent[0]).toMatchObject({
      url: 'http://api.test/v2/publications/pub_1/automations/aut_1/journeys?dry_run=true&tags%5B%5D=a&tags%5B%5D=b',
      body: '{"email":"ada@example.com","note":{"from":"fair"}}',
      headers: { 'x-trace': 't1', authorization: 'Bearer key-0123456789' },
    });
    await engine.call('customFields.delete', { id: 'f1' }, { extraBody: { cascade: true } });
    expect(host.sent[1]).toMatchObject({ body: '{"cascade":true}', headers: { 'content-type': 'application/json' } });
  });

  it.each([
    ['a body for a GET', { extraBody: { a: 1 } }, 'a GET request has no body'],
    ['a header with a line end', { extraHeaders: { 'x-a': 'secret\r\nx-b: 1' } }, 'the value of "x-a"'],
    ['a header name with a blank', { extraHeaders: { 'x a': '1' } }, '"x a" is no header name'],
  ])('refuses %s before anything is sent', async (_, options, problem) => {
    const { engine, host } = calling();
    const error: unknown = await engine
      .call('automations.get', { automationId: 'aut_1' }, options)
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(String(error)).toContain(problem);
    expect(String(error)).not.toContain('secret');
    expect(host.sent).toHaveLength(0);
  });
});

describe('a validator', () => {
  const validator: Validator = {
    request: (_, { query, body }) => (query['limit'] === 0 ? { problems: ['limit'] } : { value: { query, body } }),
    answer: (_, value) =>
      isRecord(value) && value['data'] !== 'wrong' ? { value: { ...value, checked: true } } : { problems: ['data'] },
  };
  const validated = (option: Validator | (() => Promise<Validator>), ...script: readonly Scripted[]) => {
    const host = scriptedHost(script);
    const engine = createEngine({ host, baseUrl: 'http://api.test/v2', publicationId: 'pub_1', validator: option });
    return { host, engine };
  };

  it.each([
    ['given', validator],
    ['loaded', async () => validator],
  ])('that is %s checks requests and answers', async (_, option) => {
    const { host, engine } = validated(option, json({ data: 1 }), json({ data: 'wrong' }));
    expect(await engine.call('automations.get', { automationId: 'aut_1' })).toEqual({ data: 1, checked: true });
    await expect(engine.call('automations.get', { automationId: 'aut_1' })).rejects.toThrow(
      'automations.get: the answer (200) could not be read: data.',
    );
    await expect(engine.list('subscriptions.list', { limit: 0 })).rejects.toThrow(
      'subscriptions.list: the request was not sent: limit.',
    );
    expect(host.sent).toHaveLength(2);
  });

  it('that loads delays only requests with a query or a body, and all answers', async () => {
    const loading = Promise.withResolvers<Validator>();
    const { host, engine } = validated(() => loading.promise, ...Array.from({ length: 3 }, () => json({ data: [] })));
    const calls = [
      engine.call('automations.get', { automationId: 'aut_1' }),
      engine.call('customFields.create', { kind: 'string', display: 'a' }),
      engine.list('subscriptions.list', { limit: 1 }).then(({ items }) => items),
    ];
    await new Promise((resolve) => setImmediate(resolve));
    expect(host.sent.map(({ url }) => new URL(url).pathname)).toEqual(['/v2/publications/pub_1/automations/aut_1']);
    loading.resolve(validator);
    const checked = { data: [], checked: true };
    expect(await Promise.all(calls)).toEqual([checked, checked, []]);
    expect(host.sent).toHaveLength(3);
  });

  it('that cannot be loaded rejects the calls that need it', async () => {
    const reason = new Error('no such file');
    const { engine } = validated(() => Promise.reject(reason));
    await new Promise((resolve) => setImmediate(resolve));
    await expect(engine.list('subscriptions.list', { limit: 1 })).rejects.toBe(reason);
  });
});

describe('a list', () => {
  it('is a Promise of its first page that sends nothing before it is read', async () => {
    const { engine, host } = calling(json({ data: [{ id: 'a' }], page: 1, total_pages: 1 }, { headers }));
    const list = engine.list('subscriptions.list', { page: 1 });
    expect(list).toBeInstanceOf(Promise);
    expect(list).toBeInstanceOf(PagePromise);
    expect(host.sent).toHaveLength(0);
    const { data, status, warnings, requestId } = await list.withResponse();
    expect([data.items, status, warnings, requestId]).toEqual([[{ id: 'a' }], 200, announced, 'req_7']);
    let ended = 0;
    expect((await list.finally(() => (ended += 1))).response.warnings).toEqual(announced);
    expect([ended, host.sent.length]).toEqual([1, 1]);
  });

  it('gives each page the response it came in, and keeps extra parameters on every page', async () => {
    const { engine, urls } = calling(
      json({ data: [], has_more: true, next_cursor: 'x' }, { headers: { 'x-request-id': 'r1' } }),
      json({ data: [], has_more: false }, { headers: { 'x-request-id': 'r2' } }),
    );
    const seen: (string | null)[] = [];
    const list = engine.list('subscriptions.list', {}, { extraQuery: { view: 'new' } });
    for await (const page of list.pages()) seen.push(page.response.requestId);
    expect(seen).toEqual(['r1', 'r2']);
    expect(urls()).toEqual([
      'GET http://api.test/v2/publications/pub_1/subscriptions?limit=100&view=new',
      'GET http://api.test/v2/publications/pub_1/subscriptions?limit=100&cursor=x&view=new',
    ]);
  });
});

it('a request has a body only where the call has one, and the timeout of the call before that of the engine', async () => {
  const { host, engine } = calling(...Array.from({ length: 4 }, () => json({ data: {} })));
  await engine.call('automations.get', { automationId: 'aut_1' }, { timeoutMs: 700 });
  await engine.call('automations.get', { automationId: 'aut_1' });
  await engine.request('GET', '/tiers');
  const other = createEngine({ host, baseUrl: 'http://api.test/v2//', timeoutMs: 900 });
  await other.request('GET', '/tiers', { publicationId: 'pub_1' });
  const request = { method: 'GET', url: 'http://api.test/v2/tiers', headers: { accept: 'application/json' } };
  expect(host.sent.map(({ timeoutMs }) => timeoutMs)).toEqual([700, 30_000, 30_000, 900]);
  expect(host.sent[3]).toStrictEqual({ ...request, timeoutMs: 900 });
});

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

  it.each([
    'polls',
    '//evil.test/polls',
    'http://evil.test/v2/polls',
    '/../v1/polls',
    '/polls/%2e%2E/../x',
    '/polls/.%2e/x',
    '/polls/./x',
    '/polls\\..\\x',
    '/po lls',
    '/polls#a',
    '/polls\n',
    '/publications/{other}/polls',
  ])('is refused with the path %j', async (path) => {
    const { engine, host } = calling();
    await expect(engine.request('GET', path)).rejects.toBeInstanceOf(InvalidRequestError);
    expect(host.sent).toHaveLength(0);
  });

  it('stays at the host of the base URL, whatever the path looks like', async () => {
    const { engine, urls } = calling(json({}), json({}));
    await engine.request('GET', '/@evil.test');
    await engine.request('GET', '/a%2Fb//c');
    expect(urls()).toEqual(['GET http://api.test/v2/@evil.test', 'GET http://api.test/v2/a%2Fb//c']);
  });
});

describe('the response behind the data', () => {
  it.each(['x-request-id', 'request-id', 'x-correlation-id', 'x-amzn-requestid'])('has its id from %s', (name) => {
    expect(responseInfo({ status: 200, headers: { [name]: 'r1' } }).requestId).toBe('r1');
    expect(responseInfo({ status: 200, headers: { [name]: '' } }).requestId).toBeNull();
  });

  it.each(['x-pagination-warning', 'x-pagination-migration-guide', 'deprecation', 'sunset', 'warning'])(
    'has the warning of %s',
    (code) => {
      expect(responseInfo({ status: 200, headers: { [code]: 'soon', other: 'x' } }).warnings).toEqual([
        { code, message: 'soon' },
      ]);
    },
  );
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
    });
    expect(sorted('journeys.enroll', { publicationId: 'pub_1', automationId: 'a b', email: 'a@b.c' })).toEqual({
      path: '/publications/pub_1/automations/a%20b/journeys',
      query: {},
      body: { email: 'a@b.c' },
    });
  });

  it.each<[id: Parameters<typeof operation>[0], args: Readonly<Record<string, unknown>>, problems: readonly string[]]>([
    ['customFields.get', { publicationId: 'pub_1' }, ['"id" is missing']],
    ['customFields.get', { publicationId: 'pub_1', id: '' }, ['"id" is missing']],
    ['customFields.get', { publicationId: 'pub_1', id: 7 }, ['"id" is missing']],
    ['customFields.get', { publicationId: 'pub_', id: 'f' }, ['"publicationId" must look like pub_<uuid>']],
    ['customFields.get', { publicationId: 'pub_1 ', id: 'f' }, ['"publicationId" must look like pub_<uuid>']],
    ['customFields.get', { publicationId: 'my_pub_1', id: 'f' }, ['"publicationId" must look like pub_<uuid>']],
    [
      'customFields.get',
      { publicationId: 'pub_1', id: 'f', kind: 'x' },
      ['"kind" is not known here (publicationId, id)'],
    ],
    ['oauth.tokenInfo', { kind: 'x' }, ['"kind" is not known here (no arguments)']],
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

describe('the headers of a request', () => {
  it('name the encoding of the body, and take others in lower case', () => {
    expect(requestHeaders(operation('oauth.refresh'), true)).toEqual({
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect(requestHeaders(operation('customFields.delete'), true, { Accept: '*/*', 'X-Trace': '' })).toEqual({
      accept: '*/*',
      'content-type': 'application/json',
      'x-trace': '',
    });
    expect(requestHeaders(operation('customFields.create'), false)).toEqual({ accept: 'application/json' });
  });

  it.each(['', 'a b', 'a:', 'ä', 'a\n'])('have no header with the name %j', (name) => {
    expect(() => requestHeaders(operation('oauth.refresh'), true, { [name]: 'x' })).toThrow(
      `extraHeaders: ${JSON.stringify(name)} is no header name.`,
    );
  });

  it('have values of Latin-1 without line ends and zero bytes', () => {
    for (const value of ['', 'a\tb', 'ÿ', '\u0001', '\u0008', '\u000b', '\u000c', '\u000e'])
      expect(isHeaderValue(value), JSON.stringify(value)).toBe(true);
    for (const value of ['a\n', '\ra', 'a\u0000', 'Ā', '用'])
      expect(isHeaderValue(value), JSON.stringify(value)).toBe(false);
    expect(() => requestHeaders(operation('oauth.refresh'), true, { a: '\n', b: '\n' })).toThrow(
      'extraHeaders: the value of "a" holds characters no header may have; extraHeaders: the value of "b" holds',
    );
  });
});

describe('a raw request', () => {
  const root = 'http://api.test/v2';
  const raw = (method: string, path: string, options: Parameters<typeof rawRequest>[2] = {}) =>
    rawRequest(method as 'GET', path, options, root);

  it('is described in the terms of the contract', () => {
    expect(raw('POST', '/polls?a=1', { body: {} })).toEqual({
      operation: {
        id: 'POST /polls',
        method: 'POST',
        path: '/polls',
        base: 'api',
        scope: null,
        query: [],
        expand: [],
        body: { encoding: 'json', fields: [], required: [] },
        success: 200,
        errors: [],
        pagination: 'none',
        retry: 'once',
        doc: '',
      },
      path: '/polls?a=1',
    });
    expect(raw('GET', '/publications/{publicationId}', { publicationId: 'pub_1' }).path).toBe('/publications/pub_1');
  });

  it.each<[method: string, path: string, options: Parameters<typeof rawRequest>[2], text: string]>([
    [
      'TRACE',
      '/polls',
      {},
      'TRACE /polls: the request was not sent: the method must be one of GET, HEAD, PUT, DELETE, POST, PATCH.',
    ],
    ['toString', '/polls', {}, 'the method must be one of'],
    ['GET', '/polls', { body: {} }, 'GET /polls: the request was not sent: a GET request has no body.'],
    ['HEAD', '/polls', { body: null }, 'HEAD /polls: the request was not sent: a HEAD request has no body.'],
    ['GET', '/polls/{id}', {}, '"{id}" in the path has no value: write the value itself.'],
    ['GET', '/{publicationId}/polls', {}, 'not sent: "publicationId" is missing.'],
    ['GET', 'polls/votes', {}, 'GET /polls/votes: the request was not sent: the path must begin with one "/"'],
    ['GET', '/{publicationId}', { publicationId: 'mine' }, 'not sent: "publicationId" must look like pub_<uuid>.'],
    [
      'GET',
      '//polls',
      {},
      'GET /polls: the request was not sent: the path must begin with one "/" and stay below the base URL: no other address, no "..", no fragment.',
    ],
    ['GET', '/a/..', {}, 'the path must begin with one "/"'],
  ])('%s %s is refused', (method, path, options, text) => {
    expect(() => raw(method, path, options)).toThrow(text);
  });
});
