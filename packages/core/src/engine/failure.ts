/** How an attempt fails: whether it may have happened all the same, and the error that it stands for. Pure. */
import type { Operation } from '../contract/index.ts';
import { readError } from './answer.ts';
import {
  AbortedError,
  ConfigurationError,
  heldBack,
  NetworkError,
  RateLimitError,
  RedirectError,
  TimeoutError,
  type CallName,
  type InvalidAnswerError,
  type RequestMethod,
} from './errors.ts';
import { TransportError, type HostAnswer } from './host.ts';
import { PausedError } from './pacer.ts';

/** What is called: an operation of the contract, or a request of `client.request` described in the same terms. */
export interface Named extends Omit<Operation, 'id' | 'method'> {
  readonly id: CallName;
  readonly method: RequestMethod;
}

/** An error status, or an answer that was lost: none came, or none that can be read. */
export type Failure =
  | { readonly answer: HostAnswer; readonly error?: never }
  | { readonly error: TransportError; readonly answer?: HostAnswer; readonly unreadable?: InvalidAnswerError };

/** Whether it may have been carried out although it failed. */
export function mayHaveHappened({ error, answer }: Failure): boolean {
  return error ? !error.notSent && error.failure !== 'aborted' : answer.status >= 500;
}

/** Whether the service may still be at work after the answer was given up; 524 is a proxy's name for 504. */
export function mayGoOn({ error, answer }: Failure): boolean {
  return error ? error.failure === 'timeout' : answer.status === 504 || answer.status === 524;
}

/** The answers to what is there already: after a lost answer it may be there by our own doing. */
export function isRefusal({ error, answer }: Failure): boolean {
  return !error && (answer.status === 400 || answer.status === 409);
}

/**
 * A deletion that finds nothing after its first answer was lost: what was asked for is done, very likely by the first.
 */
export function alreadyGone({ method }: Named, failed: Failure, before: Failure): boolean {
  return method === 'DELETE' && !failed.error && failed.answer.status === 404 && mayHaveHappened(before);
}

/** What an error needs to know of its call. */
export interface FailedCall {
  readonly operation: Named;
  /** The address it was sent to. */
  readonly url: string;
  /** Milliseconds that the attempt had. */
  readonly timeoutMs: number;
  /** The token it was made with: the service may repeat it in its messages. */
  readonly token: string | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/** The error a failed attempt stands for. */
export function errorOf(failed: Failure, { operation, url, timeoutMs, token, now }: FailedCall): Error {
  if (!failed.error) {
    const { status, headers } = failed.answer;
    if (status >= 300 && status < 400)
      return new RedirectError(operation.id, status, redirectOrigin(headers['location'], url), settingOf(operation));
    return readError(operation, failed.answer, now, token ? [token] : []);
  }
  return failed.unreadable ?? lost(operation, failed.error, timeoutMs);
}

/** The error of a call that waited for its turn, and in vain. What else may be thrown there is none of ours. */
export function errorOfWaiting(operation: Named, cause: unknown, totalMs: number): unknown {
  if (cause instanceof PausedError) return new RateLimitError(operation.id, heldBack(cause.pauseMs));
  if (!(cause instanceof TransportError)) return cause;
  return cause.failure === 'timeout'
    ? new TimeoutError(operation.id, totalMs, { notSent: true, cause })
    : lost(operation, cause, totalMs);
}

/** The setting that holds the address of an operation. */
function settingOf({ base }: Named): 'baseUrl' | 'appUrl' {
  return base === 'api' ? 'baseUrl' : 'appUrl';
}

function lost(operation: Named, error: TransportError, timeoutMs: number): Error {
  const { id } = operation;
  const { mistake, code } = error;
  if (mistake !== null)
    return new ConfigurationError(id, mistake.replaceAll('baseUrl', settingOf(operation)), { code, cause: error });
  if (error.failure === 'aborted') return new AbortedError(id, error.cause);
  if (error.failure === 'timeout') return new TimeoutError(id, timeoutMs, { cause: error });
  return new NetworkError(id, error);
}

/** Where a redirect points to: scheme, host and port. Path and query may hold an address. */
function redirectOrigin(location: string | undefined, url: string): string | null {
  if (location === undefined || !URL.canParse(location, url)) return null;
  const { origin } = new URL(location, url);
  return origin === 'null' ? null : origin;
}
