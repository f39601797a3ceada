/** One of the widget's own test configurations, plus a reporter that writes down how many tests passed and failed. */
import { writeFileSync } from 'node:fs';

/**
 * @typedef {{ passed: boolean, skipped: boolean }} TestResult
 * @typedef {{ suites: Suite[], tests: TestResult[] }} Suite
 * @typedef {{ passed: boolean, testResults?: Suite }} Session - one test file in one browser
 */

/**
 * @param {Suite} suite
 * @returns {TestResult[]}
 */
const testsOf = (suite) => [...suite.tests, ...suite.suites.flatMap(testsOf)];

/** @param {{ sessions: Session[] }} run */
function writeCounts({ sessions }) {
  const counts = { passed: 0, failed: 0 };
  for (const session of sessions) {
    const tests = session.testResults ? testsOf(session.testResults).filter(({ skipped }) => !skipped) : [];
    const failed = tests.filter(({ passed }) => !passed).length;
    counts.passed += tests.length - failed;
    // A file that broke before or after its tests has no failed test to show for it.
    counts.failed += failed || (session.passed ? 0 : 1);
  }
  writeFileSync(process.env['WIDGET_REPORT'] ?? '', JSON.stringify(counts));
}

/** Loaded by its address, because it is checked with the widget and not from here. */
const address = new URL(`../../widget/${process.env['WIDGET_CONFIG']}`, import.meta.url).href;
const { default: config } = /** @type {{ default: { reporters: object[] } }} */ (await import(address));

export default { ...config, reporters: [...config.reporters, { onTestRunFinished: writeCounts }] };
