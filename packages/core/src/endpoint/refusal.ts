/** Refusals of a signup post: status, code and message, the same at every endpoint. */
import { submissionLimit, type Ask } from '../signup/submission.ts';
import { withoutAddresses } from '../facts/consent.ts';
import type { RefusalReason } from './submission.ts';

/** Statuses of a refusal and their names in the error body, in the API's spelling. */
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

/** A refused post. */
export interface Refused {
  readonly status: RefusalStatus;
  /** All reasons, in words for the visitor or the site's developer. */
  readonly errors: readonly RefusalReason[];
  /** Seconds until a retry makes sense; given with 429 and 503. */
  readonly retryAfterSeconds?: number;
  /** Fields to add before the same post is repeated; given with 403 alone. */
  readonly ask?: Ask;
}

/** A refusal with one reason. */
export function refused(status: RefusalStatus, code: string, message: string, retryAfterSeconds?: number): Refused {
  return { status, errors: [{ message, code }], ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
}

/**
 * The post has no `Origin` or one that is not allowed.
 *
 * @param setting - name of the setting with the allowed origins
 */
export function originRefused(origin: string | null, setting: string): Refused {
  const sender = origin === null ? 'A post that names no origin' : `The origin ${printable(origin)}`;
  return refused(
    403,
    'ORIGIN_NOT_ALLOWED',
    `${sender} may not sign up here. The owner of this form can allow it in ${setting}.`,
  );
}

/** The form needs a consent, and none was sent. */
export const consentRequired: Refused = refused(
  400,
  'CONSENT_REQUIRED',
  'This form needs your consent: tick its box, so that "consent" is sent.',
);

/**
 * The consent is neither yes nor no, nor a sentence that was named.
 *
 * @param words - as sent
 * @param setting - name of the setting with the sentences
 */
export function consentUnknown(words: string, setting: string): Refused {
  const shown = withoutAddresses(words).slice(0, 200);
  return refused(
    400,
    'CONSENT_UNKNOWN',
    `This form sends a consent that its owner has not named in ${setting}: “${shown}”. A no is sent as false, or left out.`,
  );
}

/** The encoding is not supported. Plain text is refused too, since browsers send it without a CORS preflight. */
export const contentRefused: Refused = refused(
  415,
  'UNSUPPORTED_MEDIA_TYPE',
  'Send application/json, application/x-www-form-urlencoded or multipart/form-data, in UTF-8 and uncompressed.',
);

/** One of the fields is a file. */
export const fileRefused: Refused = refused(
  400,
  'FILE_NOT_ALLOWED',
  'A signup takes no files. Remove the file, or its field from the form.',
);

/** The body is longer than {@link submissionLimit}. */
export const tooLarge: Refused = refused(
  413,
  'PAYLOAD_TOO_LARGE',
  `A signup may be ${submissionLimit} bytes at most. Shorten what you entered.`,
);

/**
 * The body is incomplete, not UTF-8, or not JSON. The parser's own message is left out, because it quotes the body.
 */
export const unreadable: Refused = refused(
  400,
  'INVALID_BODY',
  'The body could not be read: it is not valid JSON or form data.',
);

/** The signup could not be stored; the sender should retry. */
export function unavailable(): Refused {
  return refused(503, 'UNAVAILABLE', 'Your signup could not be saved just now. Please try again in a moment.', 5);
}

/** The JSON body of a refusal. */
export interface RefusalBody {
  readonly status: number;
  readonly statusText: string;
  readonly errors: readonly RefusalReason[];
  readonly ask?: Ask;
}

/** The JSON body of a refusal: the API's error shape, and `ask` where the endpoint asks for a token or a proof. */
export function refusalBody({ status, errors, ask }: Refused): RefusalBody {
  return { status, statusText: refusalNames[status], errors, ...(ask && { ask }) };
}

/** An untrusted header value, limited to 200 printable ASCII characters. */
function printable(text: string): string {
  return text.replace(/[^\x21-\x7e]/g, '').slice(0, 200);
}
