/** An unfinished export: the file that grows, and beside it the position from which the same command continues. */
import { open, readFile, rename, rm, type FileHandle } from 'node:fs/promises';
import { replaceFile } from '@newsletter-kit/core/node';

/** How far an export is. */
export interface Place {
  /** What is exported and how: another export under the same name starts over. */
  readonly what: string;
  /** Where the list continues. */
  readonly cursor: string;
  /** Bytes of the file up to there; what stands behind them is cut off. */
  readonly bytes: number;
  readonly subscriptions: number;
}

export interface PartFile {
  /** Where an earlier run stopped; null where there was none, or another one. */
  readonly resumed: Place | null;
  write(text: string): Promise<void>;
  /** Says how far it is. Written down now and then, for processes that are killed. */
  reached(cursor: string, subscriptions: number): Promise<void>;
  /** Starts over. */
  restart(): Promise<void>;
  /** Puts the whole file in its place. */
  finish(): Promise<void>;
  /** Without `finish`: writes down how far it is, or leaves nothing where it did not get anywhere. */
  close(): Promise<void>;
}

/** Milliseconds between two notes: writing one waits for the disk. */
const pace = 2000;

export async function openPartFile(path: string, what: string): Promise<PartFile> {
  const [part, note] = [`${path}.part`, `${path}.part.json`];
  const kept = await readPlace(note, what);
  // Addresses are in it: it is for its owner.
  const existing = kept ? await open(part, 'r+').catch(() => null) : null;
  const large = existing ? (await existing.stat()).size >= (kept?.bytes ?? 0) : false;
  if (existing && !large) await existing.close();
  const file: FileHandle = existing && large ? existing : await open(part, 'w', 0o600);
  const resumed = existing && large ? kept : null;
  let bytes = resumed?.bytes ?? 0;
  let place: Place | null = resumed;
  let noted = Date.now();
  let finished = false;
  await file.truncate(bytes);

  async function writeDown(): Promise<void> {
    noted = Date.now();
    await file.sync();
    await replaceFile(note, JSON.stringify(place), 0o600);
  }

  return {
    resumed,
    async write(text) {
      const buffer = Buffer.from(text);
      await file.write(buffer, 0, buffer.length, bytes);
      bytes += buffer.length;
    },
    async reached(cursor, subscriptions) {
      place = { what, cursor, bytes, subscriptions };
      if (Date.now() - noted >= pace) await writeDown();
    },
    async restart() {
      place = null;
      await rm(note, { force: true });
      await file.truncate(0);
      bytes = 0;
    },
    async finish() {
      await file.sync();
      await rename(part, path);
      finished = true;
      await rm(note, { force: true });
    },
    async close() {
      if (!finished && place) await writeDown();
      await file.close();
      if (!finished && !place) await rm(part, { force: true });
    },
  };
}

async function readPlace(note: string, what: string): Promise<Place | null> {
  try {
    const place: unknown = JSON.parse(await readFile(note, 'utf8'));
    return isPlace(place) && place.what === what ? place : null;
  } catch {
    return null; // none, or one that was cut: the export starts over, which loses nothing
  }
}

function isPlace(value: unknown): value is Place {
  if (typeof value !== 'object' || value === null) return false;
  const { what, cursor, bytes, subscriptions }: Readonly<Partial<Record<keyof Place, unknown>>> = value;
  return (
    typeof what === 'string' &&
    typeof cursor === 'string' &&
    Number.isSafeInteger(bytes) &&
    Number.isSafeInteger(subscriptions)
  );
}
