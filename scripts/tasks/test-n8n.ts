/** `npm run test:n8n`: the package in a real n8n, which is installed on the first run (two gigabytes, a few minutes). */
import { bringChromium } from '../browsers/bring.ts';
import { buildAll } from '../steps/build.ts';
import { check, runSteps } from '../steps/outcome.ts';
import { task } from '../steps/task.ts';
import { runVitest } from '../steps/vitest.ts';

await task(async () => {
  console.log(`Chromium: ${await bringChromium()}`);
  return runSteps([
    check('Build', buildAll),
    {
      title: 'Tests in a real n8n',
      run: () => runVitest('n8n', ['--config', 'test/n8n/vitest.config.ts', ...process.argv.slice(2)]),
    },
  ]);
});
