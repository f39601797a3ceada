/** Writes how many tests of a vitest run passed and failed, and each failure, to the file that `TEST_REPORT` names. */
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';
import { root } from '../../scripts/root.ts';
import type { Failure } from '../../scripts/run-steps.ts';
import type { TestReport } from '../../scripts/test-runs.ts';
import { forgetPassed, keepPassed } from './passed-files.ts';

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

/** Writes the report of a run to the file that `TEST_REPORT` names, and each file that passed to another. @public */
export default class implements Reporter {
  onTestModuleEnd(module: TestModule): void {
    if (module.state() === 'passed') keepPassed(module.moduleId);
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    writeFileSync(process.env['TEST_REPORT'] ?? '', JSON.stringify(reportOf(modules, unhandled)));
    if (unhandled.length > 0) forgetPassed();
  }
}
