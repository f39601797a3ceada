/** `npm run build`: every package, from an empty `dist`. */
import { buildAll } from '../steps/build.ts';
import { task } from '../steps/task.ts';

await task(buildAll);
