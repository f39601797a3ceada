/** Runs a command to its end, in the foreground or with its output captured. */
import { constants } from 'node:os';
import { stripVTControlCharacters } from 'node:util';
import { start } from './program.ts';
import { root } from './root.ts';

/** Where and how a command runs. */
export interface CommandOptions {
  /** Folder to run in; the root of the repository by default. */
  readonly cwd?: string;
  /** Added to the environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Where and how a command runs, and whether its output is printed. */
interface RunOptions extends CommandOptions {
  /** Print the output only if the command fails. */
  readonly quiet?: boolean;
  /** Print the output on stderr: what calls the command may print a result on stdout. */
  readonly asProgress?: boolean;
}

/** How a command ended. */
export interface Ended {
  /** True for exit code 0. */
  readonly ok: boolean;
  /** Absent where a signal ended it, or it did not start. */
  readonly code?: number;
  /** What it printed, without colours; empty where it ran in the foreground. */
  readonly output: string;
}

const endings = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Ends a running command, for each command that runs. */
const running = new Set<() => void>();

/** Ends every running command, each of which fails. SIGTERM first: a command may stop its own children. */
export function endCommands(): void {
  for (const end of running) end();
}

/**
 * Runs a command in the foreground, or quietly.
 *
 * @returns true where the command ended with exit code 0
 */
export async function run(
  command: string,
  args: readonly string[],
  { quiet = false, asProgress = false, ...options }: RunOptions = {},
): Promise<boolean> {
  const { ok, output } = await (quiet
    ? runCaptured(command, args, options)
    : execute(command, args, asProgress ? process.stderr.fd : 'inherit', options));
  if (!ok && output) console.error(output);
  return ok;
}

/** Runs a command and returns its output, standard error included, instead of printing it. */
export function runCaptured(command: string, args: readonly string[], options: CommandOptions = {}): Promise<Ended> {
  return execute(command, args, 'pipe', options);
}

/**
 * A signal that would end this process ends the command first. A command that cannot be started counts as failed, with
 * a message.
 */
async function execute(
  command: string,
  args: readonly string[],
  stdio: 'inherit' | 'pipe' | typeof process.stderr.fd,
  options: CommandOptions,
): Promise<Ended> {
  // The tools of node_modules/.bin are command files on Windows, which only its shell starts.
  const shell = process.platform === 'win32' && command !== process.execPath;
  const program = start(command, args, { ...options, inherits: true, group: false, stdio, keptLines: Infinity, shell });
  let interrupted: NodeJS.Signals | undefined;
  const interrupt = (signal: NodeJS.Signals): void => {
    interrupted = signal;
    program.child.kill(signal);
  };
  const end = (): void => void program.stop();
  for (const signal of endings) process.on(signal, interrupt);
  running.add(end);
  const how = await program.ended;
  running.delete(end);
  for (const signal of endings) process.off(signal, interrupt);
  if (interrupted) process.exit(128 + constants.signals[interrupted]);
  const failure = program.child.pid === undefined ? `${command} did not start: ${how}` : '';
  const output = stripVTControlCharacters(program.output() + failure).trimEnd();
  return { ok: how === 0, ...(typeof how === 'number' && { code: how }), output };
}

/**
 * Runs a script of a package's manifest, with that package's tools on the path; Node's own `--run` needs no package
 * manager.
 */
export function runScript(folder: string, script: string, options: Omit<RunOptions, 'cwd'> = {}): Promise<boolean> {
  return run(process.execPath, ['--run', script], { ...options, cwd: `${root}/${folder}` });
}
