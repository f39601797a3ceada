/** `npm run lint`: format, types, rules and unused code, without running a test. */
import { checkFormat, checkTypes, findUnused, lint } from '../steps/checks.ts';
import { check, runSteps } from '../steps/outcome.ts';
import { task } from '../steps/task.ts';

await task(() =>
  runSteps([
    check('Format', checkFormat),
    check('Types', checkTypes),
    check('Lint', lint),
    check('Unused code', findUnused),
  ]),
);
