/**
 * `npm test`: the checks and tests to run before sharing a change. With arguments, such as `npm test -- test/e2e`,
 * these tests alone.
 */
import { runSteps } from '../steps/outcome.ts';
import { fastSteps, selectedSteps } from '../steps/suites.ts';
import { task } from '../steps/task.ts';

const selected = process.argv.slice(2);

await task(() => runSteps(selected.length > 0 ? selectedSteps(selected) : fastSteps));
