/** The retry policy: decides whether a failed attempt is retried, and after which delay: backoff with jitter. Pure. */
import type { Operation } from '../contract/types.ts';
import type { HostAnswer, TransportError } from './host.ts';
import { retryAfterMs } from './rate-limit.ts';

/** Limits of retries and their delays. */
export interface RetryPolicy {
  /** Most retries after the first attempt. Default 4. */
  readonly retries: number;
  /** Ceiling of the first backoff, in milliseconds; doubles with each attempt. Default 500. */
  readonly minDelayMs: number;
  /** Ceiling of every backoff, in milliseconds. Default 30,000. */
  readonly maxDelayMs: number;
  /**
   * Longest `Retry-After` that is waited for, in milliseconds; beyond it the error is thrown at once. Default 120,000.
   */
  readonly maxRetryAfterMs: number;
}

export const defaultRetryPolicy: RetryPolicy = {
  retries: 4,
  minDelayMs: 500,
  maxDelayMs: 30_000,
  maxRetryAfterMs: 120_000,
};

/** Overrides a policy by another; `false` allows a single attempt. */
export function policyOver(policy: RetryPolicy, layer: Partial<RetryPolicy> | false | undefined): RetryPolicy {
  if (layer === undefined) return policy;
  return layer === false ? { ...policy, retries: 0 } : { ...policy, ...layer };
}

/** A failed attempt: an answer with an error status, or none. */
export type FailedAttempt =
  | { readonly answer: Pick<HostAnswer, 'status' | 'headers'> }
  | { readonly error: TransportError };

/**
 * Milliseconds to wait before the retry, or null where the call must not be retried. Without `Retry-After`: exponential
 * backoff with full jitter.
 *
 * @param attempt - number of failed attempts before this one; 0 for the first
 */
export function nextDelay(
  operation: Pick<Operation, 'retry'>,
  failed: FailedAttempt,
  attempt: number,
  policy: RetryPolicy,
  host: { now(): number; random(): number },
): number | null {
  if (attempt >= policy.retries || !mayRetry(operation, failed)) return null;
  const retryAfter = 'answer' in failed ? retryAfterMs(failed.answer, host.now()) : undefined;
  if (retryAfter !== undefined) return retryAfter > policy.maxRetryAfterMs ? null : retryAfter;
  return host.random() * Math.min(policy.maxDelayMs, policy.minDelayMs * 2 ** attempt);
}

/**
 * `once` retries only where the request provably was not processed; the other classes retry every transient failure.
 */
function mayRetry(operation: Pick<Operation, 'retry'>, failed: FailedAttempt): boolean {
  if ('error' in failed) {
    if (failed.error.failure === 'aborted' || failed.error.misconfiguration !== null) return false;
    return operation.retry !== 'once' || failed.error.notSent;
  }
  const { status } = failed.answer;
  if (operation.retry === 'once') return status === 429 || status === 503;
  return status === 408 || status === 429 || status >= 500;
}
