/** The file with the state of a watch. */
import { isRecord } from '@newsletter-kit/core';
import { UsageError } from '#command-line';
import { readIfThere, replaceFile } from '@newsletter-kit/core/files';
import { readWatchState, startWatch, WatchStateError, type WatchState } from '@newsletter-kit/core/watch';

/**
 * Reads the stored state, or starts a new one.
 *
 * @param path - undefined where no state is stored
 * @param since - Unix seconds, for a new state
 * @returns it, and whether everything up to it is in a history of leavings
 * @throws UsageError where the file holds no state of a watch
 */
export async function readState(
  path: string | undefined,
  scope: string,
  since: number | undefined,
): Promise<{ readonly state: WatchState; readonly hasHistory: boolean }> {
  const fresh = { state: startWatch(scope, since), hasHistory: false };
  const text = path === undefined ? null : await readIfThere(path);
  if (text === null) return fresh;
  try {
    const stored: unknown = JSON.parse(text);
    return { state: readWatchState(stored, scope), hasHistory: isRecord(stored) && stored['history'] === true };
  } catch (error) {
    if (error instanceof WatchStateError || error instanceof SyntaxError)
      throw new UsageError(
        `${path}: ${error instanceof SyntaxError ? 'this is not the state of a watch; name another file, or delete this one to start again.' : error.message}`,
      );
    throw error;
  }
}

/** The file holds no address, but times of changes by subscription: only its owner may read it. */
export async function storeState(path: string, state: WatchState, hasHistory: boolean): Promise<void> {
  await replaceFile(path, `${JSON.stringify({ ...state, history: hasHistory || undefined })}\n`, 0o600);
}
