/** Runs the command from source, with an empty home folder: in this process, or in one of its own. */
import { spawn } from 'node:child_process';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { onTestFinished, vi } from 'vitest';
import { withCapturedOutput, withEnvironment } from '../../../test/support/captured-output.ts';
import { runCommands } from '../src/command-line.ts';
import { waitFor } from '../../../test/support/waits.ts';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

export interface Ended {
  readonly code: number | NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly ended: Promise<Ended>;
  readonly kill: (signal: NodeJS.Signals) => void;
}

/**
 * Starts it in a process of its own.
 *
 * @param prelude - shell code in place of the plain start; `"$@"` is the command
 */
export function start(args: readonly string[], env: Readonly<Record<string, string>>, prelude = 'exec "$@"'): Started {
  const child = spawn(
    '/bin/sh',
    ['-c', prelude, 'sh', process.execPath, '--conditions=@newsletter-kit/source', main, ...args],
    {
      env: {
        ...noHome,
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const written = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (written.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (written.stderr += text));
  const ended = waitFor(
    `newsletter ${args.join(' ')} has ended`,
    new Promise<Ended>((resolve) =>
      child.once('close', (code, signal) => resolve({ code: code ?? signal, ...written })),
    ),
  );
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return {
    stdout: () => written.stdout,
    stderr: () => written.stderr,
    ended,
    kill: (signal) => void child.kill(signal),
  };
}

/**
 * Runs it to its end in this process, which takes a tenth of the time. Calls must not overlap: the environment and the
 * standard streams of this process are replaced meanwhile.
 *
 * @param input - what stdin contains
 */
export async function run(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  input: readonly string[] = [],
): Promise<Ended> {
  const stdin = vi.spyOn(process, 'stdin', 'get').mockReturnValue(Readable.from(input) as typeof process.stdin);
  try {
    const work = (): Promise<number> => runCommands(args, new AbortController().signal);
    const { result: code, ...written } = await withCapturedOutput(() => withEnvironment({ ...noHome, ...env }, work));
    return { code, ...written };
  } finally {
    stdin.mockRestore();
  }
}

/** An environment with an empty home folder. */
const noHome = { HOME: '/nonexistent' };

/** The events of `--json`. */
export function events(stdout: string): readonly Readonly<Record<string, unknown>>[] {
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
}
