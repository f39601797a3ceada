/** One line at the bottom of a terminal that is written over; with a bar where it is known how much there is. */
import { clearLine, cursorTo } from 'node:readline';
import type { Writable } from 'node:stream';

export interface ProgressLine {
  /**
   * @param share - 0 to 1, for the bar
   * @param keep - leave it standing and go to the next line
   */
  show(text: string, share: number | undefined, keep: boolean): void;
  /** Takes the line away, so that something else can be written. */
  clear(): void;
}

const width = 20;

export function progressLine(stream: Writable & { readonly columns?: number }): ProgressLine {
  let shown = false;
  function clear(): void {
    if (!shown) return;
    cursorTo(stream, 0);
    clearLine(stream, 0);
    shown = false;
  }
  return {
    show(text, share, keep) {
      clear();
      const line = share === undefined ? text : `${bar(share)} ${text}`;
      // A line that wraps could not be taken away again.
      stream.write(keep ? `${text}\n` : line.slice(0, (stream.columns ?? 80) - 1));
      shown = !keep;
    },
    clear,
  };
}

function bar(share: number): string {
  const full = Math.round(Math.max(0, Math.min(1, share)) * width);
  return `${'█'.repeat(full)}${'░'.repeat(width - full)} ${String(Math.floor(share * 100)).padStart(3)} %`;
}
