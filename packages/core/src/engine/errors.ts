/** The errors of a call, one class each. Texts say what happened and what to do, and hold no secret and no address. */
import { operation as operationById, type OperationId } from '../contract/index.ts';
import type { Method, Operation } from '../contract/types.ts';
import { foreignAnswer, type ForeignAnswer } from '../facts/api-answer.ts';
import { TransportError } from './host.ts';

/** One message of the service. */
export interface ServiceMessage {
  readonly message: string;
  readonly code: string;
}

/** Methods that `client.request` sends. */
export type RequestMethod = Method | 'HEAD';

/** The name of a call: an operation of the contract, or the method and path given to `client.request`. */
export type CallName = OperationId | `${RequestMethod} /${string}`;

/** The base class of all errors of the client. */
export class NewsletterError extends Error {
  override readonly name: string = 'NewsletterError';
  /** The operation that was called; for `client.request` the method and path, addresses removed. */
  readonly operation: CallName;

  constructor(operation: CallName, message: string, cause?: unknown) {
    super(`${operation}: ${message}`, cause === undefined ? undefined : { cause });
    this.operation = operation;
  }
}

/** The call was wrong before it was sent; nothing reached the service. */
export class InvalidRequestError extends NewsletterError {
  override readonly name = 'InvalidRequestError';
  /** Each problem, with the field it is about. */
  readonly problems: readonly string[];

  constructor(operation: CallName, problems: readonly string[]) {
    const all = problems.join('; ');
    super(operation, `the request was not sent: ${all}${all.endsWith('?') ? '' : '.'}`);
    this.problems = problems;
  }
}

/** The end of a text about a lost response: what to know before the call is repeated. Reads can be repeated. */
function afterLostResponse(operation: CallName): string {
  const isRead = isOperationId(operation) ? operationById(operation).retry === 'safe' : /^(GET|HEAD) /.test(operation);
  return isRead ? '' : ' The request may have been carried out.';
}

/** Advice where the request was to pass a proxy. */
const checkProxy = (cause: unknown): string =>
  cause instanceof TransportError && cause.proxy ? ` Check the proxy ${cause.proxy} too.` : '';

/** The service answered a success that could not be understood: no JSON, cut off, or of another shape. */
export class InvalidAnswerError extends NewsletterError {
  override readonly name = 'InvalidAnswerError';
  readonly status: number;
  readonly problems: readonly string[];

  constructor(operation: CallName, status: number, problems: readonly string[], cause?: unknown) {
    super(
      operation,
      `the answer (${status}) could not be read: ${problems.join('; ')}.${afterLostResponse(operation)}`,
      cause,
    );
    this.status = status;
    this.problems = problems;
  }
}

/** Details of an {@link ApiError}. */
export interface ApiErrorDetails {
  readonly status: number;
  readonly statusText: string;
  /** The service's own messages, addresses and secrets removed; empty where the body held none. */
  readonly errors: readonly ServiceMessage[];
  /** How long the service asks to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** The id under which the service logged the request; null without one. Quote it to the service's support. */
  readonly requestId: string | null;
  /**
   * Set where this request was not sent: an earlier one got this answer, and the pause it asks for is not over.
   */
  readonly heldBack?: true;
}

/** A 429 that stands for a request that was not sent. */
export function heldBack(pauseMs: number): ApiErrorDetails {
  return { status: 429, statusText: '', errors: [], retryAfterMs: pauseMs, requestId: null, heldBack: true };
}

/**
 * The service answered an error status. Branch on the class or on `status`, never on a code: no registry of codes
 * exists.
 */
export class ApiError extends NewsletterError implements ApiErrorDetails {
  override readonly name: string = 'ApiError';
  readonly status: number;
  readonly statusText: string;
  readonly errors: readonly ServiceMessage[];
  readonly retryAfterMs: number | undefined;
  readonly requestId: string | null;

  constructor(operation: CallName, details: ApiErrorDetails) {
    const said = details.errors.map(({ message, code }) => `${message.replace(/\.$/, '')} (${code})`).join('; ');
    const what = details.heldBack
      ? `the request was not sent: the service answered an earlier one with ${details.status} and asks to wait ${Math.ceil((details.retryAfterMs ?? 0) / 1000)} s`
      : `the service answered ${details.status}`;
    super(operation, `${what}${said && `, "${said}"`}. ${remedy(operation, details.status)}`);
    this.status = details.status;
    this.statusText = details.statusText;
    this.errors = details.errors;
    this.retryAfterMs = details.retryAfterMs;
    this.requestId = details.requestId;
  }
}

