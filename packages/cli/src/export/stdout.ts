/** Writes to stdout no faster than it is read. */
import { once } from 'node:events';
import process from 'node:process';

export async function writeToStdout(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}
