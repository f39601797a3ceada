/** Durable files: atomic replacement, who else may read one, and a lock that one process holds at a time. */
import { setTimeout as sleep } from 'node:timers/promises';
import process from 'node:process';
import { randomUUID } from 'node:crypto';
import { open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** The lock was not released in time, or the path cannot be locked. */
export class LockedError extends Error {
  override readonly name = 'LockedError';
}

/**
 * Runs `work` under a lock that one process holds at a time. The empty lock file, `<path>-lock`, stays behind.
 *
 * @param waitMs - how long to wait for other processes, in milliseconds. Default 60,000
 * @throws LockedError where other processes hold the lock too long, or where the path cannot be locked
 */
export async function withLock<T>(
  path: string,
  work: () => Promise<T>,
  { waitMs = 60_000 }: { readonly waitMs?: number } = {},
): Promise<T> {
  const giveUp = Date.now() + waitMs;
  let unlock: (() => void) | undefined;
  while (!unlock)
    try {
      unlock = lockExclusively(path);
    } catch (cause) {
      const isInUse = cause instanceof FileInUseError;
      if (!isInUse || Date.now() >= giveUp)
        throw new LockedError(
          isInUse
            ? `Another process has used ${path} for ${waitMs / 1000} s. Wait for it or end it, then try again.`
            : `${path} can't be locked: ${cause instanceof Error ? cause.message : String(cause)}.`,
          { cause },
        );
      await sleep(10 + Math.random() * 40);
    }
  try {
    return await work();
  } finally {
    unlock();
  }
}

/** SQLite's code where another connection holds the lock; extended codes carry it in their low byte. */
const busy = 5;

/** Another process holds the lock, and nothing else is wrong. */
export class FileInUseError extends Error {
  override readonly name = 'FileInUseError';
}

/**
 * Locks `<path>-lock` through SQLite, the only access to a kernel lock that is built into Node. The file itself stays
 * readable, and the empty lock file stays behind.
 *
 * @returns a function that unlocks
 * @throws FileInUseError where another process holds the lock, and SQLite's error where the path cannot be locked
 */
export function lockExclusively(path: string): () => void {
  // Loaded on demand, because importing it prints a warning on Node versions where it is experimental.
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

/**
 * Replaces a file atomically: a reader sees the old or the new content, also after a power failure.
 *
 * @param mode - permissions of the new file
 */
export async function replaceFile(path: string, content: string, mode: number): Promise<void> {
  const beside = `${path}.${randomUUID()}.tmp`;
  try {
    const file = await open(beside, 'wx', mode);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

/** The text of a file; null where there is no such file. */
export async function readIfThere(path: string): Promise<string | null> {
  return await readFile(path, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && /^ENO(ENT|TDIR)$/.test(String(error.code))) return null;
    throw error;
  });
}

/** The mode of a file, in octal, that others than its owner may read or write; null on Windows, which has none. */
export async function modeForOthers(path: string): Promise<string | null> {
  const { mode } = await stat(path);
  const isPrivate = process.platform === 'win32' || (mode & 0o066) === 0;
  return isPrivate ? null : (mode & 0o777).toString(8).padStart(4, '0');
}

/**
 * Removes temporary files of processes that ended while they replaced a file.
 *
 * @param olderThanMs - age from which no process can still be writing
 */
export async function removeUnfinished(path: string, olderThanMs: number): Promise<void> {
  const names = await readdir(dirname(path)).catch(() => []);
  const unfinished = names.filter((name) => name.startsWith(`${basename(path)}.`) && name.endsWith('.tmp'));
  for (const name of unfinished) {
    const file = join(dirname(path), name);
    const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
    if (Date.now() - mtimeMs >= olderThanMs) await rm(file, { force: true });
  }
}

/** Makes a new or changed file name durable: it is part of the folder. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => null); // Windows cannot open folders and does not need this
  try {
    await folder?.sync();
  } finally {
    await folder?.close();
  }
}
