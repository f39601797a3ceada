/** Browser tests of the sources and the built files, with an endpoint on another origin. */
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { esbuildPlugin } from '@web/dev-server-esbuild';
import { defaultReporter } from '@web/test-runner';
import { a11ySnapshotPlugin } from '@web/test-runner-commands/plugins';
import { build } from 'vite';
import { isWidgetStale } from '../scripts/build.ts';
import { readmeAndPages } from '../test/support/documentation.ts';
import { testSeed } from '../test/support/test-seed.ts';
import { fastLimitMs, underLoad } from '../test/support/time-limit.ts';
import { startEndpoint } from './test/endpoint.ts';
import { launchers } from './test/launchers.ts';
import { modes } from './vite.config.ts';

const here = fileURLToPath(new URL('.', import.meta.url));

/** Chromium, or the engines in `WIDGET_ENGINES`, separated by commas: chromium, firefox, webkit. */
const engines = (process.env.WIDGET_ENGINES ?? 'chromium').split(',');

// SIGINT also ends the browsers; on these signals the runner would leave them running.
for (const signal of ['SIGTERM', 'SIGHUP']) process.once(signal, () => process.kill(process.pid, 'SIGINT'));

/** Builds the files if a source is newer, so that no test runs against stale files. */
const freshBuild = {
  name: 'fresh-build',
  async serverStart() {
    if (!(await isWidgetStale())) return;
    for (const mode of modes)
      await build({ root: here, configFile: join(here, 'vite.config.ts'), mode, logLevel: 'warn' });
  },
};

/** Runs the endpoint, and serves its address to the pages. */
const endpoint = {
  name: 'endpoint',
  async serverStart() {
    this.running = await startEndpoint();
  },
  serve({ path }) {
    return path === '/endpoint.json'
      ? { body: JSON.stringify({ origin: this.running.origin }), type: 'json' }
      : undefined;
  },
  async serverStop() {
    await this.running?.stop();
  },
};

/** Serves the README and the pages about the tag, one after the other. */
const documentation = {
  name: 'documentation',
  serve({ path }) {
    return path === '/documentation.md' ? readmeAndPages('widget/README.md', 'website') : undefined;
  },
};

/** A page over a slow connection: sends each `piece` of the query separately. */
async function arriving(context, next) {
  if (context.path !== '/arriving.html') return next();
  const pieces = new URLSearchParams(context.querystring).getAll('piece');
  context.type = 'html';
  context.body = Readable.from(
    (async function* () {
      for (const piece of pieces) {
        yield piece;
        await sleep(50);
      }
    })(),
  );
}

const seed = testSeed();
console.log(`TEST_SEED=${seed}`);

export default {
  rootDir: join(here, '..'),
  files: [join(here, 'test/**/*.test.ts')],
  nodeResolve: { exportConditions: ['@newsletter-kit/source', 'production'] },
  // Only one page at a time can have the focus.
  concurrency: 1,
  browserStartTimeout: 60_000,
  testsStartTimeout: 60_000,
  testsFinishTimeout: 400_000,
  reporters: [defaultReporter()],
  // The engines run in parallel.
  concurrentBrowsers: 3,
  browsers: await Promise.all(engines.map((name) => launchers[name]())),
  testFramework: { config: { timeout: underLoad(fastLimitMs) } },
  // Content of the page before the tests.
  testRunnerHtml: (framework) => `<!DOCTYPE html>
<html data-test-seed="${seed}">
  <head></head>
  <body>
    <script type="module" src="/widget/test/seed.ts"></script>
    <script type="module" src="${framework}"></script>
  </body>
</html>`,
  middleware: [arriving],
  plugins: [
    esbuildPlugin({ ts: true, target: 'es2022', tsconfig: join(here, 'tsconfig.json') }),
    a11ySnapshotPlugin(),
    freshBuild,
    endpoint,
    documentation,
  ],
};
