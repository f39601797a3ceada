/** Reads the report of a test run: how many tests passed and failed, and each failure. */
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { root } from '../chain/root.ts';

/** A test that failed, or what broke a file before or after its tests. */
export interface Failure {
  /** File and name of the test, and the browser where there are several. */
  readonly test: string;
  readonly error: string;
}

export interface Report {
  readonly passed: number;
  readonly failed: number;
  readonly failures: readonly Failure[];
}

const folder = join(root, '.cache', 'reports');

/**
 * Runs tests and reads the file that their reporter wrote; without a file, nothing was counted.
 *
 * @param name - names the report
 * @param run - gets the path of the file to write
 */
export async function reported(
  name: string,
  run: (file: string) => Promise<boolean>,
): Promise<Report & { readonly ok: boolean }> {
  const file = join(folder, `${name}.json`);
  await mkdir(folder, { recursive: true });
  await rm(file, { force: true });
  const ok = await run(file);
  const report: unknown = JSON.parse(await readFile(file, 'utf8').catch(() => '{}'));
  return { ok, passed: 0, failed: 0, failures: [], ...(report as Partial<Report>) };
}

/** Limits that keep all failures within the end of a log. */
const mostFailures = 20;
const linesPerFailure = 12;
const longestLine = 240;

/** Describes the failures in lines; the ones left out are counted. */
export function describeFailures(failures: readonly Failure[]): readonly string[] {
  const described = failures.slice(0, mostFailures).flatMap(({ test, error }) => {
    const lines = stripVTControlCharacters(error)
      .split('\n')
      .filter((line) => line.trim());
    const shown = lines.length > linesPerFailure ? [...lines.slice(0, linesPerFailure - 1), '…'] : lines;
    return [`✗ ${test}`, ...shown.map((line) => `    ${line}`)];
  });
  const more = failures.length - mostFailures;
  return [...described, ...(more > 0 ? [`… and ${more} more`] : [])].map((line) =>
    line.length > longestLine ? `${line.slice(0, longestLine)}…` : line,
  );
}
