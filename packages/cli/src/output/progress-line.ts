/** One line at the bottom of a terminal that is written over. */
import { clearLine, cursorTo } from 'node:readline';
import type { Writable } from 'node:stream';

export interface ProgressLine {
  /** @param keep - leave it standing and go to the next line */
  show(text: string, keep: boolean): void;
  /** Takes the line away, so that something else can be written. */
  clear(): void;
}

export function progressLine(stream: Writable & { readonly columns?: number }): ProgressLine {
  let shown = false;
  function clear(): void {
    if (!shown) return;
    cursorTo(stream, 0);
    clearLine(stream, 0);
    shown = false;
  }
  return {
    show(text, keep) {
      clear();
      // A line that wraps could not be taken away again.
      stream.write(keep ? `${text}\n` : text.slice(0, (stream.columns ?? 80) - 1));
      shown = !keep;
    },
    clear,
  };
}
