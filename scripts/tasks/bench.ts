/**
 * `npm run bench`: measures the figures that the project promises. A missed goal is printed and fails nothing, because
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
