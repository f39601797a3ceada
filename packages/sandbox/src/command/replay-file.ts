/** `newsletter-sandbox replay FILE`: replays a recording and prints where answers differ. */
import { inspect } from 'node:util';
import { readRecordingFile } from '../recording/recording-file.ts';
import { replay, type Difference } from './replay.ts';

/** Differences printed. */
const shown = 10;

/**
 * Replays the recording in `file` and prints where answers differ.
 *
 * @returns the exit code: 0 where every answer was the recorded one, otherwise 1
 * @throws RecordingError where the file can't be read or is no recording
 */
export async function replayFile(file: string, print: (text: string) => void): Promise<number> {
  const { requests, differences } = await replay(readRecordingFile(file));
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
