/**
 * Clones of the last commit, as other machines have them: the tests that read files of the checkout pass in each. The
 * clones share one store of objects and the installed dependencies.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { pageFolders } from '../../scripts/build.ts';
import { git } from '../../scripts/git.ts';
import { root } from '../../scripts/root.ts';
import { filesOf } from '../rings.ts';
import { linkDependencies } from '../support/repository-copy.ts';

/** How a test names a file of the checkout that is no module. */
const fileOfCheckout =
  /\/scripts\/root\.ts'|\/support\/documentation\.ts'|new URL\('[^']*(?<!\.ts)', import\.meta\.url/;

/** How a test starts processes: what they do depends on the path of a clone, and on nothing else of it. */
const startsProcesses = /'node:child_process'|\/(process|launch)\.ts'|'\.\/command\.ts'/;
/** How a test asks git: a worktree and a clone without history differ in nothing else. */
const asksGit = /\/git\.ts'|'\.\/pages\.ts'/;

const isIn = (path: string, pattern: RegExp): boolean => pattern.test(readFileSync(join(root, path), 'utf8'));
/** Fast tests that read files of the checkout: of the job `portable` in ci.yml, and of the documentation. */
const all = filesOf('fast').filter(
  (path) => /^(packages\/(core|sandbox|cli)|test\/(nodes|docs))\//.test(path) && isIn(path, fileOfCheckout),
);
const portable = all.filter((path) => !path.startsWith('test/docs/'));
const readers = all.filter((path) => !isIn(path, startsProcesses));
const gitReaders = readers.filter((path) => isIn(path, asksGit));

let folder: string;
let store: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'newsletter-clones-'));
  store = join(folder, 'store.git');
  git(['clone', '--quiet', '--bare', '--shared', root, store]);
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

/** @param options - of `git clone` @returns the folder of the clone */
function clone(name: string, options: readonly string[] = ['--shared'], source = store): string {
  const made = join(folder, name);
  git(['clone', '--quiet', ...options, source, made]);
  return made;
}

/** Runs a command in a clone. @throws Error with its output where it fails */
async function run(made: string, [command, ...args]: readonly [string, ...string[]]): Promise<void> {
  const { NODE_OPTIONS: _options, VITEST: _vitest, ...env } = process.env;
  const child = spawn(command, args, { cwd: made, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`${command} ${args[0]} ended with ${code}:\n${output.slice(-20_000)}`);
}

const node = process.execPath;
/** A slow test runs these, and their time is its own. */
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--reporter=dot', '--testTimeout=240000'] as const;
/** `ulimit -n` sets the hard limit too, so that Node cannot raise it. */
const withFewFiles = ['sh', '-c', 'ulimit -n 256 && exec "$@"', 'sh'] as const;

it.each<[name: string, make: () => string, ...commands: (readonly [string, ...string[]])[]]>([
  [
    'with core.autocrlf, as on Windows, of a user who may open 256 files',
    () => clone('crlf', ['--shared', '--config', 'core.autocrlf=true']),
    [node, 'node_modules/oxfmt/bin/oxfmt', '--check'],
    ['bash', '-n', '.ci/run'],
    [...withFewFiles, node, ...vitest, ...readers],
  ],
  ['in a path with a blank, #, % and an umlaut', () => clone('my #1 100%20 für'), [node, ...vitest, ...portable]],
  [
    'without history, in a worktree of it',
    () => {
      const made = join(folder, 'worktree');
      const shallow = clone('shallow', ['--depth', '1'], pathToFileURL(store).href);
      git(['worktree', 'add', '--quiet', '--detach', made], shallow);
      return made;
    },
    [node, ...vitest, ...gitReaders],
  ],
])(
  'the tests that read files pass in a clone %s',
  async (_name, make, ...commands) => {
    const made = make();
    await linkDependencies(made);
    // Only in the unusual path pages are built: the copies are newer than the sources.
    for (const folder of made.includes('#') ? [] : pageFolders)
      await cp(join(root, folder), join(made, folder), { recursive: true });
    // Every text has the line endings of the repository; "-text" is a picture.
    const files = git(['ls-files', '--eol'], made).trim().split('\n');
    expect(files.filter((line) => !/ w\/(lf|-text|none) /.test(line))).toEqual([]);
    for (const command of commands) await run(made, command);
    expect(git(['status', '--porcelain'], made)).toBe('');
  },
  1_800_000,
);

it('finds the tests that read files', () => {
  expect(portable).toEqual(expect.arrayContaining(['packages/core/test/documentation.test.ts']));
  expect(readers).toEqual(expect.arrayContaining(['test/nodes/examples.test.ts', 'test/docs/support.test.ts']));
  expect(gitReaders).toEqual(expect.arrayContaining(['test/docs/pages.test.ts', 'test/docs/pictures.test.ts']));
});
