/** The unfinished file of an export, with the position from which the same command continues. */
import { open, readFile, rename, rm, stat, truncate } from 'node:fs/promises';
import { replaceFile } from '@newsletter-kit/core/files';

/** The position in an export from which it continues. */
export interface ExportPosition {
  /** Describes the export: one with another description under the same name starts over. */
  readonly description: string;
  /** The cursor of the next page. */
  readonly cursor: string;
  /** Bytes of the file up to the cursor; later bytes are cut off. */
  readonly bytes: number;
  readonly subscriptions: number;
}

export type PartFile = Awaited<ReturnType<typeof openPartFile>>;

/** Milliseconds between two saves: each waits for the disk. */
const saveEvery = 2000;

export async function openPartFile(path: string, description: string) {
  const [part, positionFile] = [`${path}.part`, `${path}.part.json`];
  const saved = await readPosition(positionFile, description);
  const size = (await stat(part).catch(() => null))?.size ?? 0;
  const resumed = saved && size >= saved.bytes ? saved : null;
  let bytes = resumed?.bytes ?? 0;
  if (resumed) await truncate(part, bytes);
  // The file holds addresses: only its owner may read it.
  const file = await open(part, resumed ? 'r+' : 'w', 0o600);
  let position: ExportPosition | null = resumed;
  let savedAt = Date.now();
  let finished = false;

  async function save(): Promise<void> {
    savedAt = Date.now();
    await file.sync();
    await replaceFile(positionFile, JSON.stringify(position), 0o600);
  }

  return {
    /** The position of an interrupted run of the same export; null where there is none. */
    resumed,
    async write(text: string): Promise<void> {
      const buffer = Buffer.from(text);
      await file.write(buffer, 0, buffer.length, bytes);
      bytes += buffer.length;
    },
    /** Sets the position. It is saved every two seconds, for processes that are killed. */
    async reached(cursor: string, subscriptions: number): Promise<void> {
      position = { description, cursor, bytes, subscriptions };
      if (Date.now() - savedAt >= saveEvery) await save();
    },
    /** Starts over. */
    async restart(): Promise<void> {
      position = null;
      await rm(positionFile, { force: true });
      await file.truncate(0);
      bytes = 0;
    },
    /** Renames the complete file to its final name. */
    async finish(): Promise<void> {
      await file.sync();
      await rename(part, path);
      finished = true;
      await rm(positionFile, { force: true });
    },
    /** Without `finish`: saves the position, or deletes the file where there is none. */
    async close(): Promise<void> {
      try {
        if (!finished && position) await save();
      } finally {
        await file.close();
      }
      if (!finished && !position) await rm(part, { force: true });
    },
  };
}

async function readPosition(path: string, description: string): Promise<ExportPosition | null> {
  try {
    const position = JSON.parse(await readFile(path, 'utf8')) as ExportPosition | null;
    return position?.description === description ? position : null;
  } catch {
    return null; // missing or cut off: the export starts over, which loses nothing
  }
}
