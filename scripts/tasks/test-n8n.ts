/**
 * `npm run test:n8n`: the package in a real n8n, which is installed on the first run (two gigabytes, a few minutes).
 * `--oldest` takes the oldest n8n that the nodes support, on the oldest Node it runs on, instead of the newest; all
 * other arguments are vitest's.
 */
import { runSteps } from '../steps/outcome.ts';
import { n8nSteps } from '../steps/suites.ts';
import { task } from '../steps/task.ts';

const args = process.argv.slice(2);
const selected = args.filter((arg) => arg !== '--oldest');

await task(() => runSteps(n8nSteps(selected, selected.length < args.length ? 'oldest' : 'newest')));
