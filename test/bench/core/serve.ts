/** Starts the plain server beside a measurement. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface Serving {
  /** Base URL of the API. */
  readonly url: string;
  stop(): void;
}

/** @param latencyMs - milliseconds until each answer */
export async function serve(latencyMs = 0): Promise<Serving> {
  const child = fork(fileURLToPath(new URL('answering-server.ts', import.meta.url)), [String(latencyMs)], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  const [url] = (await once(child, 'message')) as [string];
  return { url, stop: () => child.disconnect() };
}
