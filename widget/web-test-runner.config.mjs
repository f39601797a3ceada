/** Browser tests: the sources as they stand, the built files, and an endpoint on an origin of its own. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { esbuildPlugin } from '@web/dev-server-esbuild';
import { defaultReporter } from '@web/test-runner';
import { chromeLauncher } from '@web/test-runner-chrome';
import { a11ySnapshotPlugin } from '@web/test-runner-commands/plugins';
import { build } from 'vite';
import { startEndpoint } from './test/endpoint.ts';

const here = fileURLToPath(new URL('.', import.meta.url));

/** `CHROMIUM` from the environment, else what the system has. */
function findChromium() {
  const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
  const onPath = (process.env.PATH ?? '').split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)));
  const found = [process.env.CHROMIUM, '/usr/bin/chromium', ...onPath].find((path) => {
    try {
      accessSync(path ?? '', constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
  if (!found) throw new Error('The browser tests need Chromium. Install it, or set CHROMIUM to its path.');
  return found;
}

/** Builds what websites load, so that no test ever runs against yesterday's file. */
const freshBuild = {
  name: 'fresh-build',
  async serverStart() {
    for (const mode of ['script', 'npm']) await build({ root: here, configFile: join(here, 'vite.config.ts'), mode, logLevel: 'warn' });
  },
};

/** Runs the endpoint beside the pages and tells them where it is. */
const endpoint = {
  name: 'endpoint',
  async serverStart() {
    this.running = await startEndpoint();
  },
  serve({ path }) {
    return path === '/endpoint.json' ? { body: JSON.stringify({ origin: this.running.origin }), type: 'json' } : undefined;
  },
  async serverStop() {
    await this.running?.stop();
  },
};

export default {
  rootDir: join(here, '..'),
  files: join(here, 'test/**/*.test.ts'),
  nodeResolve: { exportConditions: ['source', 'production'] },
  // Focus, which many tests are about, belongs to one page at a time.
  concurrency: 1,
  browserStartTimeout: 60_000,
  testsStartTimeout: 60_000,
  testsFinishTimeout: 120_000,
  reporters: [defaultReporter()],
  browsers: [
    chromeLauncher({
      launchOptions: {
        executablePath: findChromium(),
        headless: true,
        args: [
          '--no-sandbox',
          '--disable-gpu',
          '--disable-quic',
          '--no-first-run',
          '--disable-background-networking',
          '--disable-component-update',
          '--disable-sync',
        ],
      },
      // A fixed zone and language, so that dates and waiting times read the same everywhere.
      createBrowserContext: ({ browser }) => browser.defaultBrowserContext(),
      createPage: async ({ context }) => {
        const page = await context.newPage();
        await page.emulateTimezone('Europe/Berlin');
        return page;
      },
    }),
  ],
  testFramework: { config: { timeout: 10_000 } },
  plugins: [esbuildPlugin({ ts: true, target: 'es2022', tsconfig: join(here, 'tsconfig.json') }), a11ySnapshotPlugin(), freshBuild, endpoint],
};
