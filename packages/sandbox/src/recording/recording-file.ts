/** Recordings as files: written while the sandbox runs, read to be replayed. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { RecordingError, type Recording } from './recording.ts';
import { replay, type Difference } from './replay.ts';

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

/** Differences printed. */
const shown = 10;

/**
 * Replays the recording in `file` and prints where answers differ.
 *
 * @returns the exit code: 0 where every answer was the recorded one, otherwise 1
 * @throws {@link RecordingError} where the file can't be read or is no recording
 */
export async function replayFile(file: string, print: (text: string) => void): Promise<number> {
  const { requests, differences } = await replay(read(file));
  const failed = new Set(differences.map(({ n }) => n)).size;
  if (failed === 0) {
    print(`${requests} ${requests === 1 ? 'request' : 'requests'}, each answered as recorded.\n`);
    return 0;
  }
  print(`${failed} of ${requests} requests were answered differently from the recording.\n`);
  let last = 0;
  for (const difference of differences.slice(0, shown)) {
    if (difference.n !== last) print(`\n${difference.n}. ${difference.request}\n`);
    last = difference.n;
    print(linesOf(difference));
  }
  if (differences.length > shown) print(`\n… and ${differences.length - shown} more differences.\n`);
  return 1;
}

const linesOf = ({ at, recorded, answered }: Difference): string =>
  `   ${at}\n   - recorded  ${short(recorded)}\n   + answered  ${short(answered)}\n`;

function short(value: unknown): string {
  const text =
    value === undefined
      ? '(nothing)'
      : typeof value === 'object'
        ? inspect(value, { depth: 2 })
        : JSON.stringify(value);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

function read(file: string): unknown {
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
