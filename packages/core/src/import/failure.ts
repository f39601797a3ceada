/** What an error of a call means for the rows in it. */
import {
  AbortedError,
  ApiError,
  InvalidAnswerError,
  InvalidRequestError,
  NetworkError,
  TimeoutError,
} from '../engine/errors.ts';

/**
 * - `refused` – the service looked at the rows and wants them otherwise: divide, then reject
 * - `failed` – it may pass another time. Whether the rows were taken is not known: the call was repeated, and only how
 *   the last attempt ended has come through
 * - `fatal` – no other call would end better
 */
export type Meaning =
  | { readonly kind: 'refused'; readonly said: readonly string[]; readonly reason: string }
  | { readonly kind: 'failed' | 'fatal' };

/** Key, right or publication are wrong. */
const fatalStatuses: ReadonlySet<number> = new Set([401, 403, 404]);
/** The service asks to come again. */
const passingStatuses: ReadonlySet<number> = new Set([408, 429]);

export function meaningOf(error: unknown): Meaning {
  if (error instanceof InvalidRequestError) return refused(error.problems);
  if (
    error instanceof NetworkError ||
    error instanceof TimeoutError ||
    error instanceof AbortedError ||
    error instanceof InvalidAnswerError
  )
    return { kind: 'failed' };
  if (!(error instanceof ApiError) || fatalStatuses.has(error.status)) return { kind: 'fatal' };
  if (error.status >= 500 || passingStatuses.has(error.status)) return { kind: 'failed' };
  return refused(error.errors.length > 0 ? error.errors.map(({ message }) => message) : [`status ${error.status}`]);
}

function refused(said: readonly string[]): Meaning {
  return {
    kind: 'refused',
    said,
    reason: `the service refused it: ${said.map((message) => message.replace(/\.$/, '')).join('; ')}`,
  };
}