/** 400: the service refused the request as it stands. */
export class BadRequestError extends ApiError {
  override readonly name = 'BadRequestError';
}
/** 401: key or token missing, invalid or expired. */
export class UnauthorizedError extends ApiError {
  override readonly name = 'UnauthorizedError';
}
/** 403: the key or token may not do this. */
export class ForbiddenError extends ApiError {
  override readonly name = 'ForbiddenError';
}
/** 404: it does not exist, or the key is restricted to other publications. */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError';
}
/** 409: the request conflicts with an existing record. */
export class ConflictError extends ApiError {
  override readonly name = 'ConflictError';
}
/** 429: too many requests; `retryAfterMs` says how long to wait where the service does. */
export class RateLimitError extends ApiError {
  override readonly name = 'RateLimitError';
}
/** 5xx: the service failed. */
export class ServerError extends ApiError {
  override readonly name = 'ServerError';
}

/** No whole answer arrived. Unless `notSent`, the request may have been carried out. */
export class NetworkError extends NewsletterError {
  override readonly name = 'NetworkError';
  readonly notSent: boolean;
  readonly code: string | undefined;

  constructor(operation: CallName, cause: TransportError) {
    super(
      operation,
      (cause.notSent
        ? `the service could not be reached${cause.code ? ` (${cause.code})` : ''}. Check the base URL and that the service runs.`
        : `the connection broke before the whole answer arrived${cause.code ? ` (${cause.code})` : ''}.${afterLostResponse(operation)}`) +
        checkProxy(cause),
      cause,
    );
    this.notSent = cause.notSent;
    this.code = cause.code;
  }
}

/** No whole answer arrived in time. Unless `notSent`, the request may have been carried out. */
export class TimeoutError extends NewsletterError {
  override readonly name = 'TimeoutError';
  readonly timeoutMs: number;
  /** True where the time was over before the request was sent: all of it went into waiting for the quota. */
  readonly notSent: boolean;

  constructor(
    operation: CallName,
    timeoutMs: number,
    { notSent = false, cause }: { readonly notSent?: boolean; readonly cause?: unknown } = {},
  ) {
    super(
      operation,
      notSent
        ? `the request was not sent: the service's quota left no room for it within ${timeoutMs} ms. Call less often, or raise the limit of the whole call.`
        : `no answer within ${timeoutMs} ms.${afterLostResponse(operation)} Raise the timeout if the service is slow.${checkProxy(cause)}`,
      cause,
    );
    this.timeoutMs = timeoutMs;
    this.notSent = notSent;
  }
}

/** The caller's signal ended the call; `cause` is the signal's reason. */
export class AbortedError extends NewsletterError {
  override readonly name = 'AbortedError';

  constructor(operation: CallName, reason?: unknown) {
    super(operation, 'the call was aborted by its signal.', reason);
  }
}

/**
 * A setting of the client makes every call fail until it is corrected: an address, a TLS certificate, a token that no
 * header can hold. Never repeated.
 */
export class ConfigurationError extends NewsletterError {
  override readonly name: string = 'ConfigurationError';
  /** The system's code, for example `DEPTH_ZERO_SELF_SIGNED_CERT`, where there is one. */
  readonly code: string | undefined;

  /** @param problem - what is wrong and what to correct, without a full stop */
  constructor(
    operation: CallName,
    problem: string,
    { code, cause }: { code?: string | undefined; cause?: unknown } = {},
  ) {
    super(operation, `${problem}${code ? ` (${code})` : ''}.${checkProxy(cause)}`, cause);
    this.code = code;
  }
}

/**
 * The service answered 3xx. Redirects are not followed: they would send the key to an address that is not configured.
 */
export class RedirectError extends ConfigurationError {
  override readonly name = 'RedirectError';
  readonly status: number;
  /** Scheme, host and port the service points to; null where it does not say. */
  readonly location: string | null;

  /** @param setting - what holds the address */
  constructor(operation: CallName, status: number, location: string | null, setting: 'the base URL' | 'the app URL') {
    super(
      operation,
      `the service answered ${status}, a redirect${location === null ? '' : ` to ${location}`}, which is not followed. Correct ${setting}`,
    );
    this.status = status;
    this.location = location;
  }
}

