/**
 * `npm run test:all`: everything. `--slow-only` leaves out what `npm test` runs, for a run right after it;
 * `--only PART` runs one part of the rest.
 */
import { parseArgs } from 'node:util';
import { UserError } from '../setup/user-error.mjs';
import { runSteps } from '../steps/outcome.ts';
import { fastSteps, slowPartNames, slowSteps } from '../steps/suites.ts';
import { task } from '../steps/task.ts';

interface Options {
  readonly 'slow-only'?: boolean | undefined;
  readonly only?: string | undefined;
}

await task(() => {
  const { 'slow-only': slowOnly, only } = readOptions();
  if (only) return runSteps(slowSteps([only]));
  if (slowOnly) return runSteps(slowSteps());
  const fast = new Set(fastSteps.flat());
  return runSteps([...fastSteps, ...slowSteps().filter((step) => !('title' in step && fast.has(step)))]);
});

function readOptions(): Options {
  const usage = `Its options are --slow-only and --only ${slowPartNames.join('|')}; "npm test -- FILE" runs chosen tests.`;
  try {
    const { values } = parseArgs({ options: { 'slow-only': { type: 'boolean' }, only: { type: 'string' } } });
    if (values.only === undefined || slowPartNames.includes(values.only)) return values;
    throw new Error(`There is no part "${values.only}".`);
  } catch (error) {
    throw new UserError(error instanceof Error ? error.message : String(error), usage);
  }
}
