/** A progress line at the bottom of a terminal, rewritten in place; with a bar where the total is known. */
import { clearLine, cursorTo } from 'node:readline';
import type { Writable } from 'node:stream';

export interface ProgressLine {
  /**
   * @param share - 0 to 1, for the bar
   * @param keep - keeps the text and continues on the next line
   */
  show(text: string, share: number | undefined, keep: boolean): void;
  /** Clears the line, so that other output can be written. */
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
      // A wrapped line could not be cleared.
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
