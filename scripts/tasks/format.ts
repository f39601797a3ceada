/** `npm run format`: formats every file with oxfmt. */
import { run } from '../steps/command.ts';
import { task } from '../steps/task.ts';

await task(() => run('oxfmt', []));
