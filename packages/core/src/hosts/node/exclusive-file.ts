/** One process per file for as long as it likes: a lock of the kernel, let go of when the process ends however it ends. Nothing to go stale. */

/** SQLite's code where another connection holds the lock. */
const busy = 5;

/**
 * Locks `<path>-lock`, through SQLite: the only way to a lock of the kernel that Node has built in.
 *
 * @param refuse - makes the error of a reason; `busy` where another process holds the lock, and nothing else is wrong
 * @returns a function that unlocks
 */
export async function lockExclusively(path: string, refuse: (reason: string, busy: boolean) => Error): Promise<() => void> {
  const { DatabaseSync } = await import('node:sqlite');
  let database: InstanceType<typeof DatabaseSync> | undefined;
  try {
    database = new DatabaseSync(`${path}-lock`, { timeout: 0 });
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (cause) {
    database?.close();
    const code = cause instanceof Error && 'errcode' in cause ? cause.errcode : undefined;
    throw refuse(code === busy ? 'another process is using it' : cause instanceof Error ? cause.message : String(cause), code === busy);
  }
  const locked = database;
  return () => locked.close();
}
