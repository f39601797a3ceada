/** The journal of an import in a file: a line of JSON for each record, durable before the import continues. */
import { open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { JournalError, type Journal, type JournalRecord } from '../../import/journal.ts';
import { parseJson } from '../../parse-json.ts';
import { syncFolder, lockExclusively } from './durable-file.ts';
import { bytesOf } from './text-file.ts';

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
 * Each `append` resolves only after `fdatasync`. The file holds row numbers, ids and digests, and no address. The lock
 * is `<path>-lock`, which the kernel releases however the process ends.
 *
 * @throws JournalError where the path is empty, where another process has it open, or where it holds anything but a
 *   journal; such a file stays as it is
 */
export async function openFileJournal(path: string): Promise<FileJournal> {
  if (path === '')
    throw new JournalError('The path of the journal is empty. Pass the path of a file, for example people.journal.');
  let unlock: (() => void) | undefined;
  let file: FileHandle | undefined;
  try {
    unlock = lockExclusively(path);
    file = await open(path, 'a+', 0o600);
    let end = 0;
    for await (const line of lines(file, path)) ({ end } = line);
    await file.truncate(end);
    await file.datasync();
    await syncFolder(dirname(path));
    return journal(file, path, end > 0, unlock);
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

function journal(file: FileHandle, path: string, resumes: boolean, unlock: () => void): FileJournal {
  let written = Promise.resolve();

  async function write(line: string): Promise<void> {
    try {
      await file.appendFile(line);
      await file.datasync();
    } catch (cause) {
      throw new JournalError(
        `The journal ${path} could not be written: ${cause instanceof Error ? cause.message : String(cause)}. Free the disk, then start again with the same journal.`,
        { cause },
      );
    }
  }

  return {
    resumes,
    async *read() {
      for await (const { value } of lines(file, path)) yield value;
    },
    // After a failed write the content is unknown, so every later one fails as it did.
    append: (record: JournalRecord) => (written = written.then(() => write(`${JSON.stringify(record)}\n`))),
    async close() {
      await written.catch(() => undefined); // whoever appended has the error
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

/** How a record begins, also one that was cut off. */
const beginning = '{"type":"';

/**
 * Every complete record; stops before a last one that a crash cut off: it has no line end, or zeros in it.
 *
 * @throws JournalError for any other line
 */
async function* lines(file: FileHandle, path: string): AsyncGenerator<JournalLine> {
  let rest = Buffer.alloc(0);
  let [end, number, isCutOff] = [0, 0, false];
  const refused = (): JournalError =>
    new JournalError(
      `Line ${number} of ${path} is damaged, or the file is no journal of an import. Name another file, or start with a new journal.`,
    );
  for await (const chunk of bytesOf(file)) {
    rest = Buffer.concat([rest, chunk]);
    for (let at = rest.indexOf(10); at >= 0; at = rest.indexOf(10)) {
      const line = rest.subarray(0, at);
      const value = parseJson(line.toString());
      rest = rest.subarray(at + 1);
      number += 1;
      end += at + 1;
      if (value === undefined ? !line.includes(0) : isCutOff) throw refused();
      if (value === undefined) isCutOff = true;
      else yield { value, end };
    }
    if (rest.length > 1 << 20) throw refused();
  }
  number += 1;
  const start = rest.subarray(0, beginning.length);
  if (end === 0 && !start.includes(0) && !beginning.startsWith(start.toString())) throw refused();
}
