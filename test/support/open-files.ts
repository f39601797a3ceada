/** Files that this process holds open, as Linux lists them; other systems name none. */
import { readdirSync, readlinkSync } from 'node:fs';

export const listsOpenFiles = process.platform === 'linux';

/** Paths of open files that contain one of these texts. A deleted file has its last path. */
export function openFiles(...texts: readonly string[]): readonly string[] {
  return readdirSync('/proc/self/fd')
    .map((descriptor) => {
      try {
        return readlinkSync(`/proc/self/fd/${descriptor}`);
      } catch {
        return ''; // that of the listing itself
      }
    })
    .filter((path) => texts.some((text) => path.includes(text)));
}
