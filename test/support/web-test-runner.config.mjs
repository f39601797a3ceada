/**
 * The widget's test configuration with a reporter that writes to a file how many tests passed and failed, and each
 * failure.
 */
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * @typedef {{ message: string, name?: string, stack?: string, expected?: string, actual?: string }} TestError
 * @typedef {{ name: string, passed: boolean, skipped: boolean, error?: TestError }} TestResult
 * @typedef {{ name: string, suites: Suite[], tests: TestResult[] }} Suite
 * @typedef {{ passed: boolean, testFile: string, browser: { name: string }, errors: TestError[], testResults?: Suite }}
 *   Session - one test file in one browser
 */

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Every test under its full name.
 *
 * @param {Suite} suite
 * @param {string[]} above - names of the suites around it
 * @returns {TestResult[]}
 */
function testsOf({ tests, suites }, above) {
  const named = tests.map((test) => ({ ...test, name: [...above, test.name].join(' > ') }));
  return [...named, ...suites.flatMap((suite) => testsOf(suite, [...above, suite.name]))];
}

/** @param {TestError} error */
function textOf({ name = 'Error', message, stack, expected, actual }) {
  const differs = expected === undefined && actual === undefined ? [] : [`expected ${expected}`, `but was  ${actual}`];
  return [`${name}: ${message}`, ...differs, stack].join('\n');
}

/** @param {{ sessions: Session[] }} run */
function writeReport({ sessions }) {
  const report = {
    passed: 0,
    failed: 0,
    failures: /** @type {{ test: string, error: string }[]} */ ([]),
  };
  for (const { browser, testFile, testResults, passed, errors } of sessions) {
    const location = `${browser.name} > ${relative(root, testFile)}`;
    const tests = testResults ? testsOf(testResults, []).filter(({ skipped }) => !skipped) : [];
    const failed = tests.filter((test) => !test.passed);
    report.passed += tests.length - failed.length;
    // A file that broke before or after its tests has no failed test to show for it.
    report.failed += failed.length || (passed ? 0 : 1);
    for (const { name, error } of failed)
      report.failures.push({ test: `${location} > ${name}`, error: error ? textOf(error) : 'no error message' });
    if (errors.length > 0) report.failures.push({ test: location, error: errors.map(textOf).join('\n') });
    else if (!passed && failed.length === 0)
      report.failures.push({ test: location, error: 'The file never came to its end.' });
  }
  writeFileSync(process.env['TEST_REPORT'] ?? '', JSON.stringify(report));
}

/** Loaded by its address, because it is checked with the widget and not from here. */
const address = new URL('../../widget/web-test-runner.config.mjs', import.meta.url).href;
const { default: config } = /** @type {{ default: { reporters: object[] } }} */ (await import(address));

export default { ...config, reporters: [...config.reporters, { onTestRunFinished: writeReport }] };
