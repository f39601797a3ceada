/** The file of the history of leavings: `newsletter watch --history` appends to it, the report reads it. */
import { createReadStream } from 'node:fs';
import { open, truncate } from 'node:fs/promises';
import { UsageError } from '#command-line';
import { createHistory, type HistoryFile, type HistoryOptions } from '@newsletter-kit/core/report';
import type { Reporter } from '../../output.ts';
import { isMissingFile } from '../../user-facing-errors.ts';

/** How a history begins, also one whose first line was cut off. */
const beginning = '{"history":1';

/**
 * Reads a history. A last line without an end is left out: a watch may be writing it, or was killed meanwhile.
 *
 * @returns the history and the length of its complete lines in bytes; null where there is no such file
 * @throws UsageError where it is no history, or that of another publication
 */
export async function readHistory(
  path: string,
  options: HistoryOptions,
  report: Reporter,
): Promise<{ readonly history: HistoryFile; readonly bytes: number } | null> {
  const history = createHistory(options);
  let [bytes, rest] = [0, ''];
  try {
    for await (const chunk of createReadStream(path, 'utf8')) {
      const lines = (rest + String(chunk)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        history.read(line);
        bytes += Buffer.byteLength(line) + 1;
        check(history.of);
      }
    }
  } catch (error) {
    if (isMissingFile(error)) return null;
    throw error;
  }
  if (bytes === 0 && rest !== '' && !rest.startsWith(beginning)) check(null);
  const { unreadable } = history;
  if (unreadable > 0)
    report.notice({
      type: 'warning',
      text: `${path}: ${unreadable === 1 ? 'one line' : `${unreadable} lines`} could not be read and ${unreadable === 1 ? 'is' : 'are'} ignored. Leavings may be missing.`,
      data: { unreadable },
    });
  return { history, bytes };

  function check(of: string | null): void {
    if (of === null) throw new UsageError(`${path}: this is no history of newsletter watch; name another file.`);
    if (of !== options.of)
      throw new UsageError(`${path}: this is the history of ${of}, not of ${options.of}; name another file.`);
  }
}

/** A history that a watch writes. */
export type OpenHistory = Awaited<ReturnType<typeof openHistory>>;

/**
 * Opens a history to go on with it; a last line that was cut off is removed.
 *
 * @throws UsageError as {@link readHistory} does
 */
export async function openHistory(path: string, options: HistoryOptions, report: Reporter) {
  const stored = await readHistory(path, options, report);
  if (stored) await truncate(path, stored.bytes);
  return {
    history: stored?.history ?? createHistory(options),
    /** Appends lines, and waits until they are on the disk. */
    async append(lines: readonly string[]): Promise<void> {
      if (lines.length === 0) return;
      // The file holds no address, but times of changes by subscription: only its owner may read it.
      const file = await open(path, 'a', 0o600);
      try {
        await file.appendFile(lines.map((line) => `${line}\n`).join(''));
        await file.datasync();
      } finally {
        await file.close();
      }
    },
  };
}
