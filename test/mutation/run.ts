/**
 * `npm run mutate`: runs Stryker on one floor of test/mutation/floors.ts, and prints the mutants that survived and the
 * score. `.output/mutation` gets the same as a page, and Stryker's report.
 */
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { floors, goal, type Floor } from './floors.ts';
import { UserError } from '../../scripts/user-error.mjs';
import { root } from '../../scripts/root.ts';

/** What one run of `npm run mutate` measures. */
interface MutationRun {
  readonly name: string;
  readonly floor: Floor;
  /** Files to mutate, each with an optional `:FIRST-LAST` line range; all files of the floor where there are none. */
  readonly files: readonly string[];
  /** Test processes side by side; as many as Stryker takes for the machine by default. */
  readonly concurrency: number | undefined;
  /** Test every mutant again instead of taking over the results of mutants and tests that did not change. */
  readonly fresh: boolean;
  /** Glob of the tests to run instead of all tests of the floor. */
  readonly tests: string | undefined;
}

/** A mutant that no test noticed. */
interface Survivor {
  readonly line: number;
  readonly original: string;
  readonly replacement: string;
  /** True where no test runs the line at all. */
  readonly uncovered?: boolean;
}

/** The mutants of one file. */
interface FileResult {
  readonly noticed: number;
  /** How many of the noticed mutants made a test hang. */
  readonly timedOut: number;
  readonly survivors: readonly Survivor[];
}

type FloorResults = Readonly<Record<string, FileResult>>;
type Mutant = Awaited<ReturnType<Stryker['runMutationTest']>>[number];

const output = join('.output', 'mutation');

/**
 * @param args - `FLOOR [FILE…]` and options: with files it mutates only those, and `FILE:10-40` stands for lines 10 to
 *   40; `--tests GLOB` runs only these tests of the floor, which is faster and notices less; `--concurrency N` runs N
 *   test processes; `--fresh` forgets the results of earlier runs
 * @returns false where a whole floor was measured and stays below the goal
 * @throws UserError where the arguments are wrong or Stryker does not start
 */
export async function runMutations(args: readonly string[]): Promise<boolean> {
  const { name, floor, files, ...options } = readArguments(args);
  const sources = sourcesOf(floor);
  const chosen = files.map(fromRoot);
  for (const file of chosen)
    if (!sources.includes(withoutLines(file)))
      throw new UserError(`${file} is no file of the floor ${name}.`, `Its files are: ${floor.sources.join(', ')}.`);

  const mutants = await testMutants({
    name,
    floor,
    files: chosen.length > 0 ? chosen : sources,
    ...options,
  });

  const results = resultsByFile(
    mutants.filter(({ fileName }) => chosen.length === 0 || chosen.map(withoutLines).includes(fromRoot(fileName))),
  );
  const page = describeFloor(name, results);
  console.log(page);
  mkdirSync(join(root, output), { recursive: true });
  writeFileSync(join(root, output, `${name}.md`), page);
  console.log(`${join(output, name)}.md and .html have this and the source.`);
  const score = scoreOf(Object.values(results));
  return chosen.length > 0 || score >= goal;
}

function readArguments(args: readonly string[]): MutationRun {
  const usage = `Run "npm run mutate -- FLOOR [FILE…] [--tests GLOB] [--concurrency N] [--fresh]", where FLOOR is ${Object.keys(floors).join(', ')}.`;
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        concurrency: { type: 'string' },
        fresh: { type: 'boolean', default: false },
        tests: { type: 'string' },
      },
    });
    const [name, ...files] = positionals;
    const floor = name === undefined ? undefined : floors[name];
    if (name === undefined || !floor) throw new Error(name ? `There is no floor "${name}".` : 'No floor was named.');
    const concurrency = values.concurrency === undefined ? undefined : Number(values.concurrency);
    if (concurrency !== undefined && !(Number.isInteger(concurrency) && concurrency > 0))
      throw new Error(`--concurrency is a whole number of 1 or more, not "${values.concurrency}".`);
    return { name, floor, files, concurrency, fresh: values.fresh, tests: values.tests };
  } catch (error) {
    throw new UserError(error instanceof Error ? error.message : String(error), usage);
  }
}

