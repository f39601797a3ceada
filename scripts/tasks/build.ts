/** `npm run build`: builds every package into an empty `dist`. */
import { buildAll } from '../steps/build.ts';
import { task } from '../steps/task.ts';

await task(buildAll);
