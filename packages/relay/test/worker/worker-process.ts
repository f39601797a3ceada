/** The relay's Worker in workerd as a process of its own, which a test may kill. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorker } from '../../../../scripts/workerd.ts';
import { type Serving, serving, startProgram } from '../commands/relay-process.ts';
import { environment } from '../running-relay.ts';

const server = fileURLToPath(new URL('../../../../scripts/worker-server.ts', import.meta.url));

/** Bundles the Worker once for many starts. @returns the path of the bundle */
export async function bundleInFile(folder: string): Promise<string> {
  const path = join(folder, 'worker.js');
  writeFileSync(path, await bundleWorker());
  return path;
}

/** Starts it on a free port and waits until it takes signups. */
export function serveWorker(bundle: string, variables: Readonly<Record<string, string>>): Promise<Serving> {
  const settings = { ...environment, RELAY_LIMIT_IP: '0', RELAY_PORT: '0', ...variables };
  return serving(startProgram([server, bundle], settings, { detached: true }));
}
