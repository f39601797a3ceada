/**
 * Which errors are for the person at the terminal: their text is enough. Anything else is a bug and shows its stack.
 */
import { Mistake } from './mistake.ts';

/** Errors of other floors, by name: loading their modules to compare classes would slow every start. */
const names = new Set([
  'TokenFileError',
  'LockedError',
  'CsvError',
  'JournalError',
  'SourceChangedError',
  'CapacityError',
  'MappingError',
  'SyncStateError',
  'SyncError',
]);

export function spokenText(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if (error instanceof Mistake || names.has(error.name)) return error.message;
  // Every error of the client names its operation.
  if ('operation' in error && typeof error.operation === 'string') return error.message;
  // What the system says of files, disks and ports.
  if ('syscall' in error && 'code' in error) return error.message;
  return null;
}