const foreignRemedies: Readonly<Record<ForeignAnswer, string>> = {
  outage: 'Try again later.',
  address: 'Most likely the base URL is wrong: correct it.',
  record: 'It does not let this request through; others may pass.',
  access: 'It was not the API that refused. If this stays, check the base URL, then the network, then the key.',
};

/** Details of a {@link ForeignAnswerError}. */
export interface ForeignAnswerDetails {
  readonly status: number;
  /** Title of the page, at most 80 characters, secrets and addresses removed; null where it is no page. */
  readonly page: string | null;
  /** The header `Server`; null without one. */
  readonly server: string | null;
  /** How long it asks to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;
}

/**
 * Something between client and service answered in its place: a firewall, a proxy, another server. The answer has no
 * error body of the API. So it says nothing about key, publication or record; `about` says what to do.
 */
export class ForeignAnswerError extends NewsletterError implements ForeignAnswerDetails {
  override readonly name = 'ForeignAnswerError';
  readonly status: number;
  readonly page: string | null;
  readonly server: string | null;
  readonly retryAfterMs: number | undefined;
  readonly about: ForeignAnswer;

  constructor(operation: CallName, { status, page, server, retryAfterMs }: ForeignAnswerDetails) {
    const about = foreignAnswer(status);
    const what = [`${status}`, page && `a page titled ‹${page}›`, server && `(server ${server})`].filter(Boolean);
    super(
      operation,
      `something between you and the service answered ${what.join(' ')}. ${status === 407 ? proxyRemedy : foreignRemedies[about]}`,
    );
    this.status = status;
    this.page = page;
    this.server = server;
    this.retryAfterMs = retryAfterMs;
    this.about = about;
  }
}

const classes: Readonly<Record<number, typeof ApiError>> = {
  400: BadRequestError,
  401: UnauthorizedError,
  403: ForbiddenError,
  404: NotFoundError,
  409: ConflictError,
  429: RateLimitError,
};

/**
 * Whether the service refused a call, or provably never got it. After any other error, also an answer that is not the
 * API's, the call may have been carried out.
 */
export function isRefusal(error: NewsletterError): boolean {
  if (error instanceof ApiError) return error.status < 500 && error.status !== 408;
  if (error instanceof NetworkError || error instanceof TimeoutError) return error.notSent;
  return error instanceof InvalidRequestError || error instanceof ConfigurationError;
}

/** Adds advice where it is unknown whether the call was carried out. */
export function withAdvice(error: Error, advice: string | undefined): Error {
  if (advice) error.message += ` Whether it has happened is unknown. ${advice}`;
  return error;
}

/** The error class for a status. */
export function apiError(operation: CallName, details: ApiErrorDetails): ApiError {
  const Class = classes[details.status] ?? (details.status >= 500 ? ServerError : ApiError);
  return new Class(operation, details);
}

const proxyRemedy = 'A proxy asks for a user and password: check those in HTTPS_PROXY or HTTP_PROXY.';

const remedies: Readonly<Record<number, string>> = {
  400: 'Correct the request as the message says.',
  401: 'Check the API key or token: it is missing, wrong or expired.',
  402: 'The plan of the account does not include this, or a payment is due: ask its owner.',
  404: 'Check the publication id and the other ids; a key restricted to other publications gets this answer too.',
  409: 'The record exists already, or the work has begun already: read it instead of repeating the call.',
  429: 'Wait, then call less often.',
};

/** Whether an operation of the contract was called, and not `client.request`. */
export function isOperationId(call: CallName): call is OperationId {
  return !call.includes(' ');
}

/** 403: what the key or token would need. */
function permission(operation: CallName): string {
  const scope = isOperationId(operation) ? operationById(operation).scope : null;
  const token = scope ? `An OAuth token needs the scope "${scope}" for this; connect again and ask for it. ` : '';
  return `${token}An API key must not be restricted to publications, and the feature must be enabled for the organization.`;
}

function remedy(operation: CallName, status: number): string {
  const known: Operation | undefined = isOperationId(operation) ? operationById(operation) : undefined;
  return (
    (status === 403 ? permission(operation) : undefined) ??
    known?.remedies?.[status] ??
    remedies[status] ??
    (status >= 500 ? 'The service failed; try again later.' : 'See the API documentation for this status.')
  );
}
