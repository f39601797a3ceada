/** `npm run generate`: generates types, interfaces and texts from core's contract and schemas. */
import { run } from '../steps/command.ts';
import { task } from '../steps/task.ts';

await task(() => run(process.execPath, ['packages/core/scripts/generate.ts']));
