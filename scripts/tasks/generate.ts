/** `npm run generate`: the types, interfaces and texts that follow from the contract and the schemas of core. */
import { run } from '../steps/command.ts';
import { task } from '../steps/task.ts';

await task(() => run(process.execPath, ['packages/core/scripts/generate.ts']));
