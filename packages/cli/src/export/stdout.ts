/** Writes to stdout no faster than it is read, and takes it calmly when the reader has seen enough. */
import { once } from 'node:events';
import process from 'node:process';

/** The program that read stdout has gone, as `head` does. */
export class ReaderGone extends Error {
  override readonly name = 'ReaderGone';
}

export function stdoutWriter(): (text: string) => Promise<void> {
  let gone = false;
  process.stdout.on('error', () => {
    gone = true;
  });
  return async (text) => {
    if (gone) throw new ReaderGone();
    if (!process.stdout.write(text)) await Promise.race([once(process.stdout, 'drain'), once(process.stdout, 'close')]).catch(() => undefined);
    if (gone) throw new ReaderGone();
  };
}
