/** Which failures end a signup, and how long the others make it wait. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError, InvalidRequestError } from '@newsletter-kit/core';
import { backoff, defaultPatience } from '../../src/delivery/backoff.ts';
import { judge } from '../../src/delivery/verdict.ts';

const answered = (status: number, retryAfterMs?: number): ApiError =>
  new ApiError('subscriptions.create', {
    status,
    statusText: '',
    errors: [{ message: 'No.', code: 'X' }],
    retryAfterMs,
    requestId: null,
  });

describe('a failure', () => {
  it('ends a signup only where it is about the signup itself', () => {
    const ends = Array.from({ length: 200 }, (_, i) => i + 400).filter(
      (status) => judge(answered(status)).kind === 'dead',
    );
    expect(ends).toEqual([400, 413, 422]);
    expect(judge(new InvalidRequestError('subscriptions.create', ['"email" must be an e-mail address'])).kind).toBe(
      'dead',
    );
    expect(judge(new Error('a defect of ours')).kind).toBe('wait');
    expect(judge('not even an error').kind).toBe('wait');
  });

  it('calls for the operator where waiting alone will not mend it', () => {
    const calls = [401, 402, 403, 404, 405, 408, 429, 500, 502, 503].filter((status) => {
      const verdict = judge(answered(status));
      return verdict.kind === 'wait' && verdict.needsOperator;
    });
    expect(calls).toEqual([401, 402, 403, 404, 405]);
  });
});

/** What `Math.random` may give. */
const chances = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('the wait after a failure', () => {
  it('doubles from half a second to a minute, half of it chance, and is a whole number', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000 }), chances, (failures, chance) => {
        const wait = backoff(failures, undefined, defaultPatience, () => chance);
        const ceiling = Math.min(60_000, 1000 * 2 ** (failures - 1));
        expect(Number.isInteger(wait)).toBe(true);
        expect(wait).toBeGreaterThanOrEqual(ceiling / 2);
        expect(wait).toBeLessThanOrEqual(ceiling);
      }),
    );
  });

  it('is never shorter than the API asks, up to an hour', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), fc.nat(1e10), chances, (failures, askedMs, chance) => {
        const wait = backoff(failures, askedMs, defaultPatience, () => chance);
        expect(wait).toBeGreaterThanOrEqual(Math.min(askedMs, 3_600_000));
        expect(wait).toBeLessThanOrEqual(Math.min(askedMs, 3_600_000) + 101);
      }),
    );
  });
});
