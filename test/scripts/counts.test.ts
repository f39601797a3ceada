/** The line CI reads: what the runners counted, and never "0 failed" when something failed. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { check, runSteps, type Outcome } from '../../scripts/steps/outcome.ts';
import { countTests } from '../../scripts/steps/vitest.ts';

const printed: string[] = [];
beforeEach(() => {
  vi.spyOn(console, 'log').mockImplementation((line: string) => void printed.push(...line.split('\n')));
});
afterEach(() => {
  printed.length = 0;
  vi.restoreAllMocks();
});

const tests = (title: string, outcome: Outcome) => ({ title, run: () => Promise.resolve(outcome) });
const holds = check('Lint', () => Promise.resolve(true));
const fails = check('Lint', () => Promise.resolve(false));

describe('the last line of a test run', () => {
  it.each([
    ['sums the runners', [holds, tests('A', { ok: true, passed: 3, failed: 0 }), tests('B', { ok: true, passed: 4, failed: 0 })], '7 passed, 0 failed', true],
    ['counts failed tests', [tests('A', { ok: false, passed: 3, failed: 2 })], '3 passed, 2 failed', false],
    ['counts a failed check once', [fails, tests('A', { ok: true, passed: 3, failed: 0 })], '3 passed, 1 failed', false],
    ['counts a runner that broke without a failed test', [tests('A', { ok: false, passed: 0, failed: 0 })], '0 passed, 1 failed', false],
  ])('%s', async (_name, steps, line, passed) => {
    expect(await runSteps(steps)).toBe(passed);
    expect(printed.at(-1)).toBe(line);
  });

  it('is left out where no tests ran', async () => {
    expect(await runSteps([holds])).toBe(true);
    expect(printed.join('\n')).not.toContain('passed,');
  });
});

describe("vitest's report", () => {
  it('counts a file that could not be loaded as a failure', () => {
    const report = {
      numPassedTests: 2,
      numFailedTests: 1,
      testResults: [
        { status: 'failed', assertionResults: [{ status: 'failed' }, { status: 'passed' }] },
        { status: 'failed', assertionResults: [] },
        { status: 'passed', assertionResults: [{ status: 'passed' }] },
      ],
    };
    expect(countTests(JSON.stringify(report))).toEqual({ passed: 2, failed: 2 });
  });
});
