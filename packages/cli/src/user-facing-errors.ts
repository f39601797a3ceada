/** Converts errors into messages for the user. An unknown error is a bug and shows its stack. */
import { UsageError } from '#command-line';
import { knownErrors } from './exit-code.ts';

/** An error as `--json` prints it, under the key `error`. */
export interface ErrorReport {
  /** Class of the error: `UsageError`, `RateLimitError`, `NetworkError`, … */
  readonly type: string;
  readonly message: string;
  /** The operation that was called, or method and path. */
  readonly operation?: string;
  /** Status of the service's answer. */
  readonly status?: number;
  /** The service's own messages. */
  readonly errors?: readonly unknown[];
  /** What is wrong with the call, one sentence each. */
  readonly problems?: readonly string[];
  /** Code of the operating system or the network, such as `ENOENT` or `ECONNREFUSED`. */
  readonly code?: string;
  /** How long the service asks to wait, in milliseconds. */
  readonly retry_after_ms?: number;
  readonly request_id?: string;
}

/** @returns null for an error that no user can act on */
export function reportOf(error: unknown): ErrorReport | null {
  if (!(error instanceof Error)) return null;
  if (error instanceof UsageError) {
    return { type: error.name, message: error.message, problems: error.problems };
  }
  const fields: Readonly<Record<string, unknown>> = Object.fromEntries(Object.entries(error));
  // Every error of the client names its operation; errors of files, disks and ports name the system call.
  if (
    knownErrors[error.name] === undefined &&
    typeof fields['operation'] !== 'string' &&
    typeof fields['syscall'] !== 'string'
  )
    return null;
  const { operation, status, errors, problems, code, retryAfterMs, requestId } = fields;
  return {
    type: error.name,
    message: error.message,
    ...(typeof operation === 'string' && { operation }),
    ...(typeof status === 'number' && { status }),
    ...(Array.isArray(errors) && errors.length > 0 && { errors }),
    ...(Array.isArray(problems) && problems.length > 0 && { problems }),
    ...(typeof code === 'string' && { code }),
    ...(typeof retryAfterMs === 'number' && { retry_after_ms: retryAfterMs }),
    ...(typeof requestId === 'string' && { request_id: requestId }),
  };
}

/** An error that does not end the command, as it is reported. @param advice - a sentence behind the message */
export function failureOf(error: Error, advice: string): ErrorReport {
  return { type: error.name, ...reportOf(error), message: `${error.message}${advice}` };
}

/** Failures that the next attempt may not have; errors of PostgreSQL say so themselves. */
export function isTransient(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  return 'isTransient' in error
    ? error.isTransient === true
    : /^(NetworkError|TimeoutError|ServerError|RateLimitError|ForeignAnswerError)$/.test(error.name);
}

/** Whether an error says that there is no such file. */
export function isMissingFile(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
