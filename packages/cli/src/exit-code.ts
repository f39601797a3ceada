/** The exit code of an error: by what a program can do about it. */
import { UsageError } from '#command-line';
import { exitCodes, type ExitCode } from './context.ts';
import { isMissingFile, isTransient, knownErrors } from './user-facing-errors.ts';

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
