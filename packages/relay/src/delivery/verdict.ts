/** What a failed attempt means for the signup: wait, for as long as it takes, or never again. Pure. */
import {
  AbortedError,
  ApiError,
  InvalidAnswerError,
  InvalidRequestError,
  NetworkError,
  redact,
  TimeoutError,
} from '@newsletter-kit/core';

/** - `dead`: this signup will never be taken. - `wait`: it may be later. - `aborted`: we stopped; nothing is known. */
export type Verdict =
  | { readonly kind: 'dead'; readonly reason: string }
  | {
      readonly kind: 'wait';
      readonly reason: string;
      /** Names the trouble, so that it is reported when it starts and when it ends, not with every signup. */
      readonly trouble: string;
      /** Only a person can end it. */
      readonly needsOperator: boolean;
      readonly askedMs: number | undefined;
    }
  | { readonly kind: 'aborted' };

/**
 * Statuses that speak about the signup itself, and so will not change. Everything else is about the key (401, 403: no
 * right – the operator can grant it), the publication (404), the plan (402), the quota (429), the way there (405, 407,
 * proxies) or the service (5xx): there the signup is innocent, and waits.
 */
const refusesTheSignup: ReadonlySet<number> = new Set([400, 413, 422]);

/** Troubles that pass without anybody's doing. */
const passes: ReadonlySet<number> = new Set([408, 409, 425, 429]);

const remedies: Readonly<Record<number, string>> = {
  401: 'The API does not accept NEWSLETTER_API_KEY: set a valid key and restart the relay. Signups are kept and wait.',
  403: 'NEWSLETTER_API_KEY may not create subscriptions: give it the right, or set another key and restart. Signups are kept and wait.',
  404: 'The API does not know NEWSLETTER_PUBLICATION_ID, or the key is restricted to others, or NEWSLETTER_API_URL is wrong: correct it and restart. Signups are kept and wait.',
};

/** @param secrets - taken out of every reason, as are addresses */
export function judge(error: unknown, secrets: readonly string[] = []): Verdict {
  if (error instanceof AbortedError) return { kind: 'aborted' };
  const reason = redact(error instanceof Error ? error.message : String(error), secrets).slice(0, 1000);
  if (error instanceof InvalidRequestError) return { kind: 'dead', reason };
  if (error instanceof ApiError) {
    const { status, errors, retryAfterMs: askedMs } = error;
    // A refusal counts as the API's own only in its own words: a proxy's bare 400 page says nothing about the signup.
    if (refusesTheSignup.has(status) && errors.length > 0) return { kind: 'dead', reason };
    const needsOperator = status < 500 && !passes.has(status);
    return { kind: 'wait', reason: remedies[status] ?? reason, trouble: `status ${status}`, needsOperator, askedMs };
  }
  return { kind: 'wait', reason, trouble: troubleOf(error), needsOperator: !isPassing(error), askedMs: undefined };
}

function isPassing(error: unknown): boolean {
  return error instanceof NetworkError || error instanceof TimeoutError;
}

function troubleOf(error: unknown): string {
  if (error instanceof InvalidAnswerError) return 'unreadable answer';
  return error instanceof Error ? error.name : 'unknown';
}
