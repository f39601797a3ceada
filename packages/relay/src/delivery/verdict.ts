/** What a failed attempt means for the signup, and for others. Pure. */
import {
  AbortedError,
  ApiError,
  InvalidAnswerError,
  InvalidRequestError,
  NetworkError,
  redact,
  TimeoutError,
} from '@newsletter-kit/core';

/** - `dead`: this signup will never be taken. - `wait`: it may be later. */
export type Verdict =
  | { readonly kind: 'dead'; readonly reason: string }
  | {
      readonly kind: 'wait';
      readonly reason: string;
      /** Names the cause, so that it is reported when it starts and when it ends, not with every signup. */
      readonly cause: string;
      /** Status of the answer; null where there is no answer that can be read. */
      readonly status: number | null;
      /** Only a person can end it. */
      readonly needsOperator: boolean;
      readonly askedMs: number | undefined;
      /**
       * What must pause: everything sent with the key, everything for the publication, or `maybe` – a failure of the
       * service or of this signup alone, which only further failures can tell apart.
       */
      readonly holds: 'key' | 'publication' | 'maybe';
      /** Whether the API may have carried the request out. */
      readonly tried: boolean;
      /** Whether the relay itself gave up, because it stops. */
      readonly aborted: boolean;
    };

/** Statuses that speak about the signup itself, and so will not change. */
const refusesTheSignup: ReadonlySet<number> = new Set([400, 413, 422]);

/** Statuses that pass without anybody's doing. */
const passes: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/** Statuses after which the request may have been carried out all the same. */
const mayHaveReached = (status: number): boolean => status >= 500 || status === 408 || status === 409;

/** Of the key: not accepted, not permitted, over quota, or its plan has ended. */
const ofTheKey: ReadonlySet<number> = new Set([401, 402, 403, 429]);

const remedies: Readonly<Record<number, string>> = {
  401: 'The API does not accept NEWSLETTER_API_KEY: set a valid key and restart the relay. Signups are kept and wait.',
  403: 'NEWSLETTER_API_KEY may not create subscriptions: give it the right, or set another key and restart. Signups are kept and wait.',
  404: 'The API does not know NEWSLETTER_PUBLICATION_ID, or the key is restricted to others, or NEWSLETTER_API_URL is wrong: correct it and restart. Signups are kept and wait.',
};

/** The signup waits. */
export type WaitVerdict = Extract<Verdict, { kind: 'wait' }>;

/** @param secrets - taken out of every reason, as are addresses */
export function judge(error: unknown, secrets: readonly string[] = []): Verdict {
  const reason = redact(error instanceof Error ? error.message : String(error), secrets).slice(0, 1000);
  if (error instanceof InvalidRequestError) return { kind: 'dead', reason };
  const wait = {
    kind: 'wait',
    reason,
    status: null,
    askedMs: undefined,
    needsOperator: false,
    aborted: false,
  } as const;
  if (error instanceof ApiError) {
    const { status, errors, retryAfterMs: askedMs } = error;
    // A refusal counts as the API's own only in its own words: a proxy's bare 400 page says nothing about the signup.
    if (refusesTheSignup.has(status) && errors.length > 0) return { kind: 'dead', reason };
    return {
      ...wait,
      reason: remedies[status] ?? reason,
      cause: `status ${status}`,
      status,
      needsOperator: status < 500 && !passes.has(status),
      askedMs,
      // A service that asks for a pause asks everybody.
      holds: status === 404 ? 'publication' : ofTheKey.has(status) || askedMs !== undefined ? 'key' : 'maybe',
      tried: mayHaveReached(status),
    };
  }
  if (error instanceof AbortedError) return { ...wait, cause: 'stopped', holds: 'maybe', tried: true, aborted: true };
  const sent = !((error instanceof NetworkError || error instanceof TimeoutError) && error.notSent);
  const passing = error instanceof NetworkError || error instanceof TimeoutError;
  return { ...wait, cause: causeOf(error), needsOperator: !passing, holds: 'maybe', tried: sent };
}

function causeOf(error: unknown): string {
  if (error instanceof InvalidAnswerError) return 'unreadable answer';
  return error instanceof Error ? error.name : 'unknown';
}
