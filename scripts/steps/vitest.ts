/** Runs vitest, and reads how many tests passed and failed and what the failures were. */
import { join } from 'node:path';
import { root } from '../chain/root.ts';
import { run } from './command.ts';
import type { Outcome } from './outcome.ts';
import { reported } from './report.ts';

/** Longest time of one run, in minutes. */
const limit = 40;
const reporter = join(root, 'scripts', 'steps', 'reported-tests.ts');

/**
 * @param name - names the report
 * @param args - what vitest gets besides the reporters
 */
export function runVitest(name: string, args: readonly string[]): Promise<Outcome> {
  return reported(name, (file) =>
    run('vitest', ['run', '--reporter=default', `--reporter=${reporter}`, ...args], {
      limit,
      env: { TEST_REPORT: file },
    }),
  );
}
