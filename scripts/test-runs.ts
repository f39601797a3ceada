/**
 * Runs vitest and the widget's browser tests, and reads how many tests passed and failed. The default export is the
 * reporter with which vitest writes these counts.
 */
import { writeFileSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';
import type { Engine } from '../test/support/browsers/engines.ts';
import { run, runCaptured } from './command.ts';
import { root } from './root.ts';
import type { Failure, StepOutcome } from './run-steps.ts';

/** The counts and failures that a reporter wrote. */
export interface TestReport {
  readonly passed: number;
  readonly failed: number;
  readonly failures: readonly Failure[];
}

const reportsFolder = join(root, '.cache', 'reports');

/**
 * Runs tests and reads the file that their reporter wrote; without a file, nothing was counted.
 *
 * @param name - names the report
 * @param run - gets the path of the file to write
 */
export async function reported(
  name: string,
  run: (file: string) => Promise<boolean>,
): Promise<TestReport & { readonly ok: boolean }> {
  const file = join(reportsFolder, `${name}.json`);
  await mkdir(reportsFolder, { recursive: true });
  await rm(file, { force: true });
  const ok = await run(file);
  const report: unknown = JSON.parse(await readFile(file, 'utf8').catch(() => '{}'));
  return { ok, passed: 0, failed: 0, failures: [], ...(report as Partial<TestReport>) };
}

/** Time limit of one run of tests, in minutes: ends a run that hangs, and leaves time to a slow machine. */
const limit = 75;

/** The reporter of this file. */
export const reporter = fileURLToPath(import.meta.url);
/** The reporters of every run: one for people, one that writes the counts and failures to `TEST_REPORT`. */
export const reporters = ['--reporter=default', `--reporter=${reporter}`];

/** Leaves out files named `*.slow.test.ts`, which take long to run or to set up. */
export const fastOnly = ['--exclude', '**/*.slow.test.ts'];
/** Only those files. */
export const slowOnly: readonly string[] = ['.slow.test.ts'];

/**
 * Runs vitest.
 *
 * @param name - names the report
 * @param args - vitest's arguments besides the reporters
 * @param env - added to the environment
 */
export function runVitest(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<StepOutcome> {
  return reported(name, (file) =>
    run('vitest', ['run', ...reporters, ...args], { limit, env: { ...env, TEST_REPORT: file } }),
  );
}

/** The most files that are retried; where more fail, chance is not the cause. */
const maxRetriedFiles = 3;

/**
 * Retries the files with failed tests once. A test that drives a browser or n8n waits for processes that no test
 * controls, and can be flaky on a busy machine. The outcome names the tests that failed in the first run only.
 *
 * @param start - runs the tests of these files, relative to the repository
 * @param selected - what the first run gets in place of files
 */
export async function retryFailedFiles(
  start: (files: readonly string[]) => Promise<StepOutcome>,
  selected: readonly string[] = [],
): Promise<StepOutcome> {
  const first = await start(selected);
  const { passed = 0, failed = 0, failures = [] } = first;
  const files = [...new Set(failures.flatMap(({ file }) => file ?? []))];
  if (first.ok || files.length === 0 || files.length > maxRetriedFiles || failures.some(({ file }) => !file))
    return first;
  console.log(`▸ Tests failed, and their files are retried: ${files.join(', ')}`);
  const second = await start(files);
  const again = new Set(second.failures?.map(({ test }) => test));
  const flaky = failures.filter(({ test }) => !again.has(test));
  return { ...second, passed: passed + failed - (second.failed ?? 0), flaky };
}

const widget = join(root, 'widget');

/**
 * The sources and the built files, in these engines, without the files named `*.slow.test.ts`. The output is printed
 * only if something fails.
 */
export function testWidgetFast(engines: readonly Engine[]): Promise<StepOutcome> {
  return runWidgetTests(engines, { WIDGET_TESTS: 'fast' });
}

/** All tests of the sources and the built files. The output is printed only if something fails. */
export function testWidget(engines: readonly Engine[]): Promise<StepOutcome> {
  return runWidgetTests(engines);
}

/** Repeats a run once that ended without a report: a browser or driver that crashes can end the test runner itself. */
function runWidgetTests(engines: readonly Engine[], env: Readonly<Record<string, string>> = {}): Promise<StepOutcome> {
  return retryFailedFiles(async (files) => {
    const outcome = await startTestRunner(engines, env, files);
    if (hasReport(outcome)) return outcome;
    console.log('▸ The test runner ended without a report and is started once more.');
    return startTestRunner(engines, env, files);
  });
}

function hasReport({ passed = 0, failed = 0 }: StepOutcome): boolean {
  return passed + failed > 0;
}

/** A run without a report fails with the last lines of its output. */
async function startTestRunner(
  engines: readonly Engine[],
  env: Readonly<Record<string, string>>,
  files: readonly string[],
): Promise<StepOutcome> {
  const runner = join(widget, 'node_modules', '.bin', process.platform === 'win32' ? 'wtr.cmd' : 'wtr');
  const config = join(root, 'scripts', 'web-test-runner.config.mjs');
  let lastLines = '';
  const outcome = await reported('widget', async (file) => {
    const names = engines.map(({ name }) => name).join(',');
    const settings = { TEST_REPORT: file, WIDGET_ENGINES: names, ...env };
    const args = ['--config', config, ...files.flatMap((path) => ['--files', join(root, path)])];
    const { ok, output } = await runCaptured(runner, args, { cwd: widget, env: settings, limit });
    if (!ok) console.error(output);
    lastLines = output.split('\n').slice(-20).join('\n');
    return ok;
  });
  if (hasReport(outcome)) return outcome;
  const error = `The test runner ended without a report. Its last lines:\n${lastLines}`;
  return { ...outcome, ok: false, failures: [{ test: 'The widget in browsers', error }] };
}

/** Counts the tests. A file with an error outside its tests and no failed test counts as one failure. */
function reportOf(modules: readonly TestModule[], unhandled: readonly SerializedError[]): TestReport {
  let passed = 0;
  let failed = 0;
  const failures: Failure[] = [];
  for (const module of modules) {
    const file = relative(root, module.moduleId);
    const tests = [...module.children.allTests()];
    const broken = tests.filter((test) => test.result().state === 'failed');
    passed += tests.filter((test) => test.result().state === 'passed').length;
    failed += broken.length || (module.state() === 'passed' || module.state() === 'skipped' ? 0 : 1);
    for (const test of broken)
      failures.push({
        file,
        test: `${file} > ${test.fullName}`,
        error: (test.result().errors ?? []).map(textOf).join('\n'),
      });
    for (const error of module.errors()) failures.push({ file, test: file, error: textOf(error) });
    for (const suite of module.children.allSuites()) {
      for (const error of suite.errors())
        failures.push({ file, test: `${file} > ${suite.fullName}`, error: textOf(error) });
    }
    if (module.state() === 'queued' || module.state() === 'pending')
      failures.push({ file, test: file, error: 'The file did not finish.' });
  }
  for (const error of unhandled) {
    const path = error['VITEST_TEST_PATH'];
    const file = typeof path === 'string' ? { file: relative(root, path) } : {};
    failures.push({ ...file, test: `${file.file ?? 'No file'}, outside of its tests`, error: textOf(error) });
  }
  return { passed, failed: failed + unhandled.length, failures };
}

/** The message, the stack frame in this repository and the diff. */
function textOf({ name, message, stack, diff }: SerializedError & { readonly diff?: string }): string {
  const frame = stack
    ?.split('\n')
    .find((line) => /^\s+at /.test(line) && line.includes(root) && !line.includes('node_modules'));
  return [`${name ?? 'Error'}: ${message}`, frame?.replaceAll(`${root}/`, ''), diff]
    .filter((part) => typeof part === 'string')
    .join('\n');
}

/** Writes the report of a run to the file that `TEST_REPORT` names. @public */
export default class implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    writeFileSync(process.env['TEST_REPORT'] ?? '', JSON.stringify(reportOf(modules, unhandled)));
  }
}
