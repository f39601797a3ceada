/** Atomic file writes: a reader sees the old or the new content, also after a power failure. */
import { randomUUID } from 'node:crypto';
import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Puts a file in place of another.
 *
 * @param mode - permissions of the new file, whatever the old one had
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

/** A name, new or changed, lasts once its folder is on disk. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => null); // Windows does not open folders, and needs no such thing
  try {
    await folder?.sync();
  } finally {
    await folder?.close();
  }
}
