/**
 * `npm run mutate -- FLOOR [FILE…]`: makes hundreds of small changes to the code of a floor, one at a time, and lists
 * those that no test notices. With files it changes only those; `FILE:10-40` stands for lines 10 to 40.
 * `--tests GLOB` runs only these tests of the floor, which is faster and notices less; `--concurrency N` runs N test
 * processes; `--fresh` forgets the results of earlier runs. Writes docs/mutation.md.
 */
import { parseArgs } from 'node:util';
import { floors } from '../../test/mutation/floors.ts';
import { UserError } from '../setup/user-error.mjs';
import { runMutations, type MutationRun } from '../steps/mutation.ts';
import { task } from '../steps/task.ts';

await task(() => runMutations(readArguments()));

function readArguments(): MutationRun {
  const usage = `Run "npm run mutate -- FLOOR [FILE…] [--tests GLOB] [--concurrency N] [--fresh]", where FLOOR is ${Object.keys(floors).join(', ')}.`;
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        concurrency: { type: 'string' },
        fresh: { type: 'boolean', default: false },
        tests: { type: 'string' },
      },
    });
    const [name, ...files] = positionals;
    const floor = name === undefined ? undefined : floors[name];
    if (name === undefined || !floor) throw new Error(name ? `There is no floor "${name}".` : 'No floor was named.');
    const concurrency = values.concurrency === undefined ? undefined : Number(values.concurrency);
    if (concurrency !== undefined && !(Number.isInteger(concurrency) && concurrency > 0))
      throw new Error(`--concurrency is a whole number of 1 or more, not "${values.concurrency}".`);
    return { name, floor, files, concurrency, fresh: values.fresh, tests: values.tests };
  } catch (error) {
    throw new UserError(error instanceof Error ? error.message : String(error), usage);
  }
}
