/** The tasks behind the npm scripts, by the script's name. `scripts/run.mjs` runs this file with the installed Node. */
import { parseArgs } from 'node:util';
import { buildAll } from './build.ts';
import { run } from './command.ts';
import { runSteps } from './run-steps.ts';
import { ringMinutes } from '../test/rings.ts';
import { resumeTests } from '../test/support/passed-files.ts';
import {
  decidingSteps,
  fastSteps,
  lintSteps,
  n8nSteps,
  selectedSteps,
  slowPartNames,
  slowSteps,
} from './test-steps.ts';
import { UserError } from './user-error.mjs';

/** @returns true where the task succeeded, or its exit code @throws UserError where the user can mend the cause */
type Task = (args: readonly string[]) => Promise<boolean | number>;

const tasks: ReadonlyMap<string, Task> = new Map<string, Task>([
  // Sandbox, relay and demo site in one terminal, until Ctrl-C.
  ['start', async () => (await import('./start.ts')).start()],
  // The same with the relay's Worker in workerd.
  ['worker', async () => (await import('./start.ts')).startWorker()],
  // Format, lint, types, unused code and the fast tests of what changed, within a minute.
  ['check', async ([since]) => (await import('./quick-check.ts')).runQuickCheck(since)],
  // The checks and tests to run before sharing a change. With arguments, such as `test/e2e`, these tests alone.
  [
    'test',
    async (args) => (args.length > 0 ? runSteps(await selectedSteps(args)) : runSteps(fastSteps, ringMinutes.fast)),
  ],
  // What decides about a change: `.ci/run` installs what it needs and runs it.
  ['test:decide', () => runSteps(decidingSteps(), ringMinutes.deciding)],
  ['test:all', testAll],
  ['test:n8n', testN8n],
  // A real n8n with the nodes, the sandbox and a site with a signup form, until Ctrl-C.
  ['n8n', async (args) => (await import('./n8n.ts')).startN8n(args)],
  ['bench', bench],
  // Builds every package into an empty `dist`.
  ['build', buildAll],
  // The documentation site: served while its pages change, or `build` and `preview`.
  ['docs', async (args) => (await import('./docs.ts')).runDocs(args)],
  // Every package as a tarball that installs alone, and zips for websites, into the folder `packed` or a given one; or,
  // with `--nodes`, the n8n package.
  ['pack', async (args) => (await import('./pack.ts')).packAll(args)],
  // The steps of a release: `version` and `files`.
  ['release', async (args) => (await import('./release.ts')).release(args)],
  ['format', () => run('oxfmt', [])],
  // Every file that follows from others: types, texts, schemas, tables of the documentation.
  ['generate', async () => (await import('./generate.ts')).generate()],
  // Format, types, rules and unused code, without running a test.
  ['lint', () => runSteps(lintSteps)],
  // Mutation testing of one floor, or of a few random changes of a room.
  ['mutate', mutate],
]);

/**
 * Everything; `--only PART` runs one part of what `npm test` leaves out. Files of tests that passed in an earlier run
 * on the same files of the repository do not run again, except with `--fresh`.
 */
function testAll(args: readonly string[]): Promise<boolean> {
  const { only, fresh } = readParts(args);
  resumeTests(fresh);
  if (only) return runSteps(slowSteps([only]), ringMinutes.everything);
  const fast = new Set(fastSteps.flat());
  const rest = slowSteps().filter((step) => !('title' in step && fast.has(step)));
  // The limit is that of a part; one machine runs all of them.
  return runSteps([...fastSteps, ...rest], 2 * ringMinutes.everything);
}

function readParts(args: readonly string[]): { readonly only: string | undefined; readonly fresh: boolean } {
  try {
    const { only, fresh } = parseArgs({
      args: [...args],
      options: { only: { type: 'string' }, fresh: { type: 'boolean', default: false } },
    }).values;
    if (only === undefined || slowPartNames.includes(only)) return { only, fresh };
    throw new Error(`There is no part "${only}".`);
  } catch (error) {
    throw new UserError(
      error instanceof Error ? error.message : String(error),
      `The options are --only ${slowPartNames.join('|')} and --fresh; "npm test -- FILE" runs chosen tests.`,
    );
  }
}

/**
 * The package in a real n8n, which is installed on the first run (two gigabytes, a few minutes). `--oldest` takes the
 * oldest n8n that the nodes support, on the oldest Node it runs on, instead of the newest; all other arguments are
 * vitest's.
 */
function testN8n(args: readonly string[]): Promise<boolean> {
  const selected = args.filter((arg) => arg !== '--oldest');
  const age = selected.length < args.length ? 'oldest' : 'newest';
  return runSteps(n8nSteps(selected, age), selected.length === 0 ? ringMinutes.everything : undefined);
}

async function mutate([floor, ...args]: readonly string[]): Promise<boolean> {
  if (floor === 'sample') return (await import('../test/mutation/sample.ts')).sampleMutations(args);
  return (await import('../test/mutation/run.ts')).runMutations(floor === undefined ? [] : [floor, ...args]);
}

const benchHelp = `npm run bench            measures every promised figure (about half an hour; nothing else should run meanwhile),
                         and writes docs/src/content/docs/benchmarks.md and docs/src/data/benchmarks.json; if one
                         was not measured, .output/benchmarks-incomplete.{md,json} instead, and fails
npm run bench -- PART    measures only the scripts in test/bench whose name contains PART, such as relay or core/size,
                         and writes nothing`;

/** Measures the promised figures. A missed goal is printed and fails nothing, because machines differ; a hole fails. */
async function bench([part = '']: readonly string[]): Promise<boolean> {
  if (part.startsWith('-')) {
    console.log(benchHelp);
    return part === '--help';
  }
  const { choose, printFigures } = await import('../test/bench/print-figures.ts');
  choose(part);
  return (await buildAll()) && printFigures(part);
}

const [name = '', ...args] = process.argv.slice(2);
try {
  const task = tasks.get(name);
  if (!task) throw new UserError(`There is no task "${name}".`, `The tasks are ${[...tasks.keys()].join(', ')}.`);
  const ended = await task(args);
  process.exitCode = typeof ended === 'number' ? ended : ended ? 0 : 1;
  // What a step left behind that was ended by the time limit; otherwise nothing is.
  setTimeout(() => process.exit(), 5000).unref();
} catch (error) {
  if (!(error instanceof UserError)) throw error;
  console.error(`\n${error.message}`);
  process.exitCode = 1;
}
