/** The journal of an import in a file: a line of JSON for each record, durable before the import continues. */
import { open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { JournalError, type Journal, type JournalRecord } from '../../import/journal.ts';
import { syncFolder, lockExclusively } from './durable-file.ts';

/** A journal in a file. */
export interface FileJournal extends Journal {
  /** Whether the file held records when it was opened, so that the import resumes. */
  readonly resumes: boolean;
  /** Writes the queued records, closes the file and releases its lock. */
  close(): Promise<void>;
}

/**
 * Opens a journal, or creates one. A last line that was cut off by a crash is removed: its batch was never sent.
 *
 * Records that come while the disk is busy are written together, and each `append` resolves only after `fdatasync`. The
 * file holds row numbers, ids and digests, and no address. The lock is `<path>-lock`, which the kernel
 * releases however the process ends.
 *
 * @throws JournalError where the path is empty, where another process has it open, where it is no journal, or where a
 *   line in its middle is damaged
 */
export async function openFileJournal(path: string): Promise<FileJournal> {
  if (path === '')
    throw new JournalError('The path of the journal is empty. Pass the path of a file, for example people.journal.');
  let unlock: (() => void) | undefined;
  let file: FileHandle | undefined;
  try {
    unlock = lockExclusively(path);
    file = await open(path, 'a+', 0o600);
    const { end, records } = await wholeLines(file, path);
    await file.truncate(end);
    await file.datasync();
    await syncFolder(dirname(path));
    return journal(file, path, records > 0, unlock);
  } catch (cause) {
    await file?.close();
    unlock?.();
    if (cause instanceof JournalError) throw cause;
    throw new JournalError(
      `The journal ${path} can't be used: ${cause instanceof Error ? cause.message : String(cause)}.`,
      { cause },
    );
  }
}

interface QueuedLine {
  readonly line: string;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

function journal(file: FileHandle, path: string, resumes: boolean, unlock: () => void): FileJournal {
  let waiting: QueuedLine[] = [];
  let writing: Promise<void> | undefined;
  let broken: JournalError | undefined;

  /** Writes the waiting records together. After a failed write the content is unknown, so every later one fails. */
  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      try {
        if (broken) throw broken;
        await file.appendFile(group.map(({ line }) => line).join(''));
        await file.datasync();
        for (const { resolve } of group) resolve();
      } catch (cause) {
        broken ??= new JournalError(
          `The journal ${path} could not be written: ${cause instanceof Error ? cause.message : String(cause)}. Free the disk, then start again with the same journal.`,
          { cause },
        );
        for (const { reject } of group) reject(broken);
      }
    }
    writing = undefined;
  }

  return {
    resumes,
    async *read() {
      for await (const { value } of lines(file, path)) yield value;
    },
    append: (record: JournalRecord) =>
      new Promise((resolve, reject) => {
        waiting.push({ line: `${JSON.stringify(record)}\n`, resolve, reject });
        writing ??= drain();
      }),
    async close() {
      await writing;
      try {
        await file.close();
      } finally {
        unlock();
      }
    },
  };
}

interface JournalLine {
  readonly value: unknown;
  /** Bytes of the file up to and with its line break. */
  readonly end: number;
}

/** The end of the last complete record, in bytes, and the number of records. */
async function wholeLines(file: FileHandle, path: string): Promise<{ end: number; records: number }> {
  let end = 0;
  let records = 0;
  for await (const line of lines(file, path)) {
    ({ end } = line);
    records += 1;
  }
  return { end, records };
}

/**
 * Every complete record; stops before a last one that was cut off or left empty.
 * @throws JournalError where records follow it
 */
async function* lines(file: FileHandle, path: string): AsyncGenerator<JournalLine> {
  const chunk = Buffer.allocUnsafe(1 << 16);
  let rest = Buffer.alloc(0);
  let end = 0;
  let number = 0;
  let cutOff = 0;
  for (let position = 0; ;) {
    const { bytesRead } = await file.read(chunk, 0, chunk.length, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    rest = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
    for (let at = rest.indexOf(10); at >= 0; at = rest.indexOf(10)) {
      const value = parse(rest.subarray(0, at));
      rest = rest.subarray(at + 1);
      number += 1;
      end += at + 1;
      if (value === undefined) cutOff ||= number;
      else if (cutOff > 0)
        throw new JournalError(
          `Line ${cutOff} of ${path} is damaged, or the file is no journal of an import. Name another file, or start with a new journal.`,
        );
      else yield { value, end };
    }
    if (rest.length > 1 << 20) throw new JournalError(`${path} is no journal of an import. Name another file.`);
  }
}

function parse(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString()) as unknown;
  } catch {
    return undefined;
  }
}
