/** Why an endpoint does not take a post, before that becomes an answer. One wording for every endpoint. */
import { submissionLimit, type Ask } from '../signup/submission.ts';
import type { Refusal } from './submission.ts';

/** Statuses a post can be refused with, and their name in the error body, in the API's spelling. */
export const refusalNames = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  429: 'too_many_requests',
  503: 'service_unavailable',
} as const;

/** One of the statuses in {@link refusalNames}. */
export type RefusalStatus = keyof typeof refusalNames;

/** A post that was not taken. */
export interface Refused {
  readonly status: RefusalStatus;
  /** Each reason; texts are for the person in front of the form or the one who built it. */
  readonly errors: readonly Refusal[];
  /** When to try again; given with 429 and 503. */
  readonly retryAfterSeconds?: number;
  /** What would make the same post acceptable; given with 403 alone. */
  readonly ask?: Ask;
}

/** A refusal with one reason. */
export function refused(status: RefusalStatus, code: string, message: string, retryAfterSeconds?: number): Refused {
  return { status, errors: [{ message, code }], ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
}

/** @param setting - where the form's owner lists the origins, as they know it */
export function originRefused(origin: string | null, setting: string): Refused {
  const who = origin === null ? 'A post that names no origin' : `The origin ${printable(origin)}`;
  return refused(
    403,
    'ORIGIN_NOT_ALLOWED',
    `${who} may not sign up here. The owner of this form can allow it in ${setting}.`,
  );
}

/** The encoding is none of ours. Plain text is not one of them: it would slip past the browser's preflight. */
export function contentRefused(): Refused {
  return refused(
    415,
    'UNSUPPORTED_MEDIA_TYPE',
    'Send application/json or application/x-www-form-urlencoded, in UTF-8 and uncompressed.',
  );
}

/** The body is longer than {@link submissionLimit}. */
export function tooLarge(): Refused {
  return refused(
    413,
    'PAYLOAD_TOO_LARGE',
    `A signup may be ${submissionLimit} bytes at most. Shorten what you entered.`,
  );
}

/**
 * Cut off by the sender, not UTF-8, or not JSON: nothing more can be said, and a parser's text would quote the body.
 */
export function unreadable(): Refused {
  return refused(400, 'INVALID_BODY', 'The body could not be read: it is not valid JSON or form data.');
}

/** Nothing was kept; the sender should try again. */
export function unavailable(): Refused {
  return refused(503, 'UNAVAILABLE', 'Your signup could not be saved just now. Please try again in a moment.', 5);
}

/** The body of a refusal. */
export interface RefusalBody {
  readonly status: number;
  readonly statusText: string;
  readonly errors: readonly Refusal[];
  readonly ask?: Ask;
}

/** The body of a refusal, in the API's own shape; what is asked for stands beside it. */
export function refusalBody({ status, errors, ask }: Refused): RefusalBody {
  return { status, statusText: refusalNames[status], errors, ...(ask && { ask }) };
}

/** A stranger's header, safe and short enough to say back. */
function printable(text: string): string {
  return text.replace(/[^\x21-\x7e]/g, '').slice(0, 200);
}
