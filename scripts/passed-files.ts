/**
 * The files of tests that passed on the very files that the repository has now: `npm run test:all` goes on where an
 * earlier run of it ended.
 */
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listFiles } from './git.ts';
import { root } from './root.ts';

const folder = join(root, '.cache', 'passed');

/** The variable that names the file with the paths, one a line. Runs of vitest inherit it, and their reporter adds to it. */
const variable = 'TEST_PASSED';

/**
 * Leaves out the files of tests that passed before, in every run of vitest that this process starts, and keeps those
 * that pass from now on. A run with random inputs repeats no other, and leaves nothing out.
 *
 * @param fresh - forgets what passed before
 * @returns the number of files that are left out
 */
export function resumeTests(fresh: boolean): number {
  if (process.env['TEST_SEED'] === 'random') return 0;
  const file = join(folder, stateOfRepository());
  for (const other of globSync(join(folder, '*'))) if (fresh || other !== file) rmSync(other);
  mkdirSync(folder, { recursive: true });
  process.env[variable] = file;
  return passedFiles().length;
}

/** The files that passed before, from the root of the repository; none unless tests are resumed. */
export function passedFiles(): readonly string[] {
  const file = process.env[variable];
  return file && existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
}

/** @param path - of a file of tests that passed, from the root of the repository; those of other folders are not kept */
export function keepPassed(path: string): void {
  const file = process.env[variable];
  if (file && !path.startsWith('..')) appendFileSync(file, `${path}\n`);
}

/** @param paths - of files of tests that may not have passed after all */
export function forgetPassed(paths: readonly string[]): void {
  const file = process.env[variable];
  const kept = passedFiles().filter((path) => !paths.includes(path));
  if (file) writeFileSync(file, kept.map((path) => `${path}\n`).join(''));
}

/** A hash of every file, of the Node that runs, and of the variables that tests read. */
export function stateOfRepository(repository: string = root): string {
  const hash = createHash('sha256').update(process.version);
  const names = new Set<string>();
  for (const path of listFiles(repository)) {
    const content = readFileSync(join(repository, path));
    hash.update(`\n${path}\n`).update(content);
    if (!/(^|\/)test\/.*\.m?ts$/.test(path)) continue;
    for (const [name] of content.toString().matchAll(/\b[A-Z][A-Z\d]*_[A-Z\d_]+\b/g)) names.add(name);
  }
  for (const name of [...names].toSorted()) hash.update(`\n${name}=${process.env[name] ?? ''}`);
  return hash.digest('hex');
}
