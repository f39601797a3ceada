/** `newsletter-sandbox exec -- CMD`: a sandbox for as long as a command runs, made known to it by its environment. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Sandbox } from '../app.ts';
import { environmentOf } from './environment.ts';
import type { CommandOptions } from './options.ts';
import { requestLines } from './request-lines.ts';
import { serve } from './serve.ts';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs the command against a fresh sandbox and tells on standard error what it asked, where it failed.
 *
 * @returns the exit code to end with: the command's own, 128 and its number for a signal, 127 where it could not be
 *   started
 */
export async function execute(options: CommandOptions, command: readonly [string, ...string[]]): Promise<number> {
  const { address, controlToken, sandbox, stop } = await serve(options);
  try {
    const ended = await run(command, environmentOf(address, controlToken));
    if (ended.code !== 0)
      process.stderr.write(
        `newsletter-sandbox: the command ${ended.how}${ended.started ? '.' : ''}${ended.started ? ` ${report(sandbox)}` : ''}\n`,
      );
    return ended.code;
  } finally {
    await stop();
  }
}

interface Ended {
  readonly code: number;
  readonly how: string;
  readonly started: boolean;
}

function run(
  [command, ...args]: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
): Promise<Ended> {
  return new Promise((resolve) => {
    // The tools of npm are command files on Windows, which only its shell starts.
    const child = spawn(command, args, {
      stdio: 'inherit',
      env: { ...process.env, ...env },
      shell: process.platform === 'win32',
    });
    let asked = 0;
    const pass = (signal: NodeJS.Signals): void => {
      asked += 1;
      // Ctrl-C in a terminal reaches the command by itself; a second one no longer asks.
      if (asked > 1) child.kill('SIGKILL');
      else if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    };
    for (const signal of signals) process.on(signal, pass);
    const finish = (ended: Ended): void => {
      for (const signal of signals) process.off(signal, pass);
      resolve(ended);
    };
    child.once('error', (error) =>
      finish({ code: 127, how: `could not be started (${error.message}); is it installed?`, started: false }),
    );
    child.once('exit', (code, signal) =>
      finish(
        signal
          ? { code: 128 + constants.signals[signal], how: `was ended by ${signal}`, started: true }
          : { code: code ?? 1, how: `ended with exit code ${code ?? 1}`, started: true },
      ),
    );
  });
}

function report(sandbox: Sandbox): string {
  const entries = sandbox.requests();
  if (entries.length > 0) return ['Its requests:', ...requestLines(entries)].join('\n');
  return 'It sent no request to the sandbox. Its address is in NEWSLETTER_API_URL, the key in NEWSLETTER_API_KEY, the publication in NEWSLETTER_PUBLICATION_ID.';
}
