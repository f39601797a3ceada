/** JSON that a person wrote: in a file, in an option, or for stdin. */
import { UsageError } from '#command-line';

/** @param source - where it stands @throws UsageError that names the line where known, and repeats nothing of it */
export function requireJson(text: string, source: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const position = /position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
    const line = position && `: line ${text.slice(0, Number(position)).split('\n').length}`;
    throw new UsageError(
      `${source}${line ?? ''} is not valid JSON. Look for a missing or extra comma, quote or bracket.`,
    );
  }
}
