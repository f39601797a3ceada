/** Starts programs, keeps the last lines that they print, and ends them, with all their children if wanted. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { root } from './root.ts';

/**
 * The environment without variables of the test runner or of another n8n, whose database must not be touched. Node 24,
 * which runs this, comes first on the path: native modules must fit the Node that runs them.
 */
function environment(added: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const { NODE_ENV: _mode, NODE_OPTIONS: _options, ...inherited } = process.env;
  const own = Object.entries(inherited).filter(
    ([name]) => !/^(VITEST|TEST|npm_|pnpm_|N8N_|DB_|EXECUTIONS_|QUEUE_|CREDENTIALS_|WEBHOOK_URL)/.test(name),
  );
  return {
    ...Object.fromEntries(own),
    PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`,
    ...added,
  };
}

export interface RunningProcess {
  readonly child: ChildProcess;
  /** Resolves with the exit code, the name of the signal, or the reason why it did not start; never rejects. */
  readonly ended: Promise<number | string>;
  /** The last lines it printed. */
  output(): string;
  /** Ends it and its children: SIGTERM first, then SIGKILL. */
  stop(): Promise<void>;
  /** Ends it and its children with SIGKILL. */
  kill(): Promise<void>;
}

interface StartOptions {
  /** Folder to run in; the root of the repository by default. */
  readonly cwd?: string;
  /** Added to the environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether it inherits also variables of a test runner, of npm and of another n8n. Default: false. */
  readonly inherits?: boolean;
  /** Stops the program once it is aborted. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether it gets a process group of its own, so that its children end with it; Ctrl-C in a terminal does not reach
   * it then. Default: true, where the system has process groups.
   */
  readonly group?: boolean;
  /** Where its output goes; `pipe`, the default, keeps its last lines. */
  readonly stdio?: 'pipe' | 'inherit' | number;
  /** Lines of output that are kept: 60 by default, for error messages. */
  readonly keptLines?: number;
  /** Whether a shell starts it. Default: false. */
  readonly shell?: boolean;
  /** Gets each line that it prints. */
  readonly onLine?: (line: string) => void;
  /** Milliseconds between SIGTERM and SIGKILL; ten seconds by default. */
  readonly grace?: number;
}

/** Starts a program, which ends with this process at the latest. */
export function start(
  command: string,
  args: readonly string[],
  {
    cwd = root,
    env,
    inherits = false,
    signal: stopping,
    group = process.platform !== 'win32',
    stdio = 'pipe',
    keptLines = 60,
    shell = false,
    onLine,
    grace = 10_000,
  }: StartOptions = {},
): RunningProcess {
  const child = spawn(command, args, {
    cwd,
    env: inherits ? { ...process.env, ...env } : environment(env),
    stdio: ['ignore', stdio, stdio],
    detached: group,
    shell,
  });
  const lines: string[] = [];
  for (const input of [child.stdout, child.stderr]) {
    if (!input) continue;
    createInterface({ input }).on('line', (line) => {
      lines.push(line);
      lines.splice(0, lines.length - keptLines);
      onLine?.(line);
    });
  }
  const ended = once(child, 'close').then(
    ([code, signal]) => (code as number | null) ?? String(signal),
    (error: unknown) => String(error),
  );
  const signalGroup = (signal: NodeJS.Signals): void => {
    try {
      if (child.pid !== undefined) process.kill(group ? -child.pid : child.pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // has ended already
    }
  };
  // Ctrl-C does not reach another process group: end it when this process exits.
  const killAtExit = (): void => signalGroup('SIGKILL');
  process.once('exit', killAtExit);
  void ended.finally(() => process.off('exit', killAtExit));
  const stop = async (): Promise<void> => {
    signalGroup('SIGTERM');
    const killTimer = setTimeout(() => signalGroup('SIGKILL'), grace);
    await ended;
    clearTimeout(killTimer);
    signalGroup('SIGKILL');
  };
  const interrupt = (): void => void stop();
  if (stopping?.aborted) interrupt();
  stopping?.addEventListener('abort', interrupt, { once: true });
  void ended.finally(() => stopping?.removeEventListener('abort', interrupt));
  return {
    child,
    ended,
    output: () => lines.join('\n'),
    stop,
    async kill() {
      signalGroup('SIGKILL');
      await ended;
    },
  };
}

/**
 * Runs a program to its end.
 *
 * @throws Error with the output where it fails
 */
export async function run(command: string, args: readonly string[], options: StartOptions = {}): Promise<string> {
  const program = start(command, args, options);
  const code = await program.ended;
  if (code === 0) return program.output();
  throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${program.output()}`);
}
