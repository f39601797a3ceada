/** A token store in a file that only its owner can read, shared by several processes. */
import { mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { readTokenSet, type TokenStore } from '../../oauth/tokens.ts';
import { parseJson } from '../../parse-json.ts';
import { modeForOthers, readIfThere, removeUnfinished, replaceFile, withLock } from './durable-file.ts';

/**
 * The token file cannot be used as it is. The text says why and what to do; it holds the path and nothing of the
 * content.
 */
export class TokenFileError extends Error {
  override readonly name = 'TokenFileError';
}

/**
 * A token store in one file: mode 0600 in a folder of mode 0700, written whole or not at all. A file that others may
 * read is refused, as ssh refuses such a key. Processes that share it take turns to refresh, by a lock beside it.
 *
 * @param path - of the file; missing folders are made
 * @example
 * ```ts
 * const store = createFileTokenStore(`${homedir()}/.config/my-app/tokens.json`);
 * ```
 * @returns a store whose methods reject with {@link TokenFileError}, and with what the system says of a disk or folder
 * @throws TokenFileError where the path is empty
 */
export function createFileTokenStore(path: string): Required<TokenStore> {
  if (path === '')
    throw new TokenFileError(
      'The path of the token file is empty. Pass the path of a file, for example ./private/tokens.json.',
    );
  return {
    async load() {
      const text = await readIfThere(path);
      if (text === null) return null;
      const mode = await modeForOthers(path);
      if (mode !== null)
        throw new TokenFileError(
          `Others on this machine may read ${path} (mode ${mode}), and tokens work for whoever has them. Run chmod 600 on it; log in again if somebody may have read it.`,
        );
      const tokens = readTokenSet(parseJson(text));
      if (!tokens) throw new TokenFileError(`${path} holds no tokens. Delete it and log in again.`);
      return tokens;
    },
    async save(tokens) {
      await makeFolder(path);
      await replaceFile(path, `${JSON.stringify(tokens, null, 2)}\n`, 0o600);
      await removeUnfinished(path, 60_000);
    },
    async clear() {
      await rm(path, { force: true });
      await removeUnfinished(path, 0);
    },
    async exclusively(work) {
      await makeFolder(path);
      return withLock(path, work);
    },
  };
}

async function makeFolder(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
}
