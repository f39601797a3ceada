/** The text of errors, which names causes and holds no secret. */
import { describe, expect, it } from 'vitest';
import {
  AbortedError,
  ConfigurationError,
  InvalidAnswerError,
  InvalidRequestError,
  NetworkError,
  NewsletterError,
  redact,
  RedirectError,
  TimeoutError,
  TransportError,
} from '../../src/engine/index.ts';
import { apiError, heldBack, withAdvice, type CallName } from '../../src/engine/errors.ts';
import { withoutSecrets } from '../../src/engine/redact.ts';

it('the example address of documentation stays, and nothing that only looks like it', () => {
  const text = 'Use an address such as name@example.com. 10 % @ noon';
  expect(redact(text)).toBe(text);
  expect(redact('name@example.com.au, surname@example.com, Name@example.com')).toBe('[address], [address], [address]');
});

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
    ['one of several', Object.assign(new RangeError('refused'), code, { errors: [new Error('by s3cret')] }), 'refused'],
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
  const call = 'customFields.create';
  const reset = new TransportError('network', { code: 'ECONNRESET', proxy: 'proxy.test:3128' });
  const refused = new TransportError('network', { code: 'ECONNREFUSED' });

  // The errors are made in the test and not in the table: mutation tests run only tests that run the changed code.
  it.each<[make: () => NewsletterError, says: RegExp, fields: object]>([
    [() => new InvalidRequestError(call, ['a', 'b?']), /not sent: a; b\?$/, { problems: ['a', 'b?'] }],
    [() => new InvalidAnswerError(call, 200, ['a', 'b']), /\(200\).*: a; b\. /, { status: 200, problems: ['a', 'b'] }],
    [
      () => new NetworkError(call, refused),
      /not be reached \(ECONNREFUSED\)\. Check/,
      { notSent: true, code: 'ECONNREFUSED' },
    ],
    [() => new NetworkError(call, reset), /broke .* \(ECONNRESET\)\. /, { notSent: false, code: 'ECONNRESET' }],
    [() => new NetworkError(call, new TransportError('network')), /arrived\. /, { code: undefined }],
    [() => new TimeoutError(call, 5), /no answer within 5 ms\./, { timeoutMs: 5, notSent: false }],
    [() => new TimeoutError(call, 5, { notSent: true }), /not sent: .* within 5 ms\./, { notSent: true }],
    [() => new AbortedError(call, 'why'), /aborted/, { cause: 'why' }],
    [() => new ConfigurationError(call, 'wrong'), /: wrong\.$/, { code: undefined }],
    [
      () => new ConfigurationError(call, 'wrong', { code: 'E', cause: 'why' }),
      /wrong \(E\)\.$/,
      { code: 'E', cause: 'why' },
    ],
    [
      () => new RedirectError(call, 301, 'https://other.test', 'the base URL'),
      /301, a redirect to https:\/\/other\.test, .* Correct the base URL\.$/,
      { status: 301, location: 'https://other.test' },
    ],
    [() => new RedirectError(call, 301, null, 'the app URL'), /301, a redirect, .* the app URL\.$/, { location: null }],
  ])('that says %2$s names the call, and has its details', (make, says, fields) => {
    const error = make();
    expect(error).toMatchObject({ name: error.constructor.name, operation: call, ...fields });
    expect(error.message).toMatch(new RegExp(`^${call}: `));
    expect(error.message).toMatch(says);
  });

  it('says of a write that it may have been carried out, of a read and an unsent call not', () => {
    const lost = (of: CallName) => [
      new InvalidAnswerError(of, 200, ['a']),
      new NetworkError(of, reset),
      new TimeoutError(of, 5, { cause: reset }),
    ];
    for (const of of [call, 'POST /x'] as const)
      for (const { message } of lost(of)) expect(message).toContain('may have been carried out.');
    for (const of of ['automations.get', 'oauth.introspect', 'GET /x', 'HEAD /x'] as const)
      for (const { message } of lost(of)) expect(message).not.toContain('carried out');
    expect(new TimeoutError(call, 5, { notSent: true }).message).not.toContain('carried out');
    for (const { message } of lost(call).slice(1)) expect(message).toMatch(/ Check the proxy proxy\.test:3128 too\.$/);
    expect(new NetworkError(call, refused).message).not.toContain('proxy');
  });

  it('quotes the messages of the service', () => {
    const details = { statusText: '', retryAfterMs: undefined, requestId: null };
    const errors = [
      { message: 'List v2.1 is gone.', code: 'A' },
      { message: 'Sorry', code: 'B' },
    ];
    expect(apiError('automations.get', { ...details, status: 418, errors }).message).toContain(
      'the service answered 418, "List v2.1 is gone (A); Sorry (B)". See',
    );
  });

  it('of a request that waits for an earlier answer says so', () => {
    expect(apiError('automations.get', heldBack(1001)).message).toContain(
      'not sent: the service answered an earlier one with 429 and asks to wait 2 s. Wait',
    );
    expect(heldBack(5)).toMatchObject({ status: 429, errors: [], retryAfterMs: 5, heldBack: true });
  });

  it('has a cause only where there is one, and advice where the outcome is unknown', () => {
    expect(new NewsletterError(call, 'x')).not.toHaveProperty('cause');
    expect(new NewsletterError(call, 'x', 'why').cause).toBe('why');
    expect(withAdvice(new Error('x'), 'Look.').message).toBe('x Whether it has happened is unknown. Look.');
    expect(withAdvice(new Error('x'), undefined).message).toBe('x');
  });
});
