/** The command `newsletter-relay` as a process of its own. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { waitUntil } from '../../../../test/support/waits.ts';
import { environment, operatorToken, site } from '../running-relay.ts';

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RelayProcess {
  readonly child: ChildProcess;
  /** What it wrote so far. */
  output(): string;
  /** Its end. */
  readonly ended: Promise<Ended>;
}

/** @param wrapper - a shell line around the command, which stands for `"$@"` in it */
export function startProcess(
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
  wrapper = 'exec "$@"',
): RelayProcess {
  const command = [process.execPath, '--conditions=@newsletter-kit/source', main, ...args];
  const child = spawn('/bin/sh', ['-c', wrapper, 'sh', ...command], {
    env: { PATH: process.env['PATH'], ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const written = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (written.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (written.stderr += text));
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...written }));
  return { child, output: () => written.stdout + written.stderr, ended };
}

/** Runs it to its end. */
export function run(args: readonly string[], variables: Readonly<Record<string, string>> = {}): Promise<Ended> {
  return startProcess(args, variables).ended;
}

export interface ServingRelay extends RelayProcess {
  readonly address: string;
  /** Asks for a path with the operator token. */
  ask(path: string): Promise<Response>;
  /** Signs up; resolves with the answer, rejects where the connection broke. */
  signUp(
    email: string,
    more?: Readonly<Record<string, unknown>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Response>;
}

/** Starts `serve` on a free port and waits until it takes signups. */
export async function serve(
  folder: string,
  variables: Readonly<Record<string, string>> = {},
  wrapper?: string,
): Promise<ServingRelay> {
  // All posts of a test come from one address, and faster than people sign up.
  const settings = {
    ...environment,
    RELAY_LIMIT_IP: '0',
    RELAY_PORT: '0',
    RELAY_STORE: `sqlite:${folder}/relay.db`,
    // Relays that share a database are given one.
    ...(variables['RELAY_STORE']?.startsWith('postgres') && { RELAY_OPERATOR_TOKEN: operatorToken }),
    ...variables,
  };
  const relay = startProcess(['serve'], settings, wrapper);
  const findAddress = () => /"address":"(http:[^"]+)"/.exec(relay.output());
  await waitUntil('the relay takes signups, or ends', () => findAddress() !== null || relay.child.exitCode !== null);
  const [, address = ''] = findAddress() ?? [];
  if (!address) throw new Error(`The relay ended: ${relay.output()}`);
  const headers = { origin: site, 'content-type': 'application/json' };
  return {
    ...relay,
    address,
    ask(path) {
      const [, file = ''] = /^sqlite:(.+)$/.exec(settings.RELAY_STORE) ?? [];
      const { RELAY_OPERATOR_TOKEN: token = readFileSync(`${file}-operator`, 'utf8').trim() } = settings;
      return fetch(`${address}${path}`, { headers: { authorization: `Bearer ${token}` } });
    },
    signUp: (email, more = {}, others = {}) =>
      fetch(`${address}/signup`, {
        method: 'POST',
        headers: { ...headers, ...others },
        body: JSON.stringify({ email, ...more }),
      }),
  };
}
