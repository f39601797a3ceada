/** The exit code of an error: by what a program can do about it. */
import { UsageError } from '#command-line';
import { exitCodes, type ExitCode } from './context.ts';
import { isMissingFile, isTransient } from './user-facing-errors.ts';

/** Nobody is signed in, or the key belongs to another service. */
export class CredentialError extends UsageError {}

export function exitCodeOf(error: unknown): ExitCode {
  if (!(error instanceof Error)) return exitCodes.failed;
  const { name, status, cause }: { readonly name: string; readonly status?: unknown; readonly cause?: unknown } = error;
  if (error instanceof CredentialError) return exitCodes.credentials;
  if (isMissingFile(error) || isMissingFile(cause)) return exitCodes.notFound;
  if (error instanceof UsageError) return exitCodes.usage;
  if (isTransient(error)) return exitCodes.tryAgain;
  return knownErrors[name] ?? (Number(status) >= 400 ? exitCodes.refused : exitCodes.failed);
}

/**
 * Errors that a user can act on, of other modules: by name, because importing them to compare classes would slow down
 * every start.
 */
export const knownErrors: Readonly<Partial<Record<string, ExitCode>>> = {
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
