/** What a run of tests leaves behind for its task: how many passed and failed, and what each failure was. */
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
 * Runs a runner of tests and reads what its reporter wrote; a runner that died before that has counted nothing.
 *
 * @param name - names the report
 * @param run - is told which file to write
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

/** Few and short enough that the end of a log still holds all of them. */
const most = 20;
const linesOfEach = 12;
const longestLine = 240;

/** Says what failed, in lines; what is left out is counted. */
export function describeFailures(failures: readonly Failure[]): readonly string[] {
  const described = failures.slice(0, most).flatMap(({ test, error }) => {
    const lines = stripVTControlCharacters(error)
      .split('\n')
      .filter((line) => line.trim());
    const shown = lines.length > linesOfEach ? [...lines.slice(0, linesOfEach - 1), '…'] : lines;
    return [`✗ ${test}`, ...shown.map((line) => `    ${line}`)];
  });
  const more = failures.length - most;
  return [...described, ...(more > 0 ? [`… and ${more} more`] : [])].map((line) =>
    line.length > longestLine ? `${line.slice(0, longestLine)}…` : line,
  );
}
