/** Converts answers, and requests without an answer, into values and errors. */
import { describe, expect, it } from 'vitest';
import {
  ApiError,
  BadRequestError,
  ConflictError,
  createEngine,
  createPacer,
  ForbiddenError,
  ForeignAnswerError,
  InvalidAnswerError,
  InvalidRequestError,
  NotFoundError,
  RateLimitError,
  redact,
  RedirectError,
  ServerError,
  TransportError,
  UnauthorizedError,
  type AttemptEvent,
  type Host,
  type TransportErrorDetails,
} from '../../src/engine/index.ts';
import { scriptedHost, type Scripted } from './scripted-host.ts';

function calling(...script: readonly Scripted[]) {
  const host = scriptedHost(script);
  const engine = createEngine({
    host,
    baseUrl: 'http://api.test/v2/',
    token: 'key-0123456789',
    publicationId: 'pub_1',
    retry: false,
  });
  return { host, engine, get: () => engine.call('automations.get', { automationId: 'aut_1' }) };
}

const failure = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => expect.fail('It succeeded.'),
    (error: unknown) => error,
  );

const html = { headers: { 'content-type': 'text/html' }, body: '<html><h1>Bad gateway</h1></html>' };

describe('an answer', () => {
  it.each([
    [400, BadRequestError],
    [401, UnauthorizedError],
    [403, ForbiddenError],
    [404, NotFoundError],
    [409, ConflictError],
    [418, ApiError],
    [429, RateLimitError],
    [500, ServerError],
    [503, ServerError],
    [103, ApiError],
  ])("of %i becomes its error where its body is the API's", async (status, Class) => {
    for (const body of ['{"errors":[]}', '{"errors":[{}]}', JSON.stringify({ status, statusText: '' })]) {
      const error = await failure(calling({ status, body }).get());
      expect(error, body).toBeInstanceOf(Class);
      expect(error, body).toMatchObject({ status, operation: 'automations.get', statusText: '' });
    }
  });

  it.each([
    [400, 'record', 'others may pass'],
    [401, 'access', 'It was not the API that refused'],
    [403, 'access', 'It was not the API that refused'],
    [404, 'address', 'the base URL is wrong'],
    [407, 'outage', 'check those in HTTPS_PROXY'],
    [413, 'record', 'others may pass'],
    [429, 'outage', 'Try again later'],
    [503, 'outage', 'Try again later'],
  ])("of %i with any other body is not the API's, and is about %s", async (status, about, advice) => {
    for (const body of [
      '',
      '<html>',
      '{"status":',
      '[]',
      'null',
      '{"errors":"none","statusText":7}',
      '{"errors":[null]}',
    ]) {
      const error = await failure(calling({ status, body }).get());
      expect(error, body).toBeInstanceOf(ForeignAnswerError);
      expect(error, body).toMatchObject({ status, about, page: null, message: expect.stringContaining(advice) });
      expect(String(error)).not.toMatch(/scope|publication id|API key must/);
    }
  });

  it('that is a page is named by its title and its server, without what it may repeat', async () => {
    const answer = {
      status: 403,
      headers: { server: 'cloudflare', 'retry-after': '7' },
      body: '<html><head><title>\n Just a moment... ada@example.com key-0123456789</title>',
    };
    const error = await failure(calling(answer).get());
    expect(error).toMatchObject({
      page: 'Just a moment... [address] [secret]',
      server: 'cloudflare',
      retryAfterMs: 7000,
    });
    expect(String(error)).toContain(
      'something between you and the service answered 403 a page titled ‹Just a moment... [address] [secret]› (server cloudflare)',
    );
  });

  it('has empty texts in place of messages and codes that are no text', async () => {
    const body = '{"errors":[{"message":7,"code":"A"},{"message":"It is gone","code":null}]}';
    await expect(calling({ status: 400, body }).get()).rejects.toMatchObject({
      errors: [
        { message: '', code: 'A' },
        { message: 'It is gone', code: '' },
      ],
    });
  });

  it('carries the messages of the service and what to do', async () => {
    const body = JSON.stringify({
      status: 401,
      statusText: 'unauthorized',
      errors: [{ message: 'The api key is not valid', code: 'INVALID_API_KEY' }],
    });
    await expect(calling({ status: 401, body }).get()).rejects.toMatchObject({
      message:
        'automations.get: the service answered 401, "The api key is not valid (INVALID_API_KEY)". Check the API key or token: it is missing, wrong or expired.',
      errors: [{ message: 'The api key is not valid', code: 'INVALID_API_KEY' }],
      statusText: 'unauthorized',
    });
  });

  it.each([
    [401, 'automations.get', 'Check the API key or token'],
    [403, 'automations.get', 'the scope "automations:read"'],
    [403, 'deletionRequests.list', 'must not be restricted to publications'],
    [404, 'automations.get', 'Check the publication id'],
    [404, 'journeys.enroll', 'active Add by API trigger'],
    [409, 'deletionRequests.create', 'exists already'],
    [429, 'automations.get', 'call less often'],
  ] as const)('of %i to %s says what to do: %s', async (status, id, advice) => {
    const { engine } = calling({ status });
    const args = { automationId: 'aut_1', email: 'ada@example.com' };
    const names =
      id === 'automations.get'
        ? { automationId: args.automationId }
        : id === 'deletionRequests.list'
          ? {}
          : id === 'journeys.enroll'
            ? args
            : { email: args.email };
    await expect(engine.call(id, names as never)).rejects.toThrow(advice);
  });

  it('reads the error body of OAuth too', async () => {
    const host = scriptedHost([
      { status: 400, body: '{"error":"invalid_grant","error_description":"The code has expired."}' },
    ]);
    const engine = createEngine({ host, baseUrl: 'http://api.test/v2', appUrl: 'http://app.test' });
    const call = engine.call('oauth.refresh', { grant_type: 'refresh_token', refresh_token: 'r', client_id: 'c' });
    await expect(call).rejects.toMatchObject({ errors: [{ code: 'invalid_grant', message: 'The code has expired.' }] });
    const { engine: other } = calling({ status: 400, body: '{"error":"invalid_scope"}' });
    await expect(other.request('POST', '/oauth/token')).rejects.toMatchObject({
      errors: [{ code: 'invalid_scope', message: 'invalid_scope' }],
    });
    expect(host.sent[0]).toMatchObject({
      url: 'http://app.test/oauth/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=refresh_token&refresh_token=r&client_id=c',
    });
  });

  it('keeps addresses and the key out of every error text', async () => {
    const message = 'ada+news@example.com is on the list, your key is key-0123456789';
    const body = JSON.stringify({ errors: [{ message, code: 'X' }] });
    const error: unknown = await calling({ status: 400, body })
      .get()
      .catch((reason: unknown) => reason);
    const seen = `${String(error)} ${JSON.stringify(error)}`;
    expect(seen).toContain('[address] is on the list, your key is [secret]');
    expect(seen).not.toMatch(/ada|0123456789/);
  });

  it.each([
    ['Use an address such as name@example.com.', 'Use an address such as name@example.com.'],
    ['name@example.com.au, surname@example.com, Name@example.com', '[address], [address], [address]'],
    ['Sent to ada@example.com. Try ada@example.com!', 'Sent to [address]. Try [address]!'],
    ['Really ada@example.com?! Yes, ada@example.com!!', 'Really [address]?! Yes, [address]!!'],
    ["o'neil@example.ie is taken", '[address] is taken'],
    ['GET /subscriptions?email=ada%2Bn%40example.com&limit=5', 'GET /subscriptions?email=[address]&limit=5'],
    ['<Ada@BÜCHER.example>, "用户@例え.jp"', '<[address]>, "[address]"'],
    ['10 % @ noon', '10 % @ noon'],
  ])('has the addresses taken out of %j', (text, clean) => {
    expect(redact(text)).toBe(clean);
  });

  it.each<[kind: string, answer: Scripted, problem: string, cause: string | null]>([
    ['HTML', html, 'the body is not JSON (text/html, 33 characters)', "Unexpected token '<' in the body"],
    [
      'cut-off JSON',
      { headers: {}, body: '{"data":{"id":"aut_1"' },
      'the body is not JSON (no content type, 21 characters)',
      "Expected ',' or '}' after property value in JSON at position 21 (line 1 column 22)",
    ],
    [
      'JSON with an error in its middle',
      { body: '{"token":"tok-0123456789","id":tok_1, "name":"a long name"}' },
      'the body is not JSON (application/json, 59 characters)',
      "Unexpected token 'o' in the body",
    ],
    ['a short text', { body: 'done' }, 'application/json, 4 characters', "Unexpected token 'd' in the body"],
    ['no JSON value', { body: 'undefined' }, 'application/json, 9 characters', ' in the body'],
    ['empty', { body: ' ' }, 'the body is empty', null],
    ['a list', { body: '[]' }, 'the body is no JSON object', null],
    ['without data', { body: '{}' }, '"data" is missing', null],
  ])(
    'of success that is %s is an error of its own, and asked for again where that does no harm',
    async (_, answer, problem, cause) => {
      const error = await failure(calling(answer).get());
      expect(error).toBeInstanceOf(InvalidAnswerError);
      expect(error).toHaveProperty('message', expect.stringContaining(problem));
      if (cause === null) expect(error).not.toHaveProperty('cause');
      else expect(error).toMatchObject({ cause: { name: 'SyntaxError', message: cause } });
      const { host, engine } = calling(answer, { body: '{"data":{}}' });
      expect(await engine.call('automations.get', { automationId: 'aut_1' }, { retry: { retries: 1 } })).toEqual({
        data: {},
      });
      expect(host.sent).toHaveLength(2);
    },
  );

  it('of an import is read whether it is wrapped in data or not', async () => {
    const accepted = { message: 'ok', import_id: 'i1' };
    for (const body of [accepted, { data: accepted }]) {
      const { engine } = calling({ body: JSON.stringify(body) });
      expect(await engine.call('subscriptions.bulkCreate', { subscriptions: [{ email: 'ada@example.com' }] })).toEqual(
        accepted,
      );
    }
  });

  const bodyless = [
    ['customFields.delete', { id: 'f' }],
    ['subscriptions.updateStatus', { subscription_ids: ['sub_1'], new_status: 'active' }],
    ['subscriptions.updateStatusPut', { subscription_ids: ['sub_1'], new_status: 'active' }],
  ] as const;

  it.each(bodyless)('to %s is null, whether the body is empty or a JSON object', async (id, args) => {
    for (const answer of [{ status: 204 }, { status: 200 }, { status: 200, body: '{}' }, { status: 200, body: 'null' }])
      expect(await calling(answer).engine.call(id, args as never)).toBeNull();
  });

  it.each(bodyless)('to %s that is a page, a text or a list is no success', async (id, args) => {
    for (const body of [html.body, '"ok"', '[]', 'done'])
      await expect(calling({ status: 200, body }).engine.call(id, args as never), body).rejects.toBeInstanceOf(
        InvalidAnswerError,
      );
  });

  it.each(['{}', '[]', '"ok"', 'null', '7'])(
    'of success with the JSON %s is no answer of an operation',
    async (body) => {
      await expect(calling({ body }).get()).rejects.toBeInstanceOf(InvalidAnswerError);
    },
  );

  it.each([200, 201, 299])('of %i is a success', async (status) => {
    expect(await calling({ status, body: '{"data":{}}' }).get()).toEqual({ data: {} });
  });

  it('of OAuth has no data around it, and is an empty object where a token was revoked', async () => {
    const host = scriptedHost([{ body: '{"access_token":"a"}' }, { body: ' ' }, { body: '{"revoked":true}' }]);
    const engine = createEngine({ host, baseUrl: 'http://api.test/v2', appUrl: 'http://app.test' });
    const grant = { grant_type: 'refresh_token', refresh_token: 'r', client_id: 'c' } as const;
    expect(await engine.call('oauth.refresh', grant)).toEqual({ access_token: 'a' });
    for (const _ of [1, 2])
      expect(await engine.call('oauth.revoke', { token: 't', client_id: 'c', client_secret: 's' })).toEqual({});
  });

  it.each([
    [300, 'https://login.test/in?email=ada@example.com', 'https://login.test'],
    [399, '/in', 'http://api.test'],
    [302, undefined, null],
    [302, 'mailto:ada@example.com', null],
    [302, 'http://', null],
  ])('of %i that leads to %s is an error that names %s', async (status, location, origin) => {
    const headers: Record<string, string> = location === undefined ? {} : { location };
    const error = await failure(calling({ status, headers }).get());
    expect(error).toEqual(new RedirectError('automations.get', status, origin, 'the base URL'));
    expect(error).toMatchObject({ status, location: origin });
  });
});

