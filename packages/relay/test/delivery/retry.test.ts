/** Which failures make a signup a dead letter, and how long the others delay its retry. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError, InvalidRequestError } from '@newsletter-kit/core';
import { backoffMs, decideRetry, defaultBackoff } from '../../src/delivery/retry.ts';

const answered = (status: number, retryAfterMs?: number): ApiError =>
  new ApiError('subscriptions.create', {
    status,
    statusText: '',
    errors: [{ message: 'No.', code: 'X' }],
    retryAfterMs,
    requestId: null,
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
