/** Runs the command as a person would: its own process, from source. */
import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
/** Nothing of the person's own settings; what a test needs it gives. */
const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SANDBOX_')));

export interface Running {
  readonly child: ChildProcess;
  /** `http://127.0.0.1:<free port>` */
  readonly address: string;
  readonly output: () => string;
  /** Asks it to stop; the exit code and signal. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | NodeJS.Signals | null>;
}

/** Starts the command; `prelude` is shell code before it. */
export function launch(args: readonly string[], env: Readonly<Record<string, string>> = {}, prelude = '') {
  const command = [process.execPath, '--conditions=@newsletter-kit/source', main, ...args];
  const options = { env: { ...clean, ...env }, stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'] };
  const child = prelude
    ? spawn('bash', ['-c', `${prelude}; exec "$@"`, 'bash', ...command], options)
    : spawn(command[0]!, command.slice(1), options);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) =>
    child.once('close', (code, signal) => resolve(code ?? signal)),
  );
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return { child, ended, stdout: () => stdout, stderr: () => stderr };
}

/** Runs the command until it ends by itself. */
export async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { ended, stdout, stderr } = launch(args, env);
  return { code: await ended, stdout: stdout(), stderr: stderr() };
}

/** Starts the command on a free port and waits until it listens. */
export async function start(
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  prelude = '',
): Promise<Running> {
  const { child, ended, stdout, stderr } = launch(['--port', '0', ...args], env, prelude);
  const address = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', () => {
      const [, found] = /^Newsletter sandbox: (\S+)$/m.exec(stdout()) ?? [];
      if (found && stdout().includes('Ctrl-C')) resolve(found);
    });
    void ended.then((code) => reject(new Error(`It ended with ${code}: ${stderr()}`)));
  });
  return {
    child,
    address,
    output: () => stdout() + stderr(),
    stop(signal = 'SIGTERM') {
      child.kill(signal);
      return ended;
    },
  };
}
