/**
 * Git in this repository and in clones of it, whoever owns the files: in a container of CI they belong to another user,
 * and git then works only where `safe.directory` allows it. For the source of a clone it reads that from a file alone.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.ts';
import { UserError } from './user-error.mjs';

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

/** The paths that a command of git lists; git would quote and escape some without `-z`. */
function listPaths(args: readonly string[], folder: string = root): string[] {
  return git([...args, '-z'], folder)
    .split('\0')
    .filter(Boolean);
}

/** Tells files from what was deleted, and from links to folders. */
export function isFileIn(folder: string): (path: string) => boolean {
  return (path) => statSync(join(folder, path), { throwIfNoEntry: false })?.isFile() ?? false;
}

/** The paths that differ from a commit, of deleted files and of those that git does not know yet too. */
export function listChanges(commit: string, folder: string = root): readonly string[] {
  return [
    ...listPaths(['diff', '--name-only', '--no-renames', commit], folder),
    ...listPaths(['ls-files', '--others', '--exclude-standard'], folder),
  ];
}

/**
 * The files of a clone, those that git does not know yet included.
 *
 * @throws UserError where the folder is no clone
 */
export function listFiles(folder: string = root): readonly string[] {
  if (!existsSync(join(folder, '.git')))
    throw new UserError('This folder is no clone, so git cannot list its files.', 'Run the command in a clone.');
  return listPaths(['ls-files', '--cached', '--others', '--exclude-standard'], folder).filter(isFileIn(folder));
}
