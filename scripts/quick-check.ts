/**
 * The checks of `npm run check`. They run side by side, the quickest first, and a failed one is printed at once: its
 * first line names the check and the file.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { lintArguments, typeCheck, unusedArguments } from './checks.ts';
import { runCaptured, type Ended } from './command.ts';
import { git } from './git.ts';
import { root } from './root.ts';
import { describeFailures } from './run-steps.ts';
import { fastOnly, reported, reporters } from './test-runs.ts';
import { UserError } from './user-error.mjs';

interface QuickCheck {
  readonly title: string;
  readonly run: () => Promise<Ended>;
}

/** A change of these files can change the lint result of any file. */
const lintSettings = /^(\.oxlintrc\.json|scripts\/lint-rules\.mjs|package\.json|pnpm-lock\.yaml)|tsconfig[^/]*\.json$/;
const sources = /\.(ts|tsx|mts|js|mjs)$/;
/** When the first progress line is printed, and how often, in milliseconds. */
const progressIntervalMs = 15_000;

/**
 * @param since - the commit to compare with
 * @returns true where every check passed
 */
export async function runQuickCheck(since: string | undefined): Promise<boolean> {
  const begun = Date.now();
  const files = changedFiles(since);
  const results: string[] = [];
  const running = new Set<string>();
  let ok = true;

  const runOne = async ({ title, run }: QuickCheck): Promise<void> => {
    running.add(title);
    const from = Date.now();
    const ended = await run();
    running.delete(title);
    const took = `${((Date.now() - from) / 1000).toFixed(1)} s`;
    if (ended.ok) results.push(`✓ ${title} (${took})${ended.output && ` · ${ended.output}`}`);
    else console.log(`✗ ${title}: ${ended.output.trim() || 'it failed without a message'}\n`);
    ok &&= ended.ok;
  };
  const runInOrder = async (checks: readonly QuickCheck[]): Promise<void> => {
    for (const each of checks) await runOne(each);
  };

  const progress = setInterval(
    () => console.log(`  ${Math.round((Date.now() - begun) / 1000)} s: ${[...running].join(', ')}`),
    progressIntervalMs,
  );
  try {
    // A file that cannot be parsed would fail every other check as well.
    await runOne({ title: 'Format', run: format });
    if (ok) {
      await Promise.all([
        runInOrder([
          { title: 'Unused code', run: findUnused },
          { title: 'Lint', run: () => lintFiles(files) },
          { title: 'Size of the tag', run: () => measureTag(files) },
        ]),
        runInOrder([
          { title: 'Types', run: typeCheck },
          { title: 'Tests', run: () => runTests(files) },
        ]),
      ]);
    }
  } finally {
    clearInterval(progress);
  }
  console.log(
    `${results.join('\n')}\n${ok ? 'All passed' : 'Failed'} in ${Math.round((Date.now() - begun) / 1000)} s.`,
  );
  return ok;
}

/** Formats the files that differ; fails only for a file that cannot be parsed. */
async function format(): Promise<Ended> {
  const { ok, output } = await runCaptured('oxfmt', ['--list-different']);
  if (ok) return { ok, output: '' };
  // A file that cannot be parsed: oxfmt prints the reason and the location in a frame.
  const [, reason, location] = /[x×] (.+)\n\s*[,╭][-─]\[(.+?)\]/.exec(output) ?? [];
  if (reason && location) return { ok, output: `${location}: ${reason}\n${output}` };
  const formatted = await runCaptured('oxfmt', []);
  return formatted.ok ? { ok: true, output: `formatted ${output.split('\n').join(', ')}` } : formatted;
}

async function findUnused(): Promise<Ended> {
  const { ok, output } = await runCaptured('knip', [...unusedArguments, '--reporter', 'compact']);
  // Its first line is only a heading.
  return { ok, output: ok ? '' : output.replace(/^(.+) \(\d+\)\n/, '$1: ') };
}

async function lintFiles(files: readonly string[]): Promise<Ended> {
  const everything = files.some((file) => lintSettings.test(file));
  const linted = files.filter((file) => sources.test(file));
  if (!everything && linted.length === 0) return { ok: true, output: 'no source file changed' };
  const { ok, output } = await runCaptured('oxlint', [
    ...lintArguments,
    '--format',
    'unix',
    ...(everything ? [] : linted),
  ]);
  return { ok, output: ok ? '' : output };
}

/** What the script of the tag is made of. */
const tagSources = /^(widget\/(src|vite\.config)|packages\/core\/src\/(signup|contract)\/)/;

