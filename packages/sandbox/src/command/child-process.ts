/**
 * Runs a command in a child process: the environment variables that connect it to a sandbox, the signals passed on to
 * it, and how it ended.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { apiKeys, oauthClients, publicationId } from '../world/ids.ts';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** Characters kept of what a captured command printed last. */
const keptOutput = 20_000;
/** How long a command that is asked to stop may take, in milliseconds. */
const grace = 2000;

export interface EndedProcess {
  /** Its exit code, 128 and its number for a signal, 127 where it could not be started. */
  readonly code: number;
  /** Completes a sentence that begins with "the command". */
  readonly how: string;
  readonly started: boolean;
  /** What it printed last, on both of its outputs; empty unless captured. */
  readonly output: string;
  /** The signal that asked this process to stop while the command ran. */
  readonly interrupted: NodeJS.Signals | undefined;
}

export interface RunOptions {
  /** Keeps what it prints instead of showing it, and gives it no input. Its whole process group ends with it. */
  readonly capture?: boolean;
  /** Milliseconds after which it is stopped. Default: never. */
  readonly timeout?: number;
}

export function runCommand(
  [command, ...args]: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
  { capture = false, timeout }: RunOptions = {},
): Promise<EndedProcess> {
  return new Promise((resolve) => {
    const windows = process.platform === 'win32';
    // A group of its own, so that what the command started can be stopped with it.
    const grouped = capture && !windows;
    let interrupted: NodeJS.Signals | undefined;
    const kill = (signal: NodeJS.Signals): void => killChild(child, signal, grouped);
    const pass = (signal: NodeJS.Signals): void => {
      // A terminal sends Ctrl-C to the command itself. A second signal kills the command.
      if (interrupted) kill('SIGKILL');
      else if (grouped || signal !== 'SIGINT' || !process.stdin.isTTY) kill(signal);
      interrupted ??= signal;
    };
    // Before the command starts: whoever hears from the command may send a signal at once.
    for (const signal of signals) process.on(signal, pass);

    const child = spawn(command, args, {
      stdio: capture ? ['ignore', 'pipe', 'pipe'] : 'inherit',
      env: { ...process.env, ...env },
      // The tools of npm are command files on Windows, which only its shell starts.
      shell: windows,
      detached: grouped,
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-keptOutput)));

    let timedOut = false;
    let killer: NodeJS.Timeout | undefined;
    const timer =
      timeout === undefined
        ? undefined
        : setTimeout(() => {
            timedOut = true;
            kill('SIGTERM');
            killer = setTimeout(() => kill('SIGKILL'), grace);
          }, timeout);

    const finish = (code: number, how: string, started = true): void => {
      for (const signal of signals) process.off(signal, pass);
      resolve({ code, how, started, output, interrupted });
    };
    child.once('error', (error) => {
      clearTimeout(timer);
      finish(127, `could not be started (${error.message}); is it installed?`, false);
    });
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      clearTimeout(killer);
      const end = (): void => {
        if (timedOut) finish(124, `took longer than ${(timeout ?? 0) / 1000} s`);
        else if (signal) finish(128 + constants.signals[signal], `was ended by ${signal}`);
        else finish(code ?? 1, `ended with exit code ${code ?? 1}`);
      };
      if (!capture) return end();
      // Its own child processes must not survive into the next run; they also keep its outputs open.
      if (grouped) kill('SIGKILL');
      const unread = setTimeout(end, grace);
      child.once('close', () => {
        clearTimeout(unread);
        end();
      });
    });
  });
}

function killChild(child: ChildProcess, signal: NodeJS.Signals, group: boolean): void {
  if (!group || child.pid === undefined) return void child.kill(signal);
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The process group has ended already.
  }
}

/**
 * @param address - `http://host:port`
 * @param controlToken - undefined where the control requires none
 */
export function environmentOf(address: string, controlToken?: string): Readonly<Record<string, string>> {
  return {
    NEWSLETTER_API_URL: `${address}/v2`,
    NEWSLETTER_APP_URL: address,
    NEWSLETTER_API_KEY: apiKeys.workspace,
    NEWSLETTER_PUBLICATION_ID: publicationId,
    NEWSLETTER_OAUTH_CLIENT_ID: oauthClients.confidential.uid,
    NEWSLETTER_OAUTH_CLIENT_SECRET: oauthClients.confidential.secret,
    NEWSLETTER_SANDBOX_URL: `${address}/_sandbox`,
    ...(controlToken !== undefined && { NEWSLETTER_SANDBOX_TOKEN: controlToken }),
  };
}
