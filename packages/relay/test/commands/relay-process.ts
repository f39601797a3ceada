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
  /** Kills it, with everything that it started. */
  kill(): Promise<void>;
}

/**
 * Starts a program of the sources, which ends with the test.
 *
 * @param wrapper - a shell line around the program, which stands for `"$@"` in it
 * @param detached - whether it has a process group of its own, which contains what it starts
 */
export function startProgram(
  program: readonly string[],
  variables: Readonly<Record<string, string>>,
  { wrapper = 'exec "$@"', detached = false }: { readonly wrapper?: string | undefined; readonly detached?: boolean },
): RelayProcess {
  const command = [process.execPath, '--conditions=@newsletter-kit/source', ...program];
  const child = spawn('/bin/sh', ['-c', wrapper, 'sh', ...command], {
    env: { PATH: process.env['PATH'], ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached,
  });
  const written = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (written.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (written.stderr += text));
  const exited = once(child, 'exit');
  const kill = async (): Promise<void> => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(detached ? -child.pid : child.pid, 'SIGKILL');
    await exited;
  };
  onTestFinished(kill);
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...written }));
  return { child, output: () => written.stdout + written.stderr, ended, kill };
}

/** Starts `newsletter-relay`. */
export function startProcess(
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
  wrapper?: string,
): RelayProcess {
  return startProgram([main, ...args], variables, { wrapper });
}

/** Runs it to its end. */
export function run(args: readonly string[], variables: Readonly<Record<string, string>> = {}): Promise<Ended> {
  return startProcess(args, variables).ended;
}

/** A relay that takes signups. */
export interface Serving extends RelayProcess {
  readonly address: string;
  /** Signs up; resolves with the answer, rejects where the connection broke. */
  signUp(
    email: string,
    more?: Readonly<Record<string, unknown>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Response>;
}

/** Waits until a relay takes signups. */
export async function serving(relay: RelayProcess): Promise<Serving> {
  const findAddress = () => /"address":"(http:[^"]+)"/.exec(relay.output());
  await waitUntil('the relay takes signups, or ends', () => findAddress() !== null || relay.child.exitCode !== null);
  const [, address = ''] = findAddress() ?? [];
  if (!address) throw new Error(`The relay ended: ${relay.output()}`);
  return {
    ...relay,
    address,
    signUp: (email, more = {}, headers = {}) =>
      fetch(`${address}/signup`, {
        method: 'POST',
        headers: { origin: site, 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ email, ...more }),
      }),
  };
}

export interface ServingRelay extends Serving {
  /** Asks for a path with the operator token. */
  ask(path: string): Promise<Response>;
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
  const relay = await serving(startProcess(['serve'], settings, wrapper));
  return {
    ...relay,
    ask(path) {
      const [, file = ''] = /^sqlite:(.+)$/.exec(settings.RELAY_STORE) ?? [];
      const { RELAY_OPERATOR_TOKEN: token = readFileSync(`${file}-operator`, 'utf8').trim() } = settings;
      return fetch(`${relay.address}${path}`, { headers: { authorization: `Bearer ${token}` } });
    },
  };
}