describe('an attempt without an answer', () => {
  it('of an OAuth call names the setting appUrl', async () => {
    const oauth = (scripted: Scripted) =>
      createEngine({
        host: scriptedHost([scripted]),
        baseUrl: 'http://api.test/v2',
        appUrl: 'http://app.test',
        retry: false,
      }).call('oauth.tokenInfo', {});
    await expect(oauth({ status: 301 })).rejects.toThrow(
      'oauth.tokenInfo: the service answered 301, a redirect, which is not followed. Correct the app URL.',
    );
    const hidden = new TransportError('network', { code: 'ERR_REDIRECTED' });
    const text = 'the service answered with a redirect, which is not followed. Correct';
    await expect(oauth(hidden)).rejects.toThrow(`oauth.tokenInfo: ${text} the app URL (ERR_REDIRECTED).`);
    await expect(calling(hidden).get()).rejects.toThrow(`automations.get: ${text} the base URL (ERR_REDIRECTED).`);
  });

  it('becomes an error with the failure as its cause', async () => {
    for (const kind of ['network', 'timeout'] as const) {
      const cause = new TransportError(kind);
      await expect(calling(cause).get()).rejects.toMatchObject({ cause });
    }
    await expect(calling(new TransportError('aborted', { cause: 'why' })).get()).rejects.toMatchObject({
      name: 'AbortedError',
      cause: 'why',
    });
  });

  it('because of a bug in the host or the pacer throws it as it is', async () => {
    const bug = new RangeError('a bug');
    const host = { ...scriptedHost([]), send: () => Promise.reject(bug) };
    const pacer = { ...createPacer(host), turn: () => Promise.reject(bug) };
    for (const options of [{ host }, { host: scriptedHost([]), pacer }]) {
      const engine = createEngine({ baseUrl: 'http://api.test/v2', publicationId: 'pub_1', ...options });
      await expect(engine.call('automations.get', { automationId: 'aut_1' })).rejects.toBe(bug);
    }
  });

  it('is reported with its failure, and every attempt with its duration', async () => {
    const host = scriptedHost([new TransportError('timeout'), { body: '{"da' }, { body: '{"data":{}}' }]);
    const slow: Host = {
      ...host,
      async send(request) {
        await host.sleep(40);
        return host.send(request);
      },
    };
    await host.sleep(1000);
    const events: AttemptEvent[] = [];
    const engine = createEngine({
      host: slow,
      baseUrl: 'http://api.test/v2',
      publicationId: 'pub_1',
      onAttempt: (event) => events.push(event),
    });
    await engine.call('automations.get', { automationId: 'aut_1' });
    const operation = 'automations.get';
    expect(events).toEqual([
      { operation, attempt: 1, durationMs: 40, outcome: 'timeout', retryInMs: 250 },
      { operation, attempt: 2, durationMs: 40, outcome: 200, retryInMs: 500 },
      { operation, attempt: 3, durationMs: 40, outcome: 200, retryInMs: null },
    ]);
  });

  const certificate = 'the TLS certificate of the service was not accepted';
  it.each<[text: string, details: TransportErrorDetails, notSent: boolean, correct: string | null]>([
    ['network', {}, false, null],
    ['network (ETIMEDOUT)', { code: 'ETIMEDOUT' }, false, null],
    ['network (ECONNREFUSED)', { code: 'ECONNREFUSED' }, true, null],
    ['network (ECONNREFUSED)', { code: 'ECONNREFUSED', notSent: false }, false, null],
    ['network (CERT_HAS_EXPIRED)', { code: 'CERT_HAS_EXPIRED' }, true, certificate],
    ['network (ERR_REDIRECTED)', { code: 'ERR_REDIRECTED' }, false, 'the service answered with a redirect'],
  ])('is a TransportError: %s', (message, details, notSent, correct) => {
    const error = new TransportError('network', details);
    expect(error).toMatchObject({ name: 'TransportError', failure: 'network', message, notSent, code: details.code });
    expect(error.misconfiguration).toEqual(correct === null ? null : expect.stringContaining(correct));
    expect(error).not.toHaveProperty('cause');
    expect(new TransportError('network', { ...details, cause: 'why' }).cause).toBe('why');
  });
});