/** Builds the tag and compares its size with the limits, where a source of it changed. */
async function measureTag(files: readonly string[]): Promise<Ended> {
  if (!files.some((file) => tagSources.test(file))) return { ok: true, output: 'no source of it changed' };
  const cwd = join(root, 'widget');
  const built = await runCaptured(process.execPath, ['--run', 'build'], { cwd });
  return built.ok ? runCaptured(process.execPath, ['--run', 'size'], { cwd }) : built;
}

/** The fast tests beside the changed files. */
async function runTests(files: readonly string[]): Promise<Ended> {
  const tests = testsOf(files);
  if (tests.length === 0)
    return { ok: true, output: 'the changed files have no fast tests; npm test runs the browser tests' };
  const args = [...fastOnly, '--passWithNoTests', ...tests];
  let output = '';
  const { ok, passed, failed, failures } = await reported('check', async (file) => {
    const ended = await runCaptured('vitest', ['run', ...reporters, ...args], { env: { TEST_REPORT: file } });
    output = ended.output;
    return ended.ok;
  });
  if (ok) return { ok, output: `${passed} passed (${tests.join(', ')})` };
  const described = describeFailures(failures).join('\n').replace(/^✗ /, '');
  return { ok, output: `${described || output}\n${passed} passed, ${failed} failed` };
}

function lines(...args: readonly string[]): string[] {
  try {
    return git(args).split('\n').filter(Boolean);
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

/**
 * The files that differ from a commit, untracked ones included and deleted ones left out. On a clean tree these are the
 * files of the last commit.
 *
 * @param since - a commit, a branch or a tag. Default: the last commit
 * @throws UserError where git does not know it
 */
export function changedFiles(since = 'HEAD'): readonly string[] {
  const changed = [
    ...lines('diff', '--name-only', '--diff-filter=d', since),
    ...lines('ls-files', '--others', '--exclude-standard'),
  ];
  if (changed.length > 0 || since !== 'HEAD') return changed;
  if (lines('rev-list', '--count', 'HEAD')[0] === '1' && lines('rev-parse', '--is-shallow-repository')[0] === 'true')
    throw new UserError(
      'This clone has no history, so git cannot list what the last commit changed.',
      'Run "git fetch --unshallow" first, or "npm test", which needs no history.',
    );
  return lines('diff-tree', '-r', '--root', '--no-commit-id', '--name-only', '--diff-filter=d', 'HEAD');
}

/** The walks over the contract in the rooms above core: an entry of the contract is one operation of each. */
const contractWalks = [
  'packages/sandbox/test/api',
  'packages/sandbox/test/openapi',
  'packages/cli/test/api',
  'test/nodes/contract.test.ts',
  'test/nodes/schemas.test.ts',
];

/** The tests of a changed file, by the beginning of its path; the first row that matches counts. */
const rooms: readonly (readonly [prefix: RegExp, tests: readonly string[]])[] = [
  [/^packages\/core\/src\/(contract|schema)\//, ['packages/core/test', ...contractWalks]],
  [/^(nodes\/README|nodes\/.*\/__schema__\/)/, ['test/nodes/schemas.test.ts']],
  [/^(nodes|credentials|test\/nodes)\//, ['test/nodes']],
  [/^(scripts|docs|test\/(scripts|docs))\//, ['test/scripts', 'test/docs']],
  [/^(examples|test\/examples)\//, ['test/examples']],
  [/^test\/proofs\//, ['test/proofs']],
  [/^test\/e2e\//, ['test/e2e']],
  [/^test\/widget\//, ['test/widget']],
];

/**
 * The paths of the fast tests that belong to these files: those of the same folder, where `src/engine` has a
 * `test/engine`, else those of the room.
 */
export function testsOf(files: readonly string[]): readonly string[] {
  const paths = files.flatMap((file) => {
    const named = rooms.find(([prefix]) => prefix.test(file))?.[1];
    if (named) return named;
    const [, room = '', folder = ''] = /^(packages\/[^/]+)\/(?:(?:src|test)\/([^/]+)\/)?/.exec(file) ?? [];
    const mirrored = `${room}/test/${folder}`;
    if (folder && existsSync(join(root, mirrored))) return [mirrored];
    return room && existsSync(join(root, room, 'test')) ? [`${room}/test`] : [];
  });
  const all = [...new Set(paths)];
  return all.filter((path) => !all.some((other) => path.startsWith(`${other}/`)));
}
