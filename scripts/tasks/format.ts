/** `npm run format`: lays out every file as oxfmt writes it. */
import { run } from '../steps/command.ts';
import { task } from '../steps/task.ts';

await task(() => run('oxfmt', []));
