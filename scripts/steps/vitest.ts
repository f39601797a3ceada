/** Runs vitest and reads from its report how many tests passed and failed. */
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../chain/root.ts';
import { run } from './command.ts';
import type { Outcome } from './outcome.ts';

const reports = join(root, '.cache', 'reports');

/** Longest time of one run, in minutes. */
const limit = 40;

/**
 * @param name - names the report
 * @param args - what vitest gets besides the reporters
 */
export async function runVitest(name: string, args: readonly string[]): Promise<Outcome> {
  const report = join(reports, `${name}.json`);
  await mkdir(reports, { recursive: true });
  await rm(report, { force: true });
  const ok = await run('vitest', ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...args], { limit });
  return { ok, ...countTests(await readFile(report, 'utf8').catch(() => '{}')) };
}

/** Reads the counts of a report; a file that could not be loaded has no tests to count and is one failure. */
export function countTests(report: string): { passed: number; failed: number } {
  const read: unknown = JSON.parse(report);
  const { numPassedTests = 0, numFailedTests = 0, testResults = [] } = read as {
    numPassedTests?: number;
    numFailedTests?: number;
    testResults?: { status: string; assertionResults: { status: string }[] }[];
  };
  const unloaded = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((assertion) => assertion.status === 'failed'),
  );
  return { passed: numPassedTests, failed: numFailedTests + unloaded.length };
}
