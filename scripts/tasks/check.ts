/** `npm run check`: format, lint, types, unused code and the fast tests of what changed, within a minute. */
import { runChecks } from '../steps/quick-checks.ts';
import { task } from '../steps/task.ts';

await task(() => runChecks(process.argv.slice(2)));
