/** `npm run build`: every package, from an empty `dist`. */
import { buildAll } from '../steps/build.ts';

process.exitCode = (await buildAll()) ? 0 : 1;
