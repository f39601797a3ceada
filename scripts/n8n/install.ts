/**
 * Installs n8n by its committed lockfile, once: two gigabytes and one to four minutes, reused until the lockfile
 * changes.
 */
import { join } from 'node:path';
import { root } from '../chain/root.ts';
import { installLocked } from './locked.ts';

const host = join(root, 'test', 'n8n', 'host');

/** @returns the path of the n8n command */
export async function installN8n(signal?: AbortSignal): Promise<string> {
  await installLocked({
    folder: host,
    title: 'n8n (2 GB; two to four minutes the first time)',
    signal,
    needs: 'the npm registry, about 2 GB of disk, and python3, make and g++ to build its sqlite3',
  });
  return join(host, 'node_modules', 'n8n', 'bin', 'n8n');
}
