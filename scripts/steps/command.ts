/** Runs one command of a task to its end, in the foreground or quietly. */
import { spawn } from 'node:child_process';
import { root } from '../chain/root.ts';

/** Where and how a command runs. */
export interface CommandOptions {
  /** Folder to run in; the root of the repository by default. */
  readonly cwd?: string;
  /** Keep the output back unless the command fails. */
  readonly quiet?: boolean;
  /** Added to the environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * @returns true where the command ended with exit code 0; a command that cannot be started counts as failed, with a line that says so
 */
export function run(command: string, args: readonly string[], { cwd = root, quiet = false, env }: CommandOptions = {}): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', quiet ? 'pipe' : 'inherit', quiet ? 'pipe' : 'inherit'],
      // The tools of node_modules/.bin are command files on Windows, which only its shell starts.
      shell: process.platform === 'win32' && command !== process.execPath,
    });
    let output = '';
    child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.once('error', (error) => {
      console.error(`${command} did not start: ${error.message}`);
      resolve(false);
    });
    child.once('close', (code) => {
      if (code !== 0 && output) console.error(output.trimEnd());
      resolve(code === 0);
    });
  });
}

/** Runs a script of a package's manifest, with that package's tools on the path; Node's own `--run` needs no package manager. */
export function runScript(folder: string, script: string, options: Omit<CommandOptions, 'cwd'> = {}): Promise<boolean> {
  return run(process.execPath, ['--run', script], { ...options, cwd: `${root}/${folder}` });
}
