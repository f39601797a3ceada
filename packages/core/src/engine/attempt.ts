/** One sending of a request, and what came of it. */
import { readSuccess } from './answer.ts';
import { AbortedError, InvalidAnswerError, type CallName } from './errors.ts';
import type { Failure, Named } from './failure.ts';
import { TransportError, type Host, type HostAnswer, type HostRequest } from './host.ts';

/** One attempt, for logs and metrics. Holds no secret and no address. */
export interface AttemptEvent {
  /** The operation; for `client.request` the method and path, addresses removed. */
  readonly operation: CallName;
  /** 1 for the first attempt. */
  readonly attempt: number;
  readonly durationMs: number;
  /** The status answered, or how the attempt failed. */
  readonly outcome: number | TransportError['failure'];
  /** Milliseconds until it is repeated; null where it is not. */
  readonly retryInMs: number | null;
}

/** What came of sending once. */
/** Times by the host's monotonic clock. */
export type Attempt = { readonly sentAt: number; readonly durationMs: number } & (Success | Failure);

interface Success {
  readonly answer: HostAnswer;
  readonly value: unknown;
  readonly error?: never;
}

/**
 * Sends once.
 *
 * @throws AbortedError where nobody wants it any more, and what a host throws on its own account, for example that a
 * credential must be connected again
 */
export async function sendOnce(host: Host, operation: Named, request: HostRequest): Promise<Attempt> {
  if (request.signal?.aborted) throw new AbortedError(operation.id, request.signal.reason);
  const sentAt = host.monotonic();
  try {
    const answer = await host.send(request);
    return read(operation, answer, sentAt, host.monotonic() - sentAt);
  } catch (error) {
    if (error instanceof TransportError) return { error, sentAt, durationMs: host.monotonic() - sentAt };
    throw error;
  }
}

/**
 * A success that cannot be read – cut off, empty where something was promised, a proxy's page in its place – counts as
 * an answer that was lost: the work may well have been done, so what may be repeated is, and the next answer is often
 * whole.
 */
function read(operation: Named, answer: HostAnswer, sentAt: number, durationMs: number): Attempt {
  if (answer.status < 200 || answer.status > 299) return { answer, sentAt, durationMs };
  try {
    return { answer, value: readSuccess(operation, answer), sentAt, durationMs };
  } catch (error) {
    if (!(error instanceof InvalidAnswerError)) throw error;
    return {
      answer,
      error: new TransportError('network', { code: 'UNREADABLE' }),
      unreadable: error,
      sentAt,
      durationMs,
    };
  }
}

/** The attempt as it is reported. @param number - 1 for the first */
export function attemptEvent(
  operation: Named,
  attempt: Attempt,
  number: number,
  retryInMs: number | null,
): AttemptEvent {
  const outcome = attempt.answer?.status ?? attempt.error?.failure ?? 'network';
  return { operation: operation.id, attempt: number, durationMs: attempt.durationMs, outcome, retryInMs };
}
