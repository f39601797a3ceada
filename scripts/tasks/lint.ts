/** `npm run lint`: types, rules and unused code, without running a test. */
import { checkTypes, findUnused, lint } from '../steps/checks.ts';
import { check, runSteps } from '../steps/outcome.ts';
import { task } from '../steps/task.ts';

await task(() => runSteps([check('Types', checkTypes), check('Lint', lint), check('Unused code', findUnused)]));
