/** Converts errors into messages for the user, and exit codes. An unknown error is a bug and shows its stack. */
import { UsageError } from '#command-line';
import { exitCodes, type ExitCode } from './context.ts';
import type { ErrorReport } from './output.ts';

/**
 * Errors that a user can act on, of other modules: by name, because importing them to compare classes would slow down
 * every start.
 */
const knownErrors: Readonly<Partial<Record<string, ExitCode>>> = {
  InvalidRequestError: exitCodes.usage,
  ConfigurationError: exitCodes.usage,
  RedirectError: exitCodes.usage,
  MappingError: exitCodes.usage,
  CsvError: exitCodes.refused,
  NotFoundError: exitCodes.notFound,
  UnauthorizedError: exitCodes.credentials,
  ForbiddenError: exitCodes.credentials,
  LoginRequiredError: exitCodes.credentials,
  AccessDeniedError: exitCodes.credentials,
  OAuthError: exitCodes.credentials,
  FileInUseError: exitCodes.tryAgain,
  LockedError: exitCodes.tryAgain,
  UpdatePendingError: exitCodes.tryAgain,
  TokenFileError: exitCodes.failed,
  JournalError: exitCodes.failed,
  SourceChangedError: exitCodes.failed,
  CapacityError: exitCodes.failed,
  SyncStateError: exitCodes.failed,
  SyncError: exitCodes.failed,
};

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

/** Nobody is signed in, or the key belongs to another service. */
export class CredentialError extends UsageError {}

/** The exit code of an error: by what a program can do about it. */
export function exitCodeOf(error: unknown): ExitCode {
  if (!(error instanceof Error)) return exitCodes.failed;
  const { name, status, cause }: { readonly name: string; readonly status?: unknown; readonly cause?: unknown } = error;
  if (error instanceof CredentialError) return exitCodes.credentials;
  if (isMissingFile(error) || isMissingFile(cause)) return exitCodes.notFound;
  if (error instanceof UsageError) return exitCodes.usage;
  if (isTransient(error)) return exitCodes.tryAgain;
  return knownErrors[name] ?? (Number(status) >= 400 ? exitCodes.refused : exitCodes.failed);
}
