/** Lists the files that changed since a commit, and the test projects they belong to. */
import { spawnSync } from 'node:child_process';
import { UserError } from '../setup/user-error.mjs';
import { root } from '../chain/root.ts';

function git(...args: readonly string[]): string[] {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  if (status === 0) return stdout.split('\n').filter(Boolean);
  throw new UserError(
    `git could not list the changes: ${stderr?.split('\n', 1)[0] || 'it did not run'}.`,
    'Name a commit, a branch or a tag of this clone, or none: "npm run check" compares with the last commit.',
  );
}

/**
 * The files that differ from a commit, untracked ones included and deleted ones left out. On a clean tree these are the
 * files of the last commit.
 *
 * @param since - a commit, a branch or a tag; the last commit where left out
 * @throws UserError where git does not know it
 */
export function changedFiles(since = 'HEAD'): readonly string[] {
  const changed = [
    ...git('diff', '--name-only', '--diff-filter=d', since),
    ...git('ls-files', '--others', '--exclude-standard'),
  ];
  if (changed.length > 0 || since !== 'HEAD') return changed;
  return git('diff-tree', '-r', '--root', '--no-commit-id', '--name-only', '--diff-filter=d', 'HEAD');
}

/** The test project of each room, by the beginning of the path. */
const projects: readonly (readonly [prefix: RegExp, project: string])[] = [
  [/^packages\/core\//, 'core'],
  [/^packages\/sandbox\//, 'sandbox'],
  [/^packages\/relay\//, 'relay'],
  [/^packages\/cli\//, 'cli'],
  [/^(nodes|credentials|test\/nodes)\//, 'nodes'],
  [/^(scripts|docs|test\/(scripts|docs))\//, 'scripts'],
  [/^(examples|test\/examples)\//, 'examples'],
  [/^test\/proofs\//, 'proofs'],
  [/^test\/e2e\//, 'e2e'],
  [/^test\/widget\//, 'widget'],
];

/** The test projects that these files belong to. */
export function projectsOf(files: readonly string[]): readonly string[] {
  return projects.filter(([prefix]) => files.some((file) => prefix.test(file))).map(([, project]) => project);
}
