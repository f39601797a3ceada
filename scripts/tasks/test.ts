/** `npm test`: everything but the real n8n, which takes minutes (`npm run test:n8n`). */
import { bringChromium } from '../browsers/bring.ts';
import { enginesToTest } from '../browsers/engines.ts';
import { buildAll } from '../steps/build.ts';
import { checkSize, checkTypes, findUnused, lint } from '../steps/checks.ts';
import { check, runSteps } from '../steps/outcome.ts';
import { task } from '../steps/task.ts';
import { runVitest } from '../steps/vitest.ts';
import { testWidget } from '../steps/widget-tests.ts';

await task(async () => {
  console.log(`Chromium: ${await bringChromium()}`);
  const engines = enginesToTest();
  return runSteps([
    check('Types', checkTypes),
    check('Lint', lint),
    check('Unused code', findUnused),
    check('Build', buildAll),
    check('Size of the tag', checkSize),
    { title: 'Tests', run: () => runVitest('tests', process.argv.slice(2)) },
    { title: `Widget in ${engines.map(({ title }) => title).join(', ')}`, run: () => testWidget(engines) },
  ]);
});
