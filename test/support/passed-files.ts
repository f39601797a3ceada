/**
 * The files of tests that passed on the very files that the repository has now: `npm run test:all` goes on where an
 * earlier run of it ended.
 */
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, globSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import { listFiles } from '../../scripts/git.ts';
import { root } from '../../scripts/root.ts';

const folder = join(root, '.cache', 'passed');

/** Names the file with the paths, one a line. Runs of vitest inherit it, and their reporter adds to that file. */
const variable = 'TEST_PASSED';

/**
 * Leaves out the files of tests that passed before, in every run of vitest that this process starts, and keeps those
 * that pass from now on. A run with random inputs repeats no other, and leaves nothing out.
 *
 * @param fresh - forgets what passed before
 */
export function resumeTests(fresh: boolean): void {
  if (process.env['TEST_SEED'] === 'random') return;
  const file = join(folder, stateOfRepository());
  for (const other of globSync(join(folder, '*'))) if (fresh || other !== file) rmSync(other);
  mkdirSync(folder, { recursive: true });
  process.env[variable] = file;
  const { length } = passedFiles();
  if (length > 0)
    console.error(`▸ ${length} files of tests passed on the same files before, and are left out; --fresh runs all.`);
}

/** The file with the paths; undefined where tests are not resumed, or those of the clone around this one are. */
function listOfPassed(): string | undefined {
  const file = process.env[variable];
  return file?.startsWith(join(root, '.cache')) ? file : undefined;
}

/** The files that passed before, from the root of the repository. */
function passedFiles(): readonly string[] {
  const file = listOfPassed();
  return file && existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
}

/** vitest's arguments that leave out the files that passed before. */
export function leaveOutPassed(): readonly string[] {
  const excluded = passedFiles().flatMap((path) => ['--exclude', `**/${path}`]);
  return excluded.length > 0 ? [...excluded, '--passWithNoTests'] : [];
}

/** @param path - of a file of tests that passed; those outside of the repository are not kept */
export function keepPassed(path: string): void {
  const file = listOfPassed();
  const inside = relative(root, path).split(sep).join('/');
  if (file && !inside.startsWith('../')) appendFileSync(file, `${inside}\n`);
}

/** Forgets all, after an error that may be of any file. */
export function forgetPassed(): void {
  rmSync(listOfPassed() ?? '', { force: true });
}

/** Forgets all where a file has changed since the tests began: they may have run with either text. */
export function forgetIfChanged(): void {
  const file = listOfPassed();
  if (file && basename(file) !== stateOfRepository()) forgetPassed();
}

/** The variables that this process was given: steps of a run set others, such as the path of the browser they found. */
const given: NodeJS.ProcessEnv = { ...process.env };

/** A hash of every file, of the Node that runs, and of the variables that tests read. */
export function stateOfRepository(repository: string = root, environment: NodeJS.ProcessEnv = given): string {
  const hash = createHash('sha256').update(process.version);
  const names = new Set<string>();
  for (const path of listFiles(repository)) {
    const content = readFileSync(join(repository, path));
    hash.update(`\n${path}\n`).update(content);
    if (!/(^|\/)test\/.*\.m?ts$/.test(path)) continue;
    for (const [name] of content.toString().matchAll(/\b[A-Z][A-Z\d]*_[A-Z\d_]+\b/g)) names.add(name);
  }
  names.delete(variable);
  for (const name of [...names].toSorted()) hash.update(`\n${name}=${environment[name] ?? ''}`);
  return hash.digest('hex');
}
