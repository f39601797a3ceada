/** The text of errors, which names causes and holds no secret. */
import { describe, expect, it } from 'vitest';
import {
  AbortedError,
  ConfigurationError,
  InvalidAnswerError,
  InvalidRequestError,
  NetworkError,
  NewsletterError,
  RedirectError,
  TimeoutError,
  TransportError,
} from '../../src/engine/index.ts';
import { apiError, heldBack, withAdvice, type CallName } from '../../src/engine/errors.ts';
import { withoutSecrets } from '../../src/engine/redact.ts';

describe('an error of the platform as a cause', () => {
  const code = { code: 'ENOTFOUND' };

  it('is kept itself where its texts hold no address and no secret', () => {
    const clean = Object.assign(new Error('no route', { cause: new TypeError('name@example.com is allowed') }), code);
    expect(withoutSecrets(clean, ['s3cret', ''])).toBe(clean);
    expect(withoutSecrets('a text', ['s3cret'])).toBeUndefined();
    const several = new AggregateError([new Error('one'), 'two'], 'all failed', { cause: 'a text' });
    expect(withoutSecrets(several)).toBe(several);
  });

  it.each([
    ['its message', Object.assign(new RangeError('ada@example.com is refused'), code), '[address] is refused'],
    ['a field', Object.assign(new RangeError('refused'), code, { hostname: 's3cret.test' }), 'refused'],
    ['its cause', Object.assign(new RangeError('refused', { cause: new Error('by s3cret') }), code), 'refused'],
    [
      'one of several errors',
      Object.assign(new RangeError('refused'), code, { errors: [new Error('fine'), new Error('by s3cret')] }),
      'refused',
    ],
  ])('is copied with name, message and code where %s holds one', (_, error, message) => {
    const copy = withoutSecrets(error, ['s3cret']);
    expect(copy).toBeInstanceOf(Error);
    expect(copy).not.toBe(error);
    expect(copy).toMatchObject({ name: 'RangeError', message, code: 'ENOTFOUND' });
    expect(copy).not.toHaveProperty('hostname');
  });

  it('is copied with its redacted causes', () => {
    const cause = new TypeError('s3cret is wrong', { cause: new Error('ask ada%40example.com.') });
    const copy = withoutSecrets(Object.assign(new Error('refused', { cause }), { code: 7 }), ['s3cret']);
    expect(copy).toMatchObject({
      message: 'refused',
      cause: { name: 'TypeError', message: '[secret] is wrong', cause: { message: 'ask [address].' } },
    });
    expect(copy).not.toHaveProperty('code');
    expect(withoutSecrets(new Error('s3cret'), ['s3cret'])).not.toHaveProperty('cause');
  });

  it('is copied with eight causes where it has more', () => {
    const chain = (length: number): Error =>
      new Error(`${length}`, length === 0 ? undefined : { cause: chain(length - 1) });
    const short = chain(7);
    expect(withoutSecrets(short)).toBe(short);
    const long = chain(8);
    expect(withoutSecrets(long)).not.toBe(long);
    let depth = 0;
    for (let error = withoutSecrets(chain(12)); error instanceof Error && error.cause; error = error.cause) depth += 1;
    expect(depth).toBe(8);
  });
});

