/** Runs vitest and the widget's browser tests, and reads how many tests passed and failed. */
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Engine } from '../test/support/browsers/engines.ts';
import { forgetIfChanged, leaveOutPassed } from '../test/support/passed-files.ts';
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
export async function reported<Result extends { readonly ok: boolean }>(
  name: string,
  run: (file: string) => Promise<Result>,
): Promise<TestReport & Result> {
  const file = join(reportsFolder, `${name}.json`);
  await mkdir(reportsFolder, { recursive: true });
  await rm(file, { force: true });
  const result = await run(file);
  const report: unknown = JSON.parse(await readFile(file, 'utf8').catch(() => '{}'));
  return { passed: 0, failed: 0, failures: [], ...(report as Partial<TestReport>), ...result };
}

/** The reporter with which vitest writes them. */
export const reporter = join(root, 'test', 'support', 'reporter.ts');
/** Of every run: one reporter for people, and one that writes the counts and failures to `TEST_REPORT`. */
const vitestRun = ['run', '--reporter=default', `--reporter=${reporter}`];

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
  return reported(name, async (file) => {
    const all = [...vitestRun, ...args, ...leaveOutPassed()];
    const ok = await run('vitest', all, { env: { ...env, TEST_REPORT: file } });
    forgetIfChanged();
    return { ok };
  });
}

/** Runs these files of tests by vitest, without printing. */
export function runVitestQuietly(name: string, files: readonly string[]): Promise<TestReport & Ended> {
  return reported(name, (file) => runCaptured('vitest', [...vitestRun, ...files], { env: { TEST_REPORT: file } }));
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
): Promise<TestReport & Ended> {
  const runner = join(widget, 'node_modules', '.bin', process.platform === 'win32' ? 'wtr.cmd' : 'wtr');
  const config = join(root, 'test', 'support', 'web-test-runner.config.mjs');
  const chosen = files.length > 0 ? ['--files', ...files.map((file) => join(root, file))] : [];
  const names = engines.map(({ name }) => name).join(',');
  const outcome = await reported('widget', (file) =>
    runCaptured(runner, ['--config', config, ...chosen], {
      cwd: widget,
      env: { TEST_REPORT: file, WIDGET_ENGINES: names },
    }),
  );
  if (outcome.passed + outcome.failed > 0) return outcome;
  const last = outcome.output.split('\n').slice(-20).join('\n');
  const error = `The test runner ended without a report. Its last lines:\n${last}`;
  return { ...outcome, ok: false, failures: [{ test: 'The widget in browsers', error }] };
}
