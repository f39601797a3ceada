/** The relay's Worker in workerd as a process of its own, which a test may kill. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { bundleWorker } from '../../../../scripts/workerd.ts';
import { waitUntil } from '../../../../test/support/waits.ts';
import { environment, site } from '../running-relay.ts';

const server = fileURLToPath(new URL('../../../../scripts/worker-server.ts', import.meta.url));

/** Bundles the Worker once for many starts. @returns the path of the bundle */
export async function bundleInFile(folder: string): Promise<string> {
  const path = join(folder, 'worker.js');
  writeFileSync(path, await bundleWorker());
  return path;
}

export interface ServingWorker {
  readonly address: string;
  /** What it wrote so far. */
  output(): string;
  /** Signs up; resolves with the answer, rejects where the connection broke. */
  signUp(
    email: string,
    more?: Readonly<Record<string, unknown>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Response>;
  /** Kills workerd and the process that started it, both with SIGKILL. */
  kill(): Promise<void>;
}

/** Starts it on a free port and waits until it takes signups. */
export async function serveWorker(bundle: string, variables: Readonly<Record<string, string>>): Promise<ServingWorker> {
  const child = spawn(process.execPath, ['--conditions=@newsletter-kit/source', server, bundle], {
    env: { PATH: process.env['PATH'], ...environment, RELAY_LIMIT_IP: '0', RELAY_PORT: '0', ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own, which contains workerd too.
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const ended = once(child, 'exit');
  const kill = async (): Promise<void> => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, 'SIGKILL');
    await ended;
  };
  onTestFinished(kill);
  const findAddress = () => /"address":"(http:[^"]+)"/.exec(output);
  await waitUntil('the Worker takes signups, or ends', () => findAddress() !== null || child.exitCode !== null);
  const [, address = ''] = findAddress() ?? [];
  if (!address) throw new Error(`The Worker ended: ${output}`);
  const headers = { origin: site, 'content-type': 'application/json' };
  return {
    address,
    output: () => output,
    signUp: (email, more = {}, others = {}) =>
      fetch(`${address}/signup`, {
        method: 'POST',
        headers: { ...headers, ...others },
        body: JSON.stringify({ email, ...more }),
      }),
    kill,
  };
}