describe('a request', () => {
  it('is encoded part by part, and authorized', async () => {
    const { host, engine } = calling({ body: '{"data":[]}' }, { body: '{"data":{}}' }, { body: '{}' });
    await engine.list('subscriptions.list', { email: 'ada+n@example.com', limit: 5 });
    await engine.call('authors.get', { authorId: 'Ada Löwe/Ω' });
    await engine.call('subscriptions.updateStatus', {
      subscription_ids: ['sub_1'],
      new_status: 'inactive',
      publicationId: 'pub_2',
    });
    expect(host.sent.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['GET', 'http://api.test/v2/publications/pub_1/subscriptions?email=ada%2Bn%40example.com&limit=5', undefined],
      ['GET', 'http://api.test/v2/publications/pub_1/authors/Ada%20L%C3%B6we%2F%CE%A9', undefined],
      [
        'PATCH',
        'http://api.test/v2/publications/pub_2/subscriptions',
        '{"subscription_ids":["sub_1"],"new_status":"inactive"}',
      ],
    ]);
    expect(host.sent[0]?.headers).toEqual({ accept: 'application/json', authorization: 'Bearer key-0123456789' });
  });

  it.each([
    [
      'a missing path parameter',
      (engine: ReturnType<typeof createEngine>) => engine.call('automations.get', {} as never),
      '"automationId" is missing',
    ],
    [
      'a missing field',
      (engine: ReturnType<typeof createEngine>) => engine.call('subscriptions.create', {} as never),
      '"email" is missing',
    ],
    [
      'a misspelt name',
      (engine: ReturnType<typeof createEngine>) =>
        engine.call('subscriptions.create', { email: 'a@b.test', double_opt_overide: 'on' } as never),
      '"double_opt_overide" is not known here; did you mean "double_opt_override"?',
    ],
    [
      'a publication id of another form',
      (engine: ReturnType<typeof createEngine>) =>
        engine.call('customFields.get', { id: 'f', publicationId: 'my newsletter' }),
      '"publicationId" must look like pub_<uuid>',
    ],
    [
      'an OAuth call without an appUrl',
      (engine: ReturnType<typeof createEngine>) => engine.call('oauth.tokenInfo', {}),
      'no appUrl',
    ],
  ])('with %s is not sent', async (_, call, problem) => {
    const { host, engine } = calling();
    await expect(call(engine)).rejects.toSatisfy(
      (error) => error instanceof InvalidRequestError && error.message.includes(problem),
    );
    expect(host.sent).toHaveLength(0);
  });
});
