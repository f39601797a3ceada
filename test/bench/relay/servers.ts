/** Starts what is measured, each in a process of its own. */
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { publicationId } from '@newsletter-kit/sandbox';

/** What a process holds of the machine's memory, in MB. */
export interface Memory {
  readonly resident: number;
  /** Of that, what is its own. */
  readonly own: number;
  /**
   * Of that, pages of files, most of them Node's program: how many of those are mapped is as much the kernel's doing as
   * the process's.
   */
  readonly files: number;
}

export interface Server {
  readonly address: string;
  memory(): Memory;
  /** Bytes that it has had written to disks. */
  written(): number;
  stop(): Promise<void>;
}

export async function startEcho(): Promise<Server> {
  const child = fork(fileURLToPath(new URL('echo-server.ts', import.meta.url)), {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  const [address] = (await once(child, 'message')) as [string];
  return serving(child, address, () => child.disconnect());
}

/** Opens the private routes of the relays. */
const operator = 'a-token-for-the-measurement-alone';

/** Milliseconds until an operator's page of a relay is there. */
export async function look({ address }: Server, path: string): Promise<number> {
  const from = performance.now();
  const answer = await fetch(`${address}${path}`, { headers: { authorization: `Bearer ${operator}` } });
  await answer.text();
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}.`);
  return performance.now() - from;
}

/** The relay as it is shipped. @param store - its RELAY_STORE; without an API it delivers nothing */
export async function startRelay(store: string, settings: Readonly<Record<string, string>> = {}): Promise<Server> {
  const main = fileURLToPath(new URL('../../../packages/relay/dist/main.js', import.meta.url));
  const environment = {
    NEWSLETTER_API_URL: 'http://127.0.0.1:9/v2',
    NEWSLETTER_API_KEY: 'sandbox-key',
    NEWSLETTER_PUBLICATION_ID: publicationId,
    RELAY_ALLOWED_ORIGINS: 'https://shop.example',
    RELAY_PORT: '0',
    RELAY_STORE: store,
    RELAY_TRUSTED_PROXIES: '127.0.0.1',
    RELAY_OPERATOR_TOKEN: operator,
    ...settings,
  };
  const child = spawn(process.execPath, [main, 'serve'], { env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
  let written = '';
  for await (const chunk of child.stdout) {
    written += String(chunk);
    const address = /"address":"(http:[^"]+)"/.exec(written)?.[1];
    if (address) {
      return serving(child, address, () => child.kill('SIGTERM'));
    }
  }
  throw new Error('The relay did not start.');
}

function serving(child: ChildProcess, address: string, end: () => void): Server {
  return {
    address,
    memory() {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      const megabytes = (name: string): number =>
        Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / 1024;
      return { resident: megabytes('VmRSS'), own: megabytes('RssAnon'), files: megabytes('RssFile') };
    },
    written: () => Number(/^write_bytes: (\d+)/m.exec(readFileSync(`/proc/${child.pid}/io`, 'utf8'))?.[1]),
    async stop() {
      const ended = once(child, 'exit');
      end();
      await ended;
    },
  };
}
