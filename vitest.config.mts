/** The test projects. Real n8n has a configuration of its own (test/n8n): it takes minutes and two gigabytes. */
import { defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';

/** Workspace packages are read as TypeScript sources, so that tests need no build. */
const conditions = ['source', ...defaultServerConditions];
const fromSource = { resolve: { conditions }, ssr: { resolve: { conditions } } };

export default defineConfig({
  test: {
    projects: [
      { ...fromSource, test: { name: 'core', include: ['packages/core/test/**/*.test.ts'] } },
      { ...fromSource, test: { name: 'sandbox', include: ['packages/sandbox/test/**/*.test.ts'] } },
      { ...fromSource, test: { name: 'relay', include: ['packages/relay/test/**/*.test.ts'] } },
      { ...fromSource, test: { name: 'cli', include: ['packages/cli/test/**/*.test.ts'], testTimeout: 30_000 } },
      { ...fromSource, test: { name: 'nodes', include: ['test/nodes/**/*.test.ts'] } },
      { ...fromSource, test: { name: 'scripts', include: ['test/{scripts,docs}/**/*.test.ts'], testTimeout: 60_000 } },
      { ...fromSource, test: { name: 'chaos', include: ['test/chaos/**/*.test.ts'], testTimeout: 120_000, hookTimeout: 60_000, fileParallelism: false } },
      { ...fromSource, test: { name: 'proofs', include: ['test/proofs/**/*.test.ts'], testTimeout: 120_000, hookTimeout: 60_000 } },
      {
        ...fromSource,
        test: { name: 'e2e', include: ['test/e2e/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 60_000, fileParallelism: false },
      },
      {
        ...fromSource,
        test: { name: 'widget', include: ['test/widget/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 60_000, fileParallelism: false },
      },
      {
        ...fromSource,
        test: { name: 'examples', include: ['test/examples/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 120_000, fileParallelism: false },
      },
      {
        ...fromSource,
        test: { name: 'packaging', include: ['test/packaging/**/*.test.ts'], testTimeout: 240_000, hookTimeout: 240_000, fileParallelism: false },
      },
    ],
  },
});
