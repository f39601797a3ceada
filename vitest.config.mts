/**
 * The test projects, one for each room. A file named `*.slow.test.ts` is left out of `npm test` and run by
 * `npm run test:all`. Real n8n has a configuration of its own (test/n8n): it takes minutes and two gigabytes.
 */
import { defaultServerConditions } from 'vite';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { fastLimitMs } from './test/support/time-limit.ts';

/** Workspace packages are read as TypeScript sources, so that tests need no build. */
const conditions = ['@newsletter-kit/source', ...defaultServerConditions];

/** Vite cuts a path at a `#`: in such a checkout Node imports the modules by itself, without `vi.doMock`. */
const viteModuleRunner = !import.meta.dirname.includes('#');

/** One room's tests. */
function project(
  name: string,
  folder: string,
  options: NonNullable<TestProjectInlineConfiguration['test']> = {},
): TestProjectInlineConfiguration {
  return {
    resolve: { conditions },
    ssr: { resolve: { conditions } },
    test: {
      name,
      include: [`${folder}/**/*.test.ts`],
      // The runner extends it for slow tests, and on a busy machine.
      testTimeout: fastLimitMs,
      expect: { poll: { timeout: 60_000 } },
      runner: 'test/support/test-runner.ts',
      setupFiles: ['test/support/setup-file.ts'],
      ...options,
    },
  };
}

/** These tests leave nothing behind in their process, so files share it. */
const shared = { isolate: false } as const;
/** These tests share one PostgreSQL, and each takes a database of its own. */
const postgres = ['packages/relay/test/postgres-setup.ts'];
/** These tests start browsers, servers or installs that take every core, so files run one after the other. */
const oneByOne = { fileParallelism: false } as const;

export default defineConfig({
  test: {
    // Vitest would leave one core free.
    maxWorkers: '100%',
    experimental: { viteModuleRunner },
    globalSetup: ['test/support/global-setup.ts'],
    projects: [
      project('core', 'packages/core/test', shared),
      project('command-line', 'packages/command-line/test', shared),
      project('sandbox', 'packages/sandbox/test', shared),
      project('relay', 'packages/relay/test', { ...shared, globalSetup: postgres }),
      project('cli', 'packages/cli/test', { ...shared, globalSetup: postgres }),
      project('nodes', 'test/nodes', {
        ...shared,
        setupFiles: ['test/support/setup-file.ts', 'test/nodes/setup-file.ts'],
      }),
      project('scripts', 'test/{scripts,docs}', shared),
      project('proofs', 'test/proofs', { ...shared, globalSetup: postgres }),
      project('chaos', 'test/chaos', oneByOne),
      project('e2e', 'test/e2e', oneByOne),
      project('widget', 'test/widget', oneByOne),
      project('examples', 'test/examples', oneByOne),
      project('packaging', 'test/packaging', oneByOne),
    ],
  },
});
