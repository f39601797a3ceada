/** Runs vitest and reads its report. */
import { join } from 'node:path';
import { root } from '../chain/root.ts';
import { run } from './command.ts';
import type { Outcome } from './outcome.ts';
import { reported } from './report.ts';

/** Time limit of one run, in minutes. */
const limit = 40;

/** The reporters of every run: one for people, one that writes the counts and failures to `TEST_REPORT`. */
export const reporters = ['--reporter=default', `--reporter=${join(root, 'scripts', 'steps', 'reported-tests.ts')}`];

/** Leaves out files named `*.slow.test.ts`, which take long to run or to set up. */
export const fastOnly = ['--exclude', '**/*.slow.test.ts'];
/** Only those files. */
export const slowOnly = ['.slow.test.ts'];

/**
 * @param name - names the report
 * @param args - vitest's arguments besides the reporters
 * @param env - added to the environment
 */
export function runVitest(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  return reported(name, (file) =>
    run('vitest', ['run', ...reporters, ...args], { limit, env: { ...env, TEST_REPORT: file } }),
  );
}
