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
import { run, runCaptured, type Ended } from './command.ts';
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

/** The reporter of this file. */
export const reporter = fileURLToPath(import.meta.url);
/** The reporters of every run: one for people, one that writes the counts and failures to `TEST_REPORT`. */
export const reporters = ['--reporter=default', `--reporter=${reporter}`];

/** Leaves out files named `*.slow.test.ts`, which take long to run or to set up. */
export const fastOnly = ['--exclude', '**/*.slow.test.ts'];

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
    run('vitest', ['run', ...reporters, ...args], { env: { ...env, TEST_REPORT: file } }),
  );
}

const widget = join(root, 'widget');

/**
 * Tests of the tag's sources and built files. The output is printed only if something fails.
 *
 * @param files - of tests, from the root of the repository; all of them by default
 */
export async function testWidget(engines: readonly Engine[], files: readonly string[] = []): Promise<StepOutcome> {
  const { output, ...outcome } = await runWidgetTests(engines, files);
  if (!outcome.ok) console.error(output);
  return outcome;
}

/** {@link testWidget} without printing. A run without a report fails with the last lines of its output. */
export async function runWidgetTests(
  engines: readonly Engine[],
  files: readonly string[],
): Promise<StepOutcome & Ended> {
  const runner = join(widget, 'node_modules', '.bin', process.platform === 'win32' ? 'wtr.cmd' : 'wtr');
  const config = join(root, 'scripts', 'web-test-runner.config.mjs');
  const chosen = files.length > 0 ? ['--files', ...files.map((file) => join(root, file))] : [];
  let output = '';
  const outcome = await reported('widget', async (file) => {
    const names = engines.map(({ name }) => name).join(',');
    const settings = { TEST_REPORT: file, WIDGET_ENGINES: names };
    const ended = await runCaptured(runner, ['--config', config, ...chosen], { cwd: widget, env: settings });
    ({ output } = ended);
    return ended.ok;
  });
  if (outcome.passed + outcome.failed > 0) return { ...outcome, output };
  const error = `The test runner ended without a report. Its last lines:\n${output.split('\n').slice(-20).join('\n')}`;
  return { ...outcome, ok: false, output, failures: [{ test: 'The widget in browsers', error }] };
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
        test: `${file} > ${test.fullName}`,
        error: (test.result().errors ?? []).map(textOf).join('\n'),
      });
    for (const error of module.errors()) failures.push({ test: file, error: textOf(error) });
    for (const suite of module.children.allSuites()) {
      for (const error of suite.errors()) failures.push({ test: `${file} > ${suite.fullName}`, error: textOf(error) });
    }
    if (module.state() === 'queued' || module.state() === 'pending')
      failures.push({ test: file, error: 'The file did not finish.' });
  }
  for (const error of unhandled) {
    const path = error['VITEST_TEST_PATH'];
    const file = typeof path === 'string' ? relative(root, path) : 'No file';
    failures.push({ test: `${file}, outside of its tests`, error: textOf(error) });
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
