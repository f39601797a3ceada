/** How long to wait, as a person says it. */
import type { Messages } from './messages.ts';

/**
 * A waiting time in words, in the language of the texts: `in 30 seconds`, `in 5 minutes`, `now` when it is over,
 * `later` when it is unknown.
 */
export function waitInWords(seconds: number | undefined, { language, later }: Messages): string {
  if (seconds === undefined) return later;
  const inSeconds = seconds < 90;
  return new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(
    Math.ceil(inSeconds ? seconds : seconds / 60),
    inSeconds ? 'second' : 'minute',
  );
}
