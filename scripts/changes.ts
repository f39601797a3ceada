/** The files that changed since a commit. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { git, isFileIn, listChanges } from './git.ts';
import { root } from './root.ts';
import { UserError } from './user-error.mjs';

function changedFiles(base: string): readonly string[] {
  try {
    return listChanges(base).filter(isFileIn(root));
  } catch (error) {
    const { stderr } = error as { readonly stderr?: string };
    throw new UserError(
      `git could not list the changes: ${stderr?.split('\n', 1)[0] || 'it did not run'}.`,
      existsSync(join(root, '.git'))
        ? 'Name a commit, a branch or a tag of this clone, or none: "npm run check" compares with the last commit.'
        : 'This folder is no clone; "npm test" needs no history.',
    );
  }
}

/** What git compares a first commit with. */
const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/**
 * The files that differ from a commit, untracked ones included and deleted ones left out. On a clean tree these are the
 * files of the last commit.
 *
 * @param since - a commit, a branch or a tag. Default: the last commit
 * @returns with the commit that they differ from
 * @throws UserError where git does not know it
 */
export function findChanges(since = 'HEAD'): { readonly files: readonly string[]; readonly base: string } {
  const files = changedFiles(since);
  if (files.length > 0 || since !== 'HEAD') return { files, base: since };
  const isFirst = git(['rev-list', '--count', 'HEAD']).trim() === '1';
  if (isFirst && git(['rev-parse', '--is-shallow-repository']).trim() === 'true')
    throw new UserError(
      'This clone has no history, so git cannot list what the last commit changed.',
      'Run "git fetch --unshallow" first, or "npm test", which needs no history.',
    );
  const base = isFirst ? emptyTree : 'HEAD~1';
  return { files: changedFiles(base), base };
}
