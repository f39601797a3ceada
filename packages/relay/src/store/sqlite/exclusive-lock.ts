/** One relay per store: a lock of the kernel, let go of when its process dies however it dies. No pid file to go stale. */
import { DatabaseSync } from 'node:sqlite';
import { StartupError, StoreInUseError } from '../../startup-error.ts';
import { meaning, sqliteCode } from './failure.ts';

const busy = 5;

/**
 * Locks a file beside the store, so that the store itself stays readable for backups and operators' tools.
 *
 * @returns a function that unlocks
 * @throws StoreInUseError where another process holds the lock
 */
export function lockExclusively(storePath: string): () => void {
  const path = `${storePath}-lock`;
  const db = new DatabaseSync(path, { timeout: 0 });
  try {
    db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (cause) {
    db.close();
    if (sqliteCode(cause) !== busy) throw new StartupError(`The lock file ${path} cannot be used: ${meaning(cause)}.`, { cause });
    throw new StoreInUseError(`Another relay is using the store ${storePath}: stop it, or give this one a file of its own in RELAY_STORE.`, { cause });
  }
  return () => db.close();
}
