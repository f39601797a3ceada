/** Keeps the state of a watch in a file. */
import { readFile } from 'node:fs/promises';
import { UsageError } from '@newsletter-kit/core/command-line';
import { replaceFile } from '@newsletter-kit/core/node';
import { readWatchState, startWatch, WatchStateError, type WatchState } from '@newsletter-kit/core/watch';

/**
 * @param path - undefined where nothing is kept
 * @param since - Unix seconds, for a watch that begins
 * @throws UsageError where the file is no state of a watch
 */
export async function readState(
  path: string | undefined,
  scope: string,
  since: number | undefined,
): Promise<WatchState> {
  const text = path === undefined ? null : await readFile(path, 'utf8').catch(nullWhereMissing);
  if (text === null) return startWatch(scope, since);
  try {
    return readWatchState(JSON.parse(text), scope);
  } catch (error) {
    if (error instanceof WatchStateError || error instanceof SyntaxError)
      throw new UsageError(
        `${path}: ${error instanceof SyntaxError ? 'this is no state of a watch; name another file, or delete it to begin anew.' : error.message}`,
      );
    throw error;
  }
}

/** Holds no address, and still says who changed when: for its owner alone. */
export async function keepState(path: string, state: WatchState): Promise<void> {
  await replaceFile(path, `${JSON.stringify(state)}\n`, 0o600);
}

function nullWhereMissing(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
  throw error;
}
