/** Why a post was not taken, before it becomes an answer. */
import type { Refusal } from '@newsletter-kit/core/signup';

/** Statuses a post can be refused with, and their name in the error body, in the API's spelling. */
export const refusalNames = {
  400: 'bad_request',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  429: 'too_many_requests',
  503: 'service_unavailable',
} as const;

export type RefusalStatus = keyof typeof refusalNames;

/** A post that was not taken. */
export interface Refused {
  readonly status: RefusalStatus;
  /** Each reason; texts are for the person in front of the form or the one who built it. */
  readonly errors: readonly Refusal[];
  /** When to try again; given with 429 and 503. */
  readonly retryAfterSeconds?: number;
}

/** A refusal with one reason. */
export function refused(status: RefusalStatus, code: string, message: string, retryAfterSeconds?: number): Refused {
  return { status, errors: [{ message, code }], ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
}

/** Nothing was kept; the sender should try again. */
export function unavailable(): Refused {
  return refused(503, 'UNAVAILABLE', 'Your signup could not be saved just now. Please try again in a moment.', 5);
}
