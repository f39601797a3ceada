/**
 * Retry policy: decides after a failed attempt whether the signup is retried or becomes a dead letter, what else has to
 * pause, and how long to wait (exponential backoff with jitter). Pure.
 */
import {
  AbortedError,
  ApiError,
  ForeignAnswerError,
  InvalidAnswerError,
  InvalidRequestError,
  NetworkError,
  redact,
  TimeoutError,
  TransportError,
} from '@newsletter-kit/core';

/** - `deadLetter`: the API will never accept this signup. - `retry`: a later attempt may succeed. */
export type RetryDecision = { readonly kind: 'deadLetter'; readonly reason: string } | Retry;

/** The signup is retried later. */
export interface Retry {
  readonly kind: 'retry';
  readonly reason: string;
  /** A short name of the cause, by which the beginning and the end of an outage are reported once each. */
  readonly cause: string;
  /** Status of the answer; null without a readable answer. */
  readonly status: number | null;
  /** Whether the failure persists until a person acts. */
  readonly needsOperator: boolean;
  /** Wait that the API asked for, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /**
   * Which circuit breaker the failure concerns: of the API key, of the publication, or `unknown` – a failure of the
   * service or of this signup alone, which only further failures can tell apart.
   */
  readonly scope: 'key' | 'publication' | 'unknown';
  /** Whether the API may have carried out the request: then a lookup precedes the next attempt. */
  readonly mayHaveArrived: boolean;
  /** Whether the relay itself ended the attempt, because it stops. */
  readonly aborted: boolean;
}

/** What a status of the API is about; with the API's errors, one about the signup never changes. */
interface Meaning {
  readonly about: 'signup' | Retry['scope'];
  readonly needsOperator: boolean;
  /** What the operator does. Default: the message of the API. */
  readonly remedy?: string;
}

const passes = (about: Meaning['about']): Meaning => ({ about, needsOperator: false });
const persists = (about: Meaning['about'], remedy?: string): Meaning => ({
  about,
  needsOperator: true,
  ...(remedy && { remedy: `${remedy} Signups are kept and wait.` }),
});

const meanings: Readonly<Partial<Record<number, Meaning>>> = {
  400: persists('signup'),
  401: persists('key', 'The API does not accept NEWSLETTER_API_KEY: set a valid key and restart the relay.'),
  // The plan has ended.
  402: persists('key'),
  403: persists(
    'key',
    'NEWSLETTER_API_KEY may not create subscriptions: give it the right, or set another key and restart.',
  ),
  404: persists(
    'publication',
    'The API does not know NEWSLETTER_PUBLICATION_ID, or the key is restricted to others: correct it and restart.',
  ),
  408: passes('unknown'),
  409: passes('unknown'),
  413: persists('signup'),
  422: persists('signup'),
  425: passes('unknown'),
  429: passes('key'),
};

/** Whether the request may have been carried out all the same. */
const mayHaveArrivedWith = (status: number): boolean => status >= 500 || status === 408 || status === 409;

/** Attempts of one signup after which an answer that is not the API's is about that signup, where others pass. */
const mostForeignRefusals = 3;

/** What is known beside the error. */
export interface AttemptContext {
  /** Number of attempts, this one included. */
  readonly attempt: number;
  /** Whether the API has taken another signup since this one came in. */
  readonly othersPass: boolean;
}

/**
 * @param secrets - removed from every reason, as are e-mail addresses
 * @param context - default: of a call that is about no single signup
 */
export function decideRetry(
  error: unknown,
  secrets: readonly string[] = [],
  { attempt, othersPass }: AttemptContext = { attempt: 1, othersPass: false },
): RetryDecision {
  const reason = redact(error instanceof Error ? error.message : String(error), secrets).slice(0, 1000);
  if (error instanceof InvalidRequestError) return { kind: 'deadLetter', reason };
  const retry = {
    kind: 'retry',
    reason,
    status: null,
    retryAfterMs: undefined,
    needsOperator: false,
    aborted: false,
  } as const;
  if (error instanceof ApiError) {
    const { status, errors, retryAfterMs } = error;
    const {
      about,
      needsOperator,
      remedy = reason,
    } = meanings[status] ?? (status >= 500 ? passes('unknown') : persists('unknown'));
    if (about === 'signup' && errors.length > 0) return { kind: 'deadLetter', reason };
    const scope = about === 'signup' ? 'unknown' : about;
    return {
      ...retry,
      reason: remedy,
      cause: `status ${status}`,
      status,
      needsOperator,
      retryAfterMs,
      // A Retry-After applies to every call with the key.
      scope: scope === 'unknown' && retryAfterMs !== undefined ? 'key' : scope,
      mayHaveArrived: mayHaveArrivedWith(status),
    };
  }
  if (error instanceof ForeignAnswerError) {
    const { status, about, retryAfterMs } = error;
    // It concerns neither key nor publication: the status, by which those are told, stays unnamed.
    if (about === 'record' && othersPass && attempt >= mostForeignRefusals) return { kind: 'deadLetter', reason };
    return {
      ...retry,
      cause: `status ${status}, not of the API`,
      needsOperator: about === 'address',
      retryAfterMs,
      scope: about === 'address' ? 'publication' : retryAfterMs === undefined ? 'unknown' : 'key',
      mayHaveArrived: mayHaveArrivedWith(status),
    };
  }
  if (error instanceof AbortedError)
    return { ...retry, cause: 'stopped', scope: 'unknown', mayHaveArrived: true, aborted: true };
  const isConnectionError = error instanceof NetworkError || error instanceof TimeoutError;
  return {
    ...retry,
    cause: causeOf(error),
    needsOperator: !isConnectionError,
    scope: 'unknown',
    mayHaveArrived: !(isConnectionError ? error.notSent : isNotSent(error)),
  };
}

/** Whether a setting kept the request from being sent, such as a proxy that refuses the connection. */
const isNotSent = (error: unknown): boolean =>
  error instanceof Error && error.cause instanceof TransportError && error.cause.notSent;

function causeOf(error: unknown): string {
  if (error instanceof InvalidAnswerError) return 'unreadable answer';
  return error instanceof Error ? error.name : 'unknown';
}

/** Waits between retries, in milliseconds. */
export interface BackoffOptions {
  /** Wait after the first failure; doubles with each further failure. */
  readonly firstMs: number;
  /** Longest wait, unless the API asks for more. */
  readonly maxMs: number;
  /** Longest wait the API may ask for: a wrong Retry-After header must not delay a signup for a year. */
  readonly maxRetryAfterMs: number;
}

export const defaultBackoff: BackoffOptions = { firstMs: 1000, maxMs: 60_000, maxRetryAfterMs: 3_600_000 };

/**
 * The wait before the next attempt, in whole milliseconds: at least the API's Retry-After; without one, exponential
 * backoff with 50–100 % jitter.
 *
 * @param failures - number of failures so far, this one included
 * @param retryAfterMs - what the API asked for; undefined without a Retry-After
 */
export function backoffMs(
  failures: number,
  retryAfterMs: number | undefined,
  backoff: BackoffOptions,
  random: () => number,
): number {
  const ceiling = Math.min(backoff.maxMs, backoff.firstMs * 2 ** Math.min(failures - 1, 30));
  const withJitter = ceiling * (0.5 + random() / 2);
  if (retryAfterMs === undefined) return Math.ceil(withJitter);
  return Math.ceil(Math.min(Math.max(retryAfterMs, 0), backoff.maxRetryAfterMs) + backoff.firstMs * random() * 0.1);
}
