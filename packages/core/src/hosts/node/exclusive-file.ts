/**
 * One process per file for as long as it likes: a lock of the kernel, let go of when the process ends however it ends.
 * Nothing to go stale.
 */
import process from 'node:process';

/** SQLite's code where another connection holds the lock; extended codes carry it in their low byte. */
const busy = 5;

/** Another process holds the lock, and nothing else is wrong. */
export class FileInUseError extends Error {
  override readonly name = 'FileInUseError';
}

/**
 * Locks `<path>-lock`, through SQLite: the only way to a lock of the kernel that Node has built in. The file itself
 * stays readable for everybody, and the lock's file stays behind, empty.
 *
 * @returns a function that unlocks
 * @throws FileInUseError where another process holds the lock, and what SQLite says where nothing can be locked there
 */
export function lockExclusively(path: string): () => void {
  // Loaded when it is needed: importing it would warn those who never lock, on a Node that calls it experimental.
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const database = new DatabaseSync(`${path}-lock`, { timeout: 0 });
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (cause) {
    database.close();
    throw isBusy(cause) ? new FileInUseError('another process is using it', { cause }) : cause;
  }
  return () => database.close();
}

function isBusy(error: unknown): boolean {
  return (
    error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' && (error.errcode & 0xff) === busy
  );
}