describe('the text of an error', () => {
  const details = { statusText: '', errors: [], retryAfterMs: undefined, requestId: null };
  const scoped =
    'An OAuth token needs the scope "automations:read" for this; connect again and ask for it. An API key must not be restricted to publications, and the feature must be enabled for the organization.';

  it.each<[status: number, call: CallName, name: string, text: string]>([
    [400, 'automations.get', 'BadRequestError', 'Correct the request as the message says.'],
    [401, 'automations.get', 'UnauthorizedError', 'Check the API key or token: it is missing, wrong or expired.'],
    [403, 'automations.get', 'ForbiddenError', scoped],
    [
      403,
      'GET /polls',
      'ForbiddenError',
      'An API key must not be restricted to publications, and the feature must be enabled for the organization.',
    ],
    [
      404,
      'automations.get',
      'NotFoundError',
      'Check the publication id and the other ids; a key restricted to other publications gets this answer too.',
    ],
    [
      409,
      'automations.get',
      'ConflictError',
      'The record exists already, or the work has begun already: read it instead of repeating the call.',
    ],
    [429, 'automations.get', 'RateLimitError', 'Wait, then call less often.'],
    [
      400,
      'journeys.enroll',
      'BadRequestError',
      'Check the subscriber, and that the automation has an active Add by API trigger.',
    ],
    [
      404,
      'journeys.enroll',
      'NotFoundError',
      'Check the automation id and the subscriber, and that the automation has an active Add by API trigger.',
    ],
    [409, 'deletionRequests.create', 'ConflictError', 'A deletion request for this subscriber exists already.'],
    [418, 'automations.get', 'ApiError', 'See the API documentation for this status.'],
    [499, 'automations.get', 'ApiError', 'See the API documentation for this status.'],
    [500, 'automations.get', 'ServerError', 'The service failed; try again later.'],
  ])('%i of %s is %s and says what to do', (status, call, name, text) => {
    const error = apiError(call, { ...details, status });
    expect(error).toMatchObject({
      name,
      operation: call,
      status,
      message: `${call}: the service answered ${status}. ${text}`,
    });
    expect(error).toBeInstanceOf(NewsletterError);
  });

  it('quotes the messages of the service', () => {
    const errors = [
      { message: 'List v2.1 is gone.', code: 'A' },
      { message: 'Sorry', code: 'B' },
    ];
    expect(apiError('automations.get', { ...details, status: 418, errors }).message).toBe(
      'automations.get: the service answered 418, "List v2.1 is gone (A); Sorry (B)". See the API documentation for this status.',
    );
  });

  it('of a request that waits for an earlier answer says so', () => {
    const text = (pauseMs: number) => apiError('automations.get', heldBack(pauseMs)).message;
    expect(text(1001)).toBe(
      'automations.get: the request was not sent: the service answered an earlier one with 429 and asks to wait 2 s. Wait, then call less often.',
    );
    expect(heldBack(5)).toEqual({ ...details, status: 429, retryAfterMs: 5, heldBack: true });
  });

  const call = 'customFields.create';
  // The errors are made in the test and not in the table: mutation tests run only tests that run the changed code.
  it.each<[name: string, make: () => NewsletterError, text: string, more: object]>([
    [
      'InvalidRequestError',
      () => new InvalidRequestError(call, ['a', 'b']),
      'the request was not sent: a; b.',
      { problems: ['a', 'b'] },
    ],
    [
      'InvalidAnswerError',
      () => new InvalidAnswerError(call, 200, ['a', 'b']),
      'the answer (200) could not be read: a; b. The request may have been carried out.',
      { status: 200, problems: ['a', 'b'] },
    ],
    [
      'NetworkError',
      () => new NetworkError(call, new TransportError('network', { code: 'ECONNREFUSED', notSent: true })),
      'the service could not be reached (ECONNREFUSED). Check the base URL and that the service runs.',
      { notSent: true, code: 'ECONNREFUSED' },
    ],
    [
      'NetworkError',
      () => new NetworkError(call, new TransportError('network', { notSent: true })),
      'the service could not be reached. Check the base URL and that the service runs.',
      { notSent: true, code: undefined },
    ],
    [
      'NetworkError',
      () => new NetworkError(call, new TransportError('network', { code: 'ECONNRESET' })),
      'the connection broke before the whole answer arrived (ECONNRESET). The request may have been carried out.',
      { notSent: false, code: 'ECONNRESET' },
    ],
    [
      'NetworkError',
      () => new NetworkError(call, new TransportError('network')),
      'the connection broke before the whole answer arrived. The request may have been carried out.',
      { notSent: false },
    ],
    [
      'TimeoutError',
      () => new TimeoutError(call, 5),
      'no answer within 5 ms. The request may have been carried out. Raise the timeout if the service is slow.',
      { timeoutMs: 5, notSent: false },
    ],
    [
      'TimeoutError',
      () => new TimeoutError(call, 5, { notSent: true }),
      "the request was not sent: the service's quota left no room for it within 5 ms. Call less often, or raise the limit of the whole call.",
      { timeoutMs: 5, notSent: true },
    ],
    ['AbortedError', () => new AbortedError(call, 'why'), 'the call was aborted by its signal.', { cause: 'why' }],
    ['ConfigurationError', () => new ConfigurationError(call, 'wrong'), 'wrong.', { code: undefined }],
    [
      'ConfigurationError',
      () => new ConfigurationError(call, 'wrong', { code: 'E', cause: 'why' }),
      'wrong (E).',
      { code: 'E', cause: 'why' },
    ],
    [
      'RedirectError',
      () => new RedirectError(call, 301, 'https://other.test', 'the base URL'),
      'the service answered 301, a redirect to https://other.test, which is not followed. Correct the base URL.',
      { status: 301, location: 'https://other.test' },
    ],
    [
      'RedirectError',
      () => new RedirectError(call, 301, null, 'the app URL'),
      'the service answered 301, a redirect, which is not followed. Correct the app URL.',
      { status: 301, location: null },
    ],
    ['NewsletterError', () => new NewsletterError(call, 'anything'), 'anything', {}],
  ])('of %s is complete', (name, make, text, more) => {
    expect(make()).toMatchObject({ name, message: `${call}: ${text}`, ...more });
  });

  it.each<CallName>(['automations.get', 'oauth.introspect', 'GET /x', 'HEAD /x'])(
    'says of the read %s not that it may have been carried out',
    (read) => {
      const cause = new TransportError('network', { proxy: 'proxy.test:3128' });
      for (const error of [new InvalidAnswerError(read, 200, ['a']), new NetworkError(read, cause)])
        expect(error.message).not.toContain('carried out');
      expect(new TimeoutError(read, 5, { cause }).message).toBe(
        `${read}: no answer within 5 ms. Raise the timeout if the service is slow. Check the proxy proxy.test:3128 too.`,
      );
      expect(new NetworkError('POST /x', cause).message).toContain('may have been carried out. Check the proxy');
    },
  );

  it('has a cause only where there is one, and advice where the outcome is unknown', () => {
    expect(new NewsletterError(call, 'x')).not.toHaveProperty('cause');
    expect(new NewsletterError(call, 'x', 'why').cause).toBe('why');
    expect(withAdvice(new Error('x'), 'Look.').message).toBe('x Whether it has happened is unknown. Look.');
    expect(withAdvice(new Error('x'), undefined).message).toBe('x');
  });
});
