/**
 * Git in this repository and in clones of it, whoever owns the files: in a container of CI they belong to another user,
 * and git then works only where `safe.directory` allows it. For the source of a clone it reads that from a file alone.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './root.ts';

/** The environment of every command that runs git. */
export const gitEnvironment = { GIT_CONFIG_GLOBAL: join(root, 'scripts', 'gitconfig') } as const;

/**
 * Runs git.
 *
 * @param folder - in which it runs; this repository by default
 * @param input - what it reads
 * @returns what it printed
 * @throws Error where it fails; its message ends with git's
 */
export function git(args: readonly string[], folder: string = root, input = ''): string {
  return execFileSync('git', args, {
    input,
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, ...gitEnvironment },
    maxBuffer: 2 ** 28,
    stdio: 'pipe',
  });
}
