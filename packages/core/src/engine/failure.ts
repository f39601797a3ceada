/** How an attempt fails: whether it may have happened all the same, and the error that it stands for. Pure. */
import type { Operation } from '../contract/index.ts';
import { readError } from './answer.ts';
import {
  AbortedError,
  heldBack,
  NetworkError,
  RateLimitError,
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

/** Whether the service may still be at work after the answer was given up. */
export function mayGoOn({ error, answer }: Failure): boolean {
  return error ? error.failure === 'timeout' : answer.status === 504;
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
  /** Milliseconds that the attempt had. */
  readonly timeoutMs: number;
  /** The token it was made with: the service may repeat it in its messages. */
  readonly token: string | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/** The error a failed attempt stands for. */
export function errorOf(failed: Failure, { operation, timeoutMs, token, now }: FailedCall): Error {
  if (!failed.error) return readError(operation, failed.answer, now, token ? [token] : []);
  return failed.unreadable ?? lost(operation, failed.error, timeoutMs);
}

/** The error of a call that waited for its turn, and in vain. What else may be thrown there is none of ours. */
export function errorOfWaiting(operation: Named, cause: unknown, totalMs: number): unknown {
  if (cause instanceof PausedError) return new RateLimitError(operation.id, heldBack(cause.pauseMs));
  if (!(cause instanceof TransportError)) return cause;
  return cause.failure === 'timeout'
    ? new TimeoutError(operation.id, totalMs, { notSent: true })
    : lost(operation, cause, totalMs);
}

function lost({ id }: Named, error: TransportError, timeoutMs: number): Error {
  if (error.failure === 'aborted') return new AbortedError(id);
  if (error.failure === 'timeout') return new TimeoutError(id, timeoutMs);
  return new NetworkError(id, error);
}
