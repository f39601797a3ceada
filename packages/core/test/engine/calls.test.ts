/** Calls of an engine: arguments, validators, lists and headers. */
import { describe, expect, it } from 'vitest';
import { isRecord } from '../../src/is-record.ts';
import { operation } from '../../src/contract/index.ts';
import { ApiPromise, responseInfo } from '../../src/engine/api-promise.ts';
import { isHeaderValue, requestHeaders } from '../../src/engine/prepare.ts';
import {
  createEngine,
  type Deviation,
  InvalidRequestError,
  NotFoundError,
  PagePromise,
  type Validator,
} from '../../src/engine/index.ts';
import { json, type Scripted } from './scripted-host.ts';
import { calling, headers, engineOn } from './calling.ts';

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
    request: (_, { query, body }) =>
      query['limit'] === 0 ? { problems: ['limit'] } : { value: { query, body }, unknown: [] },
    answer: (_, value) =>
      isRecord(value) && isRecord(value['data']) && value['data']['odd'] === true
        ? [{ field: 'data.odd', problem: 'expected nothing' }]
        : [],
  };
  const validated = (...script: readonly Scripted[]) => engineOn(script, { validator });

  it('checks requests and answers', async () => {
    const { host, engine } = validated(json({ data: {} }), json({ data: { odd: true } }));
    const read = () => engine.call('automations.get', { automationId: 'aut_1' }).withResponse();
    expect((await read()).warnings).toEqual([]);
    const odd = { data: { odd: true } };
    const warnings = [{ code: 'deviation', message: '"data.odd": expected nothing' }];
    expect(await read()).toMatchObject({ data: odd, warnings });
    await expect(engine.list('subscriptions.list', { limit: 0 })).rejects.toThrow(
      'subscriptions.list: the request was not sent: limit.',
    );
    expect(host.sent).toHaveLength(2);
  });

  it('that finds several things about one field: the first of them is told, once', async () => {
    const told: Deviation[] = [];
    const found = ['first', 'second'].map((problem) => ({ field: 'data.odd', problem }));
    const { engine } = engineOn([json({ data: {} })], {
      validator: { ...validator, answer: () => found },
      onDeviation: (deviation) => told.push(deviation),
    });
    const { warnings } = await engine.call('automations.get', { automationId: 'aut_1' }).withResponse();
    expect(warnings).toEqual([{ code: 'deviation', message: '"data.odd": first' }]);
    expect(told).toEqual([
      { operation: 'automations.get', part: 'answer', field: 'data.odd', problem: 'first', records: 1 },
    ]);
  });

  it('says nothing of a request that the specification does not list', async () => {
    const odd = { data: { odd: true } };
    const { engine } = validated(json(odd));
    expect(await engine.request('GET', '/beta').withResponse()).toMatchObject({ data: odd, warnings: [] });
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
    expect(
      requestHeaders(operation('customFields.create'), false, { 'X-A': 'client', b: '1' }, { 'x-a': 'call' }),
    ).toEqual({
      accept: 'application/json',
      'x-a': 'call',
      b: '1',
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
