/**
 * `npm run bench`: the figures the project promises, measured here. What falls short is said, and fails nothing:
 * machines differ.
 */
import { printFigures } from '../steps/bench.ts';
import { buildPackages } from '../steps/build.ts';
import { task } from '../steps/task.ts';

await task(async () => {
  if (!(await buildPackages('core', 'sandbox', 'relay', 'widget'))) return false;
  await printFigures();
  return true;
});
