/** A separate Redis: a free port, a temporary folder, no persistence. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../support/free-ports.ts';
import { waitUntil } from '../../support/waits.ts';
import { start } from '../../../scripts/program.ts';

const program = 'redis-server';

export const hasRedis = spawnSync(program, ['--version']).status === 0;

export interface Redis {
  readonly port: number;
  stop(): Promise<void>;
}

export async function startRedis(): Promise<Redis> {
  if (!hasRedis)
    throw new Error(
      `Queue mode needs ${program}, and there is none on the path. Install it (Debian: "sudo apt-get install redis-server").`,
    );
  const folder = await mkdtemp(join(tmpdir(), 'newsletter-redis-'));
  const port = await freePort();
  const running = start(program, [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--dir',
    folder,
    '--save',
    '',
    '--appendonly',
    'no',
    '--daemonize',
    'no',
  ]);
  const stop = async (): Promise<void> => {
    await running.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await waitUntil('Redis listens', () => listens(port), 60_000);
    return { port, stop };
  } catch (error) {
    const said = running.output();
    await stop();
    throw new Error(`${program} did not listen:\n${said}`, { cause: error });
  }
}

async function listens(port: number): Promise<boolean> {
  const socket = createConnection(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } finally {
    socket.destroy();
  }
}
