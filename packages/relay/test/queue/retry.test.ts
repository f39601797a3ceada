/** The failures that make a signup a dead letter, and the retry delays after all others. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  AbortedError,
  ApiError,
  createClient,
  ForeignAnswerError,
  InvalidAnswerError,
  InvalidRequestError,
  TimeoutError,
} from '@newsletter-kit/core';
import { backoffMs, decideRetry, defaultBackoff } from '../../src/queue/retry.ts';

const answered = (status: number, retryAfterMs?: number): ApiError =>
  new ApiError('subscriptions.create', {
    status,
    statusText: '',
    errors: [{ message: 'No.', code: 'X' }],
    retryAfterMs,
    requestId: null,
  });

const foreign = (status: number, retryAfterMs?: number): ForeignAnswerError =>
  new ForeignAnswerError('subscriptions.create', { status, page: 'Just a moment...', server: 'edge', retryAfterMs });

describe("an answer that is not the API's", () => {
  it.each([
    [400, 'unknown', false],
    [401, 'unknown', false],
    [403, 'unknown', false],
    [404, 'publication', true],
    [413, 'unknown', false],
    [503, 'unknown', false],
  ] as const)(
    'of status %i is retried, names neither key nor publication, and has scope %s',
    (status, scope, operator) => {
      const decision = decideRetry(foreign(status));
      expect(decision).toMatchObject({ kind: 'retry', status: null, scope, needsOperator: operator });
      expect(decision.reason).toContain('a page titled ‹Just a moment...› (server edge)');
      expect(decision.reason).not.toMatch(/NEWSLETTER_(?:API_KEY|PUBLICATION_ID)/);
    },
  );

  it('pauses every call for as long as it asks', () => {
    expect(decideRetry(foreign(503, 2000))).toMatchObject({ scope: 'key', retryAfterMs: 2000 });
  });

  it('makes a signup a dead letter at its third refusal, and only where others pass', () => {
    const outcomes = [400, 401, 403, 404, 413, 414, 431, 503].map((status) =>
      [1, 2, 3].flatMap((attempt) =>
        [false, true].map((othersPass) => decideRetry(foreign(status), [], { attempt, othersPass }).kind),
      ),
    );
    const never = Array.from({ length: 6 }, () => 'retry');
    const third = [...never.slice(1), 'deadLetter'];
    expect(outcomes).toEqual([third, never, never, never, third, third, third, never]);
  });
});

describe('a failure', () => {
  it('makes a signup a dead letter only for statuses that concern the signup itself', () => {
    const ends = Array.from({ length: 200 }, (_, i) => i + 400).filter(
      (status) => decideRetry(answered(status)).kind === 'deadLetter',
    );
    expect(ends).toEqual([400, 413, 422]);
    expect(
      decideRetry(new InvalidRequestError('subscriptions.create', ['"email" must be an e-mail address'])).kind,
    ).toBe('deadLetter');
    expect(decideRetry(new Error('a defect of ours')).kind).toBe('retry');
    expect(decideRetry('not even an error').kind).toBe('retry');
  });

  it.each([
    // status, scope, mayHaveArrived, needsOperator
    [401, 'key', false, true],
    [402, 'key', false, true],
    [403, 'key', false, true],
    [404, 'publication', false, true],
    [405, 'unknown', false, true],
    [408, 'unknown', true, false],
    [409, 'unknown', true, false],
    [425, 'unknown', false, false],
    [429, 'key', false, false],
    [499, 'unknown', false, true],
    [500, 'unknown', true, false],
    [503, 'unknown', true, false],
  ] as const)('with status %i is retried, scope %s', (status, scope, mayHaveArrived, needsOperator) => {
    expect(decideRetry(answered(status))).toEqual({
      kind: 'retry',
      reason: expect.stringMatching(/./) as string,
      cause: `status ${status}`,
      status,
      needsOperator,
      retryAfterMs: undefined,
      scope,
      mayHaveArrived,
      aborted: false,
    });
  });

  it('with Retry-After concerns every call with the API key, except for an unknown publication', () => {
    expect(decideRetry(answered(503, 2000))).toMatchObject({ scope: 'key', retryAfterMs: 2000 });
    expect(decideRetry(answered(404, 2000))).toMatchObject({ scope: 'publication', retryAfterMs: 2000 });
  });

  it('with status 400 is retried without the error body of the API', () => {
    const bare = { status: 400, statusText: '', errors: [], retryAfterMs: undefined, requestId: null };
    expect(decideRetry(new ApiError('subscriptions.create', bare))).toMatchObject({ kind: 'retry', status: 400 });
  });

  it.each([
    [401, 'set a valid key'],
    [403, 'give it the right'],
    [404, 'does not know NEWSLETTER_PUBLICATION_ID'],
    [500, 'The service failed'],
  ])('with status %i says what to do', (status, advice) => {
    expect(decideRetry(answered(status)).reason).toContain(advice);
  });

  const unanswered = { status: null, retryAfterMs: undefined, scope: 'unknown', aborted: false };

  it.each([
    ['timeout', new TimeoutError('subscriptions.create', 10_000), 'TimeoutError', true, false],
    [
      'timeout before sending',
      new TimeoutError('subscriptions.create', 10_000, { notSent: true }),
      'TimeoutError',
      false,
      false,
    ],
    ['unreadable answer', new InvalidAnswerError('subscriptions.create', 200, ['x']), 'unreadable answer', true, true],
    ['defect', new RangeError('a defect'), 'RangeError', true, true],
    ['value that is no error', 'text', 'unknown', true, true],
  ])('without an answer (%s) is retried', (_case, error, cause, mayHaveArrived, needsOperator) => {
    expect(decideRetry(error)).toMatchObject({ ...unanswered, kind: 'retry', cause, mayHaveArrived, needsOperator });
  });

  it.each([
    ['ECONNREFUSED', false, 'NetworkError'],
    ['ECONNRESET', true, 'NetworkError'],
    ['CERT_HAS_EXPIRED', false, 'ConfigurationError'],
  ])('of the connection with %s may have arrived: %s', async (code, mayHaveArrived, cause) => {
    const fetch = (): Promise<Response> => Promise.reject(Object.assign(new TypeError('fetch failed'), { code }));
    const client = createClient({ baseUrl: 'http://127.0.0.1:9/v2', token: 'a-key', fetch });
    const error: unknown = await client.subscriptions
      .list({ publicationId: 'pub_00000000-0000-4000-8000-000000000001' }, { retry: { retries: 0 } })
      .catch((failure: unknown) => failure);
    const needsOperator = cause === 'ConfigurationError';
    const decision = { kind: 'retry', cause, mayHaveArrived, needsOperator };
    expect(decideRetry(error)).toMatchObject({ ...unanswered, ...decision });
  });

  it('through a stop of the relay counts as arrived, and is no failure of the API', () => {
    expect(decideRetry(new AbortedError('subscriptions.create'))).toMatchObject({
      ...unanswered,
      kind: 'retry',
      cause: 'stopped',
      mayHaveArrived: true,
      needsOperator: false,
      aborted: true,
    });
  });

  it('has a reason of at most 1000 characters without secrets and addresses', () => {
    const { reason } = decideRetry(new Error(`key-1 of ada@example.org ${'x'.repeat(2000)}`), ['key-1']);
    expect(reason).toHaveLength(1000);
    expect(reason).toMatch(/^\[secret\] of \[address\] x+$/);
    expect(decideRetry('Stryker was here').reason).toBe('Stryker was here');
  });

  it('needs the operator if it does not pass by itself', () => {
    const calls = [401, 402, 403, 404, 405, 408, 429, 500, 502, 503].filter((status) => {
      const decision = decideRetry(answered(status));
      return decision.kind === 'retry' && decision.needsOperator;
    });
    expect(calls).toEqual([401, 402, 403, 404, 405]);
  });
});

/** What `Math.random` may give. */
const chances = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('backoff', () => {
  it('doubles up to a minute, with 50–100 % jitter, and is a whole number', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000 }), chances, (failures, chance) => {
        const wait = backoffMs(failures, undefined, defaultBackoff, () => chance);
        const ceiling = Math.min(60_000, 1000 * 2 ** (failures - 1));
        expect(Number.isInteger(wait)).toBe(true);
        expect(wait).toBeGreaterThanOrEqual(ceiling / 2);
        expect(wait).toBeLessThanOrEqual(ceiling);
      }),
    );
  });

  it('is at least the Retry-After of the API, up to an hour', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), fc.nat(1e10), chances, (failures, askedMs, chance) => {
        const wait = backoffMs(failures, askedMs, defaultBackoff, () => chance);
        expect(wait).toBeGreaterThanOrEqual(Math.min(askedMs, 3_600_000));
        expect(wait).toBeLessThanOrEqual(Math.min(askedMs, 3_600_000) + 101);
      }),
    );
  });
});
