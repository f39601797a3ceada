/** Takes turns with other processes: a lock for as long as some work takes, waited for. */
import { setTimeout as sleep } from 'node:timers/promises';
import { FileInUseError, lockExclusively } from './exclusive-file.ts';

/** Somebody else holds the lock for longer than anybody should. */
export class LockedError extends Error {
  override readonly name = 'LockedError';
}

/**
 * Runs `work` while no other process that asks for the same path runs theirs. The lock is `<path>-lock`, which stays
 * behind, empty.
 *
 * @param waitMs - how long to wait for the others, in milliseconds. Default 60,000
 * @throws LockedError where the others take too long, or where nothing can be locked there
 */
export async function withLock<T>(
  path: string,
  work: () => Promise<T>,
  { waitMs = 60_000 }: { readonly waitMs?: number } = {},
): Promise<T> {
  const unlock = await waitForLock(path, Date.now() + waitMs, waitMs);
  try {
    return await work();
  } finally {
    unlock();
  }
}

async function waitForLock(path: string, giveUp: number, waitMs: number): Promise<() => void> {
  for (;;) {
    try {
      return lockExclusively(path);
    } catch (cause) {
      if (!(cause instanceof FileInUseError))
        throw new LockedError(`${path} can't be locked: ${cause instanceof Error ? cause.message : String(cause)}.`, {
          cause,
        });
      if (Date.now() >= giveUp)
        throw new LockedError(
          `Another process has used ${path} for ${waitMs / 1000} s. Wait for it or end it, then try again.`,
          { cause },
        );
      await sleep(10 + Math.random() * 40);
    }
  }
}