/** Runs Stryker. */
async function testMutants({ name, floor, files, concurrency, fresh, tests }: MutationRun): Promise<readonly Mutant[]> {
  process.env['MUTATION_FLOOR'] = name;
  if (tests !== undefined) process.env['MUTATION_TESTS'] = tests;
  const stryker = new Stryker({
    mutate: [...files],
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: 'test/mutation/vitest.config.ts', related: false },
    coverageAnalysis: 'perTest',
    // Longer than vitest's own limit for a test that hangs.
    timeoutMS: floor.hangMs + 10_000,
    // A mutant in code that runs once, while its module loads, would need every test in a new process.
    ignoreStatic: true,
    ...(concurrency === undefined ? {} : { concurrency }),
    // The results of a part of the tests say nothing about those of all.
    incremental: tests === undefined,
    incrementalFile: join('.cache', 'mutation', `${name}.json`),
    force: fresh,
    tempDirName: join('.cache', 'mutation', name),
    cleanTempDir: 'always',
    ignorePatterns: [
      '.cache',
      '.output',
      'dist',
      'test/n8n/host',
      'test/proofs/sync/directus',
      'test/proofs/sync/parse',
    ],
    // Stryker would rewrite the paths of tsconfig.json with TypeScript's programming interface, which version 7 lacks.
    tsconfigFile: 'none',
    disableTypeChecks: false,
    reporters: ['progress-append-only', 'html'],
    htmlReporter: { fileName: join(output, `${name}.html`) },
    allowEmpty: true,
  });
  try {
    return await stryker.runMutationTest();
  } catch (error) {
    if (!(error instanceof Error && error.constructor.name === 'ConfigError')) throw error;
    throw new UserError(
      `Stryker did not start: ${error.message}`,
      `Make sure that the tests of the floor ${name} pass; what failed is printed above.`,
    );
  }
}

/** The files of a floor, sorted. */
function sourcesOf({ sources }: Floor): readonly string[] {
  const excluded = sources.filter((glob) => glob.startsWith('!')).map((glob) => glob.slice(1));
  const included = sources.filter((glob) => !glob.startsWith('!'));
  return globSync(included, { cwd: root, exclude: excluded })
    .map((file) => file.split(sep).join('/'))
    .toSorted();
}

/** A path from the root of the repository, with slashes. */
function fromRoot(file: string): string {
  return relative(root, join(root, relative(root, file)))
    .split(sep)
    .join('/');
}

function withoutLines(file: string): string {
  return file.replace(/:\d+-\d+$/, '');
}

function resultsByFile(mutants: readonly Mutant[]): FloorResults {
  const byFile = Map.groupBy(mutants, ({ fileName }) => fromRoot(fileName));
  return Object.fromEntries(
    [...byFile].map(([file, found]) => {
      const source = readFileSync(join(root, file), 'utf8').split('\n');
      const survivors = found
        .filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
        .map((mutant) => describeSurvivor(mutant, source));
      const noticed = found.filter(({ status }) => status === 'Killed' || status === 'Timeout').length;
      return [file, { noticed, timedOut: found.filter(isTimeout).length, survivors }];
    }),
  );
}

function isTimeout({ status, statusReason }: Mutant): boolean {
  return status === 'Timeout' || /timed out in \d+ms/.test(statusReason ?? '');
}

function describeSurvivor(
  { location: { start, end }, replacement, status }: Mutant,
  source: readonly string[],
): Survivor {
  const replaced = source.slice(start.line - 1, end.line);
  replaced[replaced.length - 1] = replaced.at(-1)?.slice(0, end.column - 1) ?? '';
  replaced[0] = replaced[0]?.slice(start.column - 1) ?? '';
  return {
    line: start.line,
    original: collapse(replaced.join(' ')),
    replacement: collapse(replacement ?? ''),
    ...(status === 'NoCoverage' && { uncovered: true }),
  };
}

const collapse = (code: string): string => code.replaceAll(/\s+/g, ' ').trim();

/** The share of noticed mutants in percent; 100 where there are none. */
function scoreOf(results: readonly FileResult[]): number {
  const { noticed, survived } = count(results);
  return noticed + survived === 0 ? 100 : (noticed / (noticed + survived)) * 100;
}

function count(results: readonly FileResult[]): { noticed: number; survived: number } {
  return {
    noticed: results.reduce((sum, result) => sum + result.noticed, 0),
    survived: results.reduce((sum, result) => sum + result.survivors.length, 0),
  };
}

function describeScore(results: readonly FileResult[]): string {
  const { noticed, survived } = count(results);
  const timedOut = results.reduce((sum, result) => sum + result.timedOut, 0);
  const hanging = timedOut > 0 ? `, ${timedOut} by a test that hung` : '';
  return `${scoreOf(results).toFixed(1)} %, ${noticed} of ${noticed + survived} mutants noticed${hanging}`;
}

function describeMutation({ line, original, replacement, uncovered }: Survivor): string {
  const code = (text: string): string =>
    `\`${(text.length > 90 ? `${text.slice(0, 90)}…` : text).replaceAll('`', "'") || ' '}\``;
  return `line ${line}: ${code(original)} → ${code(replacement)}${uncovered ? ': **no test runs this line**' : ''}`;
}

/** The floor's score, and each file's score with its survivors, in Markdown. */
function describeFloor(name: string, results: FloorResults): string {
  const files = Object.entries(results)
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([file, result]) => {
      const survivors = result.survivors.map((survivor) => `- ${describeMutation(survivor)}\n`);
      return `\n**${file}**: ${describeScore([result])}\n\n${survivors.join('')}`;
    });
  return `## ${name}: ${describeScore(Object.values(results))}\n${files.join('')}`;
}
