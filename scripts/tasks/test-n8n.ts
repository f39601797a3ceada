/**
 * `npm run test:n8n`: the package in a real n8n, which is installed on the first run (two gigabytes, a few minutes).
 */
import { runSteps } from '../steps/outcome.ts';
import { n8nSteps } from '../steps/suites.ts';
import { task } from '../steps/task.ts';

await task(() => runSteps(n8nSteps(process.argv.slice(2))));
