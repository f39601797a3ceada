/** Converts answers, and requests without an answer, into values and errors. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ApiError,
  BadRequestError,
  ConflictError,
  createPacer,
  ForbiddenError,
  ForeignAnswerError,
  InvalidAnswerError,
  NotFoundError,
  RateLimitError,
  RedirectError,
  ServerError,
  TransportError,
  UnauthorizedError,
  type AttemptEvent,
  type Engine,
  type Host,
} from '../../src/engine/index.ts';
import { scriptedHost, type Scripted } from './scripted-host.ts';
import { engineOn } from './calling.ts';

const key = 'key-0123456789';

function calling(...script: readonly Scripted[]) {
  const { host, engine } = engineOn(script, { appUrl: 'http://app.test', token: key, retry: false });
  const get = () => engine.call('automations.get', { automationId: 'aut_1' });
  return { host, engine, get, failure: () => failure(get()) };
}

const failure = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => expect.fail('It succeeded.'),
    (error: unknown) => error,
  );

const grant = { grant_type: 'refresh_token', refresh_token: 'r', client_id: 'c' } as const;

describe('an error status', () => {
  const classes: Readonly<Record<number, typeof ApiError>> = {
    400: BadRequestError,
    401: UnauthorizedError,
    403: ForbiddenError,
    404: NotFoundError,
    409: ConflictError,
    429: RateLimitError,
  };
  const edges = [103, 499, 500, ...Object.keys(classes).map(Number)];
  const anyStatus = fc.oneof(fc.integer({ min: 400, max: 599 }), fc.constantFrom(...edges));
  const nearlyErrors = [
    '{"errors":"none"}',
    '{"errors":[null]}',
    '{"errors":[{},7]}',
    '{"status":1,"statusText":""}',
    '{"type":"error.list","errors":[{"code":"x","message":"x"}]}',
    '{"success":false,"errors":[]}',
  ];
  const text = fc.stringMatching(/^[\w .]{0,20}$/);

  it("with the API's body is its class, with the messages of the service", async () => {
    const messages = fc.array(fc.record({ message: text, code: text }), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(anyStatus, text, fc.option(messages), async (status, statusText, errors) => {
        const body = JSON.stringify(errors === null ? { status, statusText } : { errors, statusText });
        const error = await calling({ status, body }).failure();
        expect(error).toBeInstanceOf(classes[status] ?? (status >= 500 ? ServerError : ApiError));
        expect(error).toMatchObject({ operation: 'automations.get', status, statusText, errors: errors ?? [] });
        for (const { code } of errors ?? []) expect(String(error)).toContain(`(${code})`);
      }),
    );
  });

  it('with any other body is not the answer of the API, and says nothing of key, scope or publication', async () => {
    const bodies = fc.constantFrom('', '<html>', '{"status":', '[]', 'null', '7', '{}', ...nearlyErrors);
    await fc.assert(
      fc.asyncProperty(anyStatus, fc.oneof(bodies, text), async (status, body) => {
        const error = await calling({ status, body }).failure();
        expect(error).toBeInstanceOf(ForeignAnswerError);
        expect(error).toMatchObject({ status, page: null, server: null });
        expect(String(error)).not.toMatch(/scope|publication id|API key must/);
      }),
    );
    const noText = `{"status":418,"statusText":7}`;
    expect(await calling({ status: 418, body: noText }).failure()).toBeInstanceOf(ForeignAnswerError);
  });

  it.each([
    [403, 'access', 'It was not the API that refused'],
    [404, 'address', 'the base URL is wrong'],
    [407, 'outage', 'check those in HTTPS_PROXY'],
    [413, 'record', 'others may pass'],
    [503, 'outage', 'Try again later'],
  ])("of %i that is not the API's is about %s", async (status, about, message) => {
    const error = await calling({ status, body: '' }).failure();
    expect(error).toMatchObject({ about, message: expect.stringContaining(message) });
  });

  it('of a page is named by its title and its server', async () => {
    const headers = { server: 'cloudflare', 'retry-after': '7' };
    const body = `<html><head><title>\n Just a moment... ada@example.com ${key}</title>`;
    const page = 'Just a moment... [address] [secret]';
    const error = await calling({ status: 403, headers, body }).failure();
    expect(error).toMatchObject({ page, server: 'cloudflare', retryAfterMs: 7000 });
    expect(String(error)).toContain(`answered 403 a page titled ‹${page}› (server cloudflare)`);
  });

  it('has empty texts in place of messages and codes that are no text', async () => {
    const body = '{"errors":[{"message":7,"code":"A"},{"message":"It is gone","code":null}]}';
    expect(await calling({ status: 400, body }).failure()).toMatchObject({
      errors: [
        { message: '', code: 'A' },
        { message: 'It is gone', code: '' },
      ],
    });
  });

  it('says what to do, as far as operation and status tell it', async () => {
    const enroll = { automationId: 'aut_1', email: 'ada@example.com' };
    const advice = async (status: number, call: (engine: Engine) => Promise<unknown>) =>
      String(await failure(call(calling({ status }).engine)));
    expect(await advice(403, (engine) => engine.call('automations.get', enroll))).toContain('scope "automations:read"');
    expect(await advice(403, (engine) => engine.request('GET', '/polls'))).not.toContain('scope');
    expect(await advice(404, (engine) => engine.call('automations.get', enroll))).toContain('publication id');
    expect(await advice(404, (engine) => engine.call('journeys.enroll', enroll))).toContain('Add by API trigger');
  });

  it('of OAuth has the error body of RFC 6749', async () => {
    const body = '{"error":"invalid_grant","error_description":"The code has expired."}';
    const { host, engine } = calling({ status: 400, body }, { status: 400, body: '{"error":"invalid_scope"}' });
    await expect(engine.call('oauth.refresh', grant)).rejects.toMatchObject({
      errors: [{ code: 'invalid_grant', message: 'The code has expired.' }],
    });
    await expect(engine.request('POST', '/oauth/token')).rejects.toMatchObject({
      errors: [{ code: 'invalid_scope', message: 'invalid_scope' }],
    });
    expect(host.sent[0]).toMatchObject({
      url: 'http://app.test/oauth/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=refresh_token&refresh_token=r&client_id=c',
    });
  });

  it('has no address and no key in its error, wherever the service repeats them', async () => {
    const name = fc.stringMatching(/^[a-zé0-9+.'_-]{0,8}[a-z0-9](?:@|%40)(?:example\.com|bücher\.example|例え\.jp)$/u);
    const around = fc.constantFrom(
      'before <> after',
      '"" is taken',
      '?email=&limit=5',
      '(), too',
      'sent to .',
      'to !?',
    );
    const messages = fc.array(fc.tuple(fc.oneof(name, fc.constant(key)), around), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(messages, fc.constantFrom('message', 'code'), async (parts, field) => {
        const text = (of: (secret: string) => string) =>
          parts.map(([secret, words]) => words.replace(/(?=>|" is|&|\)|\.$|!)/, () => of(secret))).join(' ');
        const told = { message: '', code: '', [field]: text((secret) => secret) };
        const error = await calling({ status: 400, body: JSON.stringify({ errors: [told] }) }).failure();
        const redacted = text((secret) => (secret === key ? '[secret]' : '[address]'));
        expect(error).toMatchObject({ errors: [{ ...told, [field]: redacted }] });
        for (const [secret] of parts) expect(`${String(error)} ${JSON.stringify(error)}`).not.toContain(secret);
      }),
    );
  });
});

describe('an answer of success', () => {
  it.each<[kind: string, answer: Scripted, problem: string, cause: string | null]>([
    [
      'HTML',
      { headers: { 'content-type': 'text/html' }, body: '<html>' },
      'the body is a page of something between you and the service (text/html, 6 characters)',
      "Unexpected token '<' in the body",
    ],
    [
      'cut off',
      { headers: {}, body: '{"data":{"id":"aut_1"' },
      'no content type, 21 characters',
      "Expected ',' or '}' after property value in JSON at position 21 (line 1 column 22)",
    ],
    [
      'no JSON in its middle',
      { body: '{"token":"tok-0123456789","id":tok_1, "name":"long"}' },
      'not JSON',
      "Unexpected token 'o' in the body",
    ],
    ['no JSON value', { body: 'undefined' }, 'not JSON', ' in the body'],
    ['empty', { body: ' ' }, 'the body is empty', null],
    ['a list', { body: '[]' }, 'the body is no JSON object', null],
    ['without data', { body: '{}' }, '"data" is missing', null],
  ])(
    'that is %s is an error of its own, and asked for again where that does no harm',
    async (_, answer, problem, cause) => {
      const error = await calling(answer).failure();
      expect(error).toBeInstanceOf(InvalidAnswerError);
      expect(error).toHaveProperty('message', expect.stringContaining(problem));
      if (cause === null) expect(error).not.toHaveProperty('cause');
      else expect(error).toMatchObject({ cause: { name: 'SyntaxError', message: cause } });
      const { host, engine } = calling(answer, { body: '{"data":{}}' });
      const again = engine.call('automations.get', { automationId: 'aut_1' }, { retry: { retries: 1 } });
      expect([await again, host.sent.length]).toEqual([{ data: {} }, 2]);
    },
  );

  it('has a status from 200 to 299', async () => {
    for (const status of [200, 201, 299])
      expect(await calling({ status, body: '{"data":{}}' }).get()).toEqual({ data: {} });
  });

  it('of an import is read whether it is wrapped in data or not', async () => {
    const accepted = { message: 'ok', import_id: 'i1' };
    for (const body of [accepted, { data: accepted }]) {
      const { engine } = calling({ body: JSON.stringify(body) });
      const call = engine.call('subscriptions.bulkCreate', { subscriptions: [{ email: 'ada@example.com' }] });
      expect(await call).toEqual(accepted);
    }
  });

  it.each([
    ['customFields.delete', { id: 'f' }],
    ['subscriptions.updateStatus', { subscription_ids: ['sub_1'], new_status: 'active' }],
    ['subscriptions.updateStatusPut', { subscription_ids: ['sub_1'], new_status: 'active' }],
  ] as const)('to %s is null, and no page, text or list', async (id, args) => {
    const call = (answer: Scripted) => calling(answer).engine.call(id, args as never);
    for (const answer of [{ status: 204 }, { body: '' }, { body: '{}' }, { body: 'null' }])
      expect(await call(answer)).toBeNull();
    for (const body of ['<html>', '"ok"', '[]', 'done'])
      await expect(call({ body }), body).rejects.toBeInstanceOf(InvalidAnswerError);
  });

  it('of OAuth has no data around it, and is an empty object where a token was revoked', async () => {
    const { engine } = calling({ body: '{"access_token":"a"}' }, { body: ' ' }, { body: '{"revoked":true}' });
    expect(await engine.call('oauth.refresh', grant)).toEqual({ access_token: 'a' });
    for (const _ of [1, 2])
      expect(await engine.call('oauth.revoke', { token: 't', client_id: 'c', client_secret: 's' })).toEqual({});
  });
});

it.each([
  [300, 'https://login.test/in?email=ada@example.com', 'https://login.test'],
  [399, '/in', 'http://api.test'],
  [302, undefined, null],
  [302, 'mailto:ada@example.com', null],
  [302, 'http://', null],
])('an answer of %i that leads to %s is an error that names %s', async (status, location, origin) => {
  const headers: Record<string, string> = location === undefined ? {} : { location };
  expect(await calling({ status, headers }).failure()).toEqual(
    new RedirectError('automations.get', status, origin, 'the base URL'),
  );
});

describe('an attempt without an answer', () => {
  it('because of a redirect names the setting that is wrong', async () => {
    const hidden = new TransportError('network', { code: 'ERR_REDIRECTED' });
    for (const scripted of [{ status: 301 }, hidden]) {
      await expect(calling(scripted).engine.call('oauth.tokenInfo', {})).rejects.toThrow('Correct the app URL');
      await expect(calling(scripted).get()).rejects.toThrow('Correct the base URL');
    }
  });

  it('becomes an error with the failure as its cause', async () => {
    for (const kind of ['network', 'timeout'] as const) {
      const cause = new TransportError(kind);
      expect(await calling(cause).failure()).toMatchObject({ cause });
    }
    const aborted = new TransportError('aborted', { cause: 'why' });
    expect(await calling(aborted).failure()).toMatchObject({ name: 'AbortedError', cause: 'why' });
  });

  it('because of a bug in the host or the pacer throws it as it is', async () => {
    const bug = new RangeError('a bug');
    const host = { ...scriptedHost([]), send: () => Promise.reject(bug) };
    const pacer = { ...createPacer(host), turn: () => Promise.reject(bug) };
    for (const options of [{ host }, { pacer }]) {
      const { engine } = engineOn([], options);
      await expect(engine.call('automations.get', { automationId: 'aut_1' })).rejects.toBe(bug);
    }
  });

  it('is reported with its failure, and every attempt with its duration', async () => {
    const host = scriptedHost([new TransportError('timeout'), { body: '{"da' }, { body: '{"data":{}}' }]);
    const slow: Host = { ...host, send: async (request) => (await host.sleep(40), host.send(request)) };
    await host.sleep(1000);
    const events: AttemptEvent[] = [];
    const onAttempt = (event: AttemptEvent) => events.push(event);
    const { engine } = engineOn([], { host: slow, onAttempt });
    await engine.call('automations.get', { automationId: 'aut_1' });
    const attempt = { operation: 'automations.get', durationMs: 40 };
    expect(events).toEqual([
      { ...attempt, attempt: 1, outcome: 'timeout', retryInMs: 250 },
      { ...attempt, attempt: 2, outcome: 200, retryInMs: 500 },
      { ...attempt, attempt: 3, outcome: 200, retryInMs: null },
    ]);
  });
});

it('an OAuth call without an appUrl is not sent', async () => {
  const { engine } = engineOn([]);
  await expect(engine.call('oauth.tokenInfo', {})).rejects.toThrow('no appUrl');
});
