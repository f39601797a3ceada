/** Recordings as files: written while the sandbox runs, and read. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { RecordingError, type Recording } from './recording.ts';

/** Least time between two writes of a recording in progress, in milliseconds. */
const pause = 1000;
/** A long recording takes longer to write: of the time, at most a twentieth is spent on it. */
const share = 20;

/**
 * Writes the recording to `file` at once, then whenever it has grown, and when it is stopped.
 *
 * @returns a function that stops it
 * @throws {@link RecordingError} where the file can't be written
 */
export function keepRecording(file: string, recording: () => Recording): () => void {
  let written = -1;
  const write = (): void => {
    const now = recording();
    if (now.log.entries.length === written) return;
    written = now.log.entries.length;
    try {
      // In one step, so that the file is whole whenever the process ends.
      writeFileSync(`${file}.part`, `${JSON.stringify(now, null, 2)}\n`);
      renameSync(`${file}.part`, file);
    } catch (error) {
      throw new RecordingError(
        `The recording can't be written to "${file}" (${codeOf(error)}). Choose another file with --record.`,
        {
          cause: error,
        },
      );
    }
  };
  let timer: NodeJS.Timeout;
  const next = (): void => {
    const started = performance.now();
    write();
    timer = setTimeout(next, Math.max(pause, (performance.now() - started) * share)).unref();
  };
  next();
  return () => {
    clearTimeout(timer);
    write();
  };
}

/** What the file holds, as JSON. @throws {@link RecordingError} where it can't be read */
export function readRecordingFile(file: string): unknown {
  let text;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new RecordingError(`The recording "${file}" can't be read (${codeOf(error)}).`, { cause: error });
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new RecordingError(`"${file}" is not valid JSON. Record a session with newsletter-sandbox --record FILE.`, {
      cause: error,
    });
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error
    ? String(error.code)
    : error instanceof Error
      ? error.message
      : String(error);
