/** Starts the plain server beside a measurement. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface Serving {
  /** Base URL of the API. */
  readonly url: string;
  stop(): void;
}

export async function serve(): Promise<Serving> {
  const child = fork(fileURLToPath(new URL('answering-server.ts', import.meta.url)), {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  const [url] = (await once(child, 'message')) as [string];
  return { url, stop: () => child.disconnect() };
}
